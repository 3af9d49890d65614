// Mixture of experts: the choice of experts, and the weighted sum of their outputs.
#pragma once

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Grid: rows, one warp each; lane 0 chooses. Softmax over all experts, the best `used` (the first of equals), divided by their sum.
/// scores: (rows, experts), destroyed; chosen, weights: (rows, used)
__global__ void choose_experts(int experts, int used, float* scores, int* chosen, float* weights) {
  if (thread_number() != 0) return;
  float* row = scores + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(experts);
  float largest = -INFINITY;
  for (int e = 0; e < experts; ++e) largest = fmaxf(largest, row[e]);
  for (int e = 0; e < experts; ++e) row[e] = expf(row[e] - largest);
  float total = 0.0F;
  for (int k = 0; k < used; ++k) {
    int best = 0;
    for (int e = 1; e < experts; ++e) {
      // A NaN is chosen, so that the result shows it.
      if (!(row[e] <= row[best])) best = e;
    }
    chosen[block_x() * used + k] = best;
    weights[block_x() * used + k] = row[best];
    total += row[best];
    row[best] = -1.0F;
  }
  for (int k = 0; k < used; ++k) weights[block_x() * used + k] /= total;
}

/// Grid: rows. x[r] += sum over k of weights[r, k] * expert_outputs[r, k], best first.  expert_outputs: (rows * used, columns)
__global__ void add_expert_outputs(int used, int columns, const float* weights, const float* expert_outputs, float* x) {
  const auto row = static_cast<std::size_t>(block_x());
  for (int c = thread_number(); c < columns; c += thread_count()) {
    float sum = 0.0F;
    for (int k = 0; k < used; ++k) {
      const std::size_t output = row * static_cast<std::size_t>(used) + static_cast<std::size_t>(k);
      sum = fmaf(weights[output], expert_outputs[output * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)], sum);
    }
    x[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)] += sum;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
