// What is done to rows between products: look-up, norms, quantisation, activations, pooling.
#pragma once

#include "cuda/kernels/planes.cuh"
#include "cuda/kernels/quantise.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int row_threads = 256;

/// A norm's parameters on the device; weight null: none.
struct NormParameters {
  const float* weight;
  const float* bias;
  float epsilon;
};

/// What a norm takes off a row and multiplies it by.
struct NormStatistics {
  float mean;
  float scale;
};

/// Of a row of `columns` floats, by a whole block: LayerNorm's where there is a bias, else RMSNorm's (mean 0). `shared` holds 32 floats.
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

/// Grid: rows. out[r] = norm(x[chosen[r]]), chosen null: x[r]. `normed` must be there; `quantised` may be null.
__global__ void normalise_rows(NormParameters norm, int columns, const float* x, const int* chosen, float* normed, QuantisedBlock* quantised) {
  LECTERN_SHARED float shared[32];
  const int row = block_x();
  const float* in = x + static_cast<std::size_t>(chosen == nullptr ? row : chosen[row]) * static_cast<std::size_t>(columns);
  float* out = normed + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  if (norm.weight == nullptr) {
    for (int c = thread_number(); c < columns; c += thread_count()) out[c] = in[c];
  } else {
    const NormStatistics row_statistics = statistics_of(norm, columns, in, shared);
    for (int c = thread_number(); c < columns; c += thread_count()) {
      const float value = (in[c] - row_statistics.mean) * row_statistics.scale * norm.weight[c];
      out[c] = norm.bias == nullptr ? value : value + norm.bias[c];
    }
  }
  if (quantised == nullptr) return;
  synchronise_block();
  quantise_row(out, columns, quantised + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns / 32));
}

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
    for (int stretch = thread_number(); stretch < columns / 32; stretch += thread_count()) {
      const WeightBlock block = weight_block<type>(row, columns / 32, stretch);
      for (int i = 0; i < 32; ++i) {
        const auto q = static_cast<std::int8_t>(static_cast<std::uint32_t>(block.q[i / 4]) >> (8 * (i % 4)));
        put(32 * stretch + i, fmaf(block.factor[i / 16], static_cast<float>(q), block.offset[i / 16]));
      }
    }
  } else {
    for (int c = thread_number(); c < columns; c += thread_count()) put(c, weight_float<type>(row, c));
  }
}

/// Grid: rows. x[r] += extra.
__global__ void add_to_rows(const float* extra, int columns, float* x) {
  float* out = x + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(columns);
  for (int c = thread_number(); c < columns; c += thread_count()) out[c] += extra[c];
}

/// Grid: rows. out = silu(gate) * up; quantised too where asked.
__global__ void gate_rows(int columns, const float* gate, const float* up, float* out, QuantisedBlock* quantised) {
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
  for (int c = thread_number(); c < columns; c += thread_count()) row[c] = 0.5F * row[c] * (1.0F + erff(row[c] * 0.70710678F));
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
