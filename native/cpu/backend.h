// The processor as a backend: plain memory, and its two sets of operations.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace lectern::cpu {

enum class Arithmetic {
  fast,   // repacked weights, 8-bit activations for quantised ones, vector instructions, threads
  plain,  // the twin that the other is held against: loops over dequantised rows, sums in double
};

std::unique_ptr<Backend> make_backend(Arithmetic arithmetic);

}  // namespace lectern::cpu
