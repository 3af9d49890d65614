// How exactly networks from files are computed. C++17: the CUDA sources see this file.
#pragma once

#include <cstdint>

#include "backend/backend.h"

namespace lectern {

/// How a GPU computes networks, all sums being of floats; the processor always computes f32.
enum class Precision : std::uint8_t {
  f16x3,  // tensors are floats, a factor of a product is two halves (22 bits): three products on tensor cores
  f16,    // tensors are halves, and so are factors: the quickest, with 11 bits
  f32,    // floats all the way, without tensor cores
};
constexpr const char* name_of(Precision precision) { return precision == Precision::f16x3 ? "f16x3" : precision == Precision::f16 ? "f16" : "f32"; }
constexpr FloatStorage storage_of(Precision precision) { return precision == Precision::f16 ? FloatStorage::fastest : FloatStorage::floats; }

}  // namespace lectern
