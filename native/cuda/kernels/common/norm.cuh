// Norms of rows: parameters and statistics.
#pragma once

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The parameters of a norm, in device memory; weight null: none.
struct NormParameters {
  const float* weight;
  const float* bias;
  float epsilon;
};

/// What a norm subtracts from a row and multiplies it by.
struct NormStatistics {
  float mean;
  float scale;
};

/// Called by a whole block, for a row of `columns` floats: LayerNorm where there is a bias, else RMSNorm (mean 0). `shared` holds 32 floats.
__device__ __forceinline__ NormStatistics statistics_of(const NormParameters& norm, int columns, const float* in, float* shared) {
  float mean = 0.0F;
  if (norm.bias != nullptr) {
    float sum = 0.0F;
    for (int c = thread_number(); c < columns; c += thread_count()) sum += in[c];
    mean = block_sum(sum, shared) / static_cast<float>(columns);
  }
  float squares = 0.0F;
  for (int c = thread_number(); c < columns; c += thread_count()) squares = fmaf(in[c] - mean, in[c] - mean, squares);
  return {mean, 1.0F / sqrtf(block_sum(squares, shared) / static_cast<float>(columns) + norm.epsilon)};
}

/// Element c of norm(in), with the same bits in every kernel.
__device__ __forceinline__ float normalised(const NormParameters& norm, const NormStatistics& statistics, const float* in, int c) {
  const float scaled = (in[c] - statistics.mean) * statistics.scale;
  return norm.bias == nullptr ? scaled * norm.weight[c] : fmaf(scaled, norm.weight[c], norm.bias[c]);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
