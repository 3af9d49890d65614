// What the attention kernels of the tensor cores share: the online softmax and the conversion to f16.
#pragma once

#include "cuda/ops/launchers.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Queries are multiplied by it: the hardware computes powers of two.
constexpr float log2_of_e = 1.44269504F;

/// Clamps to the range of f16; a NaN stays.
__device__ __forceinline__ float in_half_range(float x) { return fabsf(x) > 65504.0F ? copysignf(65504.0F, x) : x; }

/// For row `half` of the two rows of a thread: scores of the positions from `begin` on become probabilities, where the row sees the positions
/// from .. to - 1. `largest`, `total`: so far, `total` for the columns of this thread. Returns the factor for accumulators so far.
__device__ __forceinline__ float softmax_tile(float (&scores)[kv_tile / 8][4], int half, int begin, int from, int to, float& largest, float& total) {
  if (begin < from || begin + kv_tile > to) {
    LECTERN_UNROLL
    for (int n = 0; n < kv_tile / 8; ++n) {
      LECTERN_UNROLL
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        const int cell = begin + 8 * n + 2 * (thread_number() % 4) + i % 2;
        if (cell < from || cell >= to) scores[n][i] = -INFINITY;
      }
    }
  }
  float tile_largest = -INFINITY;
  LECTERN_UNROLL
  for (int n = 0; n < kv_tile / 8; ++n) tile_largest = fmaxf(tile_largest, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
  tile_largest = fmaxf(tile_largest, shuffle_xor(tile_largest, 1));
  tile_largest = fmaxf(tile_largest, shuffle_xor(tile_largest, 2));
  const float next = fmaxf(largest, tile_largest);
  // Before a row has seen a position every probability is 2^-infinity.
  const float base = next == -INFINITY ? 0.0F : next;
  const float shrink = fast_exp2(largest - base);
  largest = next;
  float sum = 0.0F;
  LECTERN_UNROLL
  for (int n = 0; n < kv_tile / 8; ++n) {
    LECTERN_UNROLL
    for (int i = 2 * half; i < 2 * half + 2; ++i) {
      scores[n][i] = fast_exp2(scores[n][i] - base);
      sum += scores[n][i];
    }
  }
  total = fmaf(total, shrink, sum);
  return shrink;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
