// Quantised rows of activations for GEMM without tensor cores: int8 with a scale for each 32.
#pragma once

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// 32 activations as signed bytes: x = scale * q. Their sums by 16 multiply the minimum of a weight format.
struct alignas(16) QuantisedBlock {
  int q[8];  // four bytes each, in order
  float scale;
  int sums[2];
  int unused;
};

/// Called by all threads of a block: quantises `values` (columns) in global memory. The scale makes the largest magnitude 127.
__device__ __forceinline__ void quantise_row(const float* values, int columns, QuantisedBlock* out) {
  for (int quant_block = thread_number(); quant_block < columns / 32; quant_block += thread_count()) {
    const float* x = values + 32 * quant_block;
    float largest = 0.0F;
    for (int i = 0; i < 32; ++i) largest = fmaxf(largest, fabsf(x[i]));
    // A NaN must reach the result: fmaxf skips it.
    float probe = 0.0F;
    for (int i = 0; i < 32; ++i) probe += x[i] * 0.0F;
    const float scale = largest / 127.0F + probe;
    const float inverse = largest > 0.0F ? 127.0F / largest : 0.0F;
    QuantisedBlock block;
    block.scale = scale;
    block.unused = 0;
    for (int half = 0; half < 2; ++half) {
      int sum = 0;
      for (int word = 0; word < 4; ++word) {
        std::uint32_t packed = 0;
        for (int i = 0; i < 4; ++i) {
          const float scaled = x[16 * half + 4 * word + i] * inverse;
          const int q = scaled == scaled && fabsf(scaled) <= 127.5F ? round_to_int(scaled) : 0;
          sum += q;
          packed |= (static_cast<std::uint32_t>(q) & 255U) << (8 * i);
        }
        block.q[4 * half + word] = static_cast<int>(packed);
      }
      block.sums[half] = sum;
    }
    out[quant_block] = block;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
