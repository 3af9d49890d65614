// Element-wise kernels between products: norms, quantisation, activations, pooling.
#pragma once

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

/// Grid: rows. out = silu(gate) * up; quantised, too, where `quantised` is not null.
__global__ void silu_gate_rows(int columns, const float* gate, const float* up, float* out, QuantisedBlock* quantised) {
  const std::size_t begin = static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  for (int c = thread_number(); c < columns; c += thread_count()) {
    const float z = gate[begin + c];
    out[begin + c] = z / (1.0F + expf(-z)) * up[begin + c];
  }
  if (quantised == nullptr) return;
  synchronise_block();
  quantise_row(out + begin, columns, quantised + begin / 32);
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
