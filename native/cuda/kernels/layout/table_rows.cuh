// Rows of an embedding table by number.
#pragma once

#include "cuda/kernels/layout/bit_planes.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int look_up_threads = 256;

/// Grid: rows. x[r] (+)= table[numbers[r]] (+ extra).
template <DType type>
__global__ void look_up_rows(const std::uint8_t* table, std::size_t row_bytes, int columns, const int* numbers, const float* extra, bool adds, float* x) {
  const std::uint8_t* row = table + static_cast<std::size_t>(numbers[block_x()]) * row_bytes;
  float* out = x + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  const auto put = [&](int c, float value) {
    if (extra != nullptr) value += extra[c];
    out[c] = adds ? out[c] + value : value;
  };
  if constexpr (is_quantised<type>) {
    for (int quant_block = thread_number(); quant_block < columns / 32; quant_block += thread_count()) {
      const WeightBlock block = weight_block<type>(row, columns / 32, quant_block);
      for (int i = 0; i < 32; ++i) {
        const auto q = static_cast<std::int8_t>(static_cast<std::uint32_t>(block.q[i / 4]) >> (8 * (i % 4)));
        put(32 * quant_block + i, fmaf(block.factor[i / 16], static_cast<float>(q), block.offset[i / 16]));
      }
    }
  } else {
    for (int c = thread_number(); c < columns; c += thread_count()) put(c, weight_float<type>(row, c));
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
