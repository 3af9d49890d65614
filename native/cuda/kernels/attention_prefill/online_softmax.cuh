// What attention by the tensor cores is made of, whichever instructions multiply: scores become shares, and floats halves.
#pragma once

#include "cuda/ops/launchers.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Powers of two are what the hardware raises: queries are multiplied by it.
constexpr float log2_of_e = 1.44269504F;

/// Too large for a half becomes the largest one; what is no number stays.
__device__ __forceinline__ float in_half_range(float x) { return fabsf(x) > 65504.0F ? copysignf(65504.0F, x) : x; }

/// Of row `half` of a thread's two (the columns of its scores as products leave them): scores of the cells from `begin` on become shares of those that the row sees,
/// from .. to - 1. `largest`, `total`: so far, `total` of this thread's columns; returned is what sums so far are to be multiplied by.
__device__ __forceinline__ float share_cells(float (&scores)[cell_tile / 8][4], int half, int begin, int from, int to, float& largest, float& total) {
  if (begin < from || begin + cell_tile > to) {
    LECTERN_UNROLL
    for (int n = 0; n < cell_tile / 8; ++n) {
      LECTERN_UNROLL
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        const int cell = begin + 8 * n + 2 * (thread_number() % 4) + i % 2;
        if (cell < from || cell >= to) scores[n][i] = -INFINITY;
      }
    }
  }
  float tile_largest = -INFINITY;
  LECTERN_UNROLL
  for (int n = 0; n < cell_tile / 8; ++n) tile_largest = fmaxf(tile_largest, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
  tile_largest = fmaxf(tile_largest, shuffle_xor(tile_largest, 1));
  tile_largest = fmaxf(tile_largest, shuffle_xor(tile_largest, 2));
  const float next = fmaxf(largest, tile_largest);
  // Of a row that has seen nothing yet every share is 2^-infinity.
  const float base = next == -INFINITY ? 0.0F : next;
  const float shrink = fast_exp2(largest - base);
  largest = next;
  float sum = 0.0F;
  LECTERN_UNROLL
  for (int n = 0; n < cell_tile / 8; ++n) {
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
