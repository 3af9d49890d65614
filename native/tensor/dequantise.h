// Weights of any type as floats: the plain reference that every kernel is held against.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace lectern {

/// Writes `elements` floats (a multiple of the block) from the blocks at `source`, which needs no alignment.
/// Products and sums are rounded one by one, so the result equals the format's published values to the last bit.
void dequantise(DType dtype, const void* source, std::int64_t elements, float* out);

}  // namespace lectern
