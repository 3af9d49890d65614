// Element-wise kernels between products: norms, quantisation, activations, pooling.
#pragma once

#include "backend/ops.h"
#include "cuda/kernels/common/gelu.cuh"
#include "cuda/kernels/common/norm.cuh"
#include "cuda/kernels/layout/quantise.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int row_threads = 256;

/// Grid: rows. out[r] = norm(x[chosen[r]]), chosen null: x[r]. `normed` is required; `quantised` may be null.
__global__ void normalise_rows(NormParameters norm, int columns, const float* x, const int* chosen, float* normed, QuantisedBlock* quantised) {
  LECTERN_SHARED float shared[32];
  const int row = block_x();
  const float* in = x + static_cast<std::size_t>(chosen == nullptr ? row : chosen[row]) * static_cast<std::size_t>(columns);
  float* out = normed + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  if (norm.weight == nullptr) {
    for (int c = thread_number(); c < columns; c += thread_count()) out[c] = in[c];
  } else {
    const NormStatistics row_statistics = statistics_of(norm, columns, in, shared);
    for (int c = thread_number(); c < columns; c += thread_count()) out[c] = normalised(norm, row_statistics, in, c);
  }
  if (quantised == nullptr) return;
  synchronise_block();
  quantise_row(out, columns, quantised + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns / 32));
}

/// Grid: rows. x[r] += extra.
__global__ void add_to_rows(const float* extra, int columns, float* x) {
  float* out = x + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  for (int c = thread_number(); c < columns; c += thread_count()) out[c] += extra[c];
}

/// backend/ops.h defines the activations.
__device__ __forceinline__ float activate(Activation activation, float z, float u) {
  if (activation == Activation::silu) return z / (1.0F + expf(-z)) * u;
  if (activation == Activation::gelu) return gelu(z) * u;
  if (activation == Activation::gelu_tanh) {
    // z / 2 * (1 + tanh(v)) = z / (1 + exp(-2 v))
    const float doubled = 1.5957691216057308F * z * fmaf(z * z, 0.044715F, 1.0F);
    return z / (1.0F + expf(-doubled)) * u;
  }
  // Comparisons keep a NaN, which fminf would skip.
  const float limit = swiglu_limit;
  const float bounded = z > limit ? limit : z;
  const float linear = u > limit ? limit : u < -limit ? -limit : u;
  return bounded / (1.0F + expf(-swiglu_slope * bounded)) * (linear + 1.0F);
}

/// Grid: rows. out = activation(gate, up); quantised, too, where `quantised` is not null.
__global__ void gate_rows(Activation activation, int columns, const float* gate, const float* up, float* out, QuantisedBlock* quantised) {
  const std::size_t begin = static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  for (int c = thread_number(); c < columns; c += thread_count()) out[begin + c] = activate(activation, gate[begin + c], up[begin + c]);
  if (quantised == nullptr) return;
  synchronise_block();
  quantise_row(out + begin, columns, quantised + begin / 32);
}

/// Grid: rows. x[r] *= factor.
__global__ void scale_rows(int columns, float factor, float* x) {
  float* row = x + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  for (int c = thread_number(); c < columns; c += thread_count()) row[c] *= factor;
}

/// Grid: rows. x[r] += norm(in[r]).
__global__ void add_normed_rows(NormParameters norm, int columns, const float* in, float* x) {
  LECTERN_SHARED float shared[32];
  const std::size_t begin = static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  const NormStatistics row_statistics = statistics_of(norm, columns, in + begin, shared);
  for (int c = thread_number(); c < columns; c += thread_count()) x[begin + c] += normalised(norm, row_statistics, in + begin, c);
}

/// values[i] = cap * tanh(values[i] / cap), i below count.
__global__ void cap_elements(float cap, int count, float* values) {
  for (int i = block_x() * thread_count() + thread_number(); i < count; i += thread_count() * grid_x()) values[i] = cap * tanhf(values[i] / cap);
}

/// Grid: rows. x = x / 2 * (1 + erf(x / sqrt(2))).
__global__ void gelu_rows(int columns, float* x) {
  float* row = x + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  for (int c = thread_number(); c < columns; c += thread_count()) row[c] = gelu(row[c]);
}

/// One block. out = the mean of rows first .. last.
__global__ void pool_rows(int first, int last, int columns, const float* x, float* out) {
  for (int c = thread_number(); c < columns; c += thread_count()) {
    float sum = 0.0F;
    for (int r = first; r <= last; ++r) sum += x[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) + c];
    out[c] = sum / static_cast<float>(last - first + 1);
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
