// Packs rows for the tensor cores, with an optional norm.
#pragma once

#include "cuda/kernels/common/norm.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int pack_warp_rows = 8;  // rows of a block whose warps have a row each
constexpr int most_pack_threads = 1024;
constexpr int pack_fours = 8;  // a thread keeps so many vectors of four columns
/// Columns that so many threads keep.
__host__ __device__ constexpr int packed_by(int threads) { return 4 * threads * pack_fours; }

/// The sum over the threads of a row: a warp or a block.
template <int threads>
__device__ __forceinline__ float row_sum(float value, float* shared) {
  return threads == 32 ? warp_sum(value) : block_sum(value, shared);
}

/// Grid: rows, pack_warp_rows per block where `threads` is 32. out[r] = norm(x[r]), read once. `halves`: f16 with a scale and a size, else bf16. `normed`:
/// where norm(x[r]) goes as floats, may be x or null. out.values may be null: only `normed` is written then. columns: at most packed_by(threads). With most_pack_threads there
/// are no registers for a norm, and there must be none.
template <bool halves, int threads>
__global__ LECTERN_LAUNCH_BOUNDS((threads == 32 ? 32 * pack_warp_rows : threads), 1) void pack_rows(NormParameters norm, int rows, int columns, const float* x, PackedRows out, float* normed) {
  LECTERN_SHARED float shared[32];
  const int row = threads == 32 ? block_x() * pack_warp_rows + thread_number() / 32 : block_x();
  if (row >= rows) return;
  const int lane = thread_number() % threads;
  const bool in_fours = columns % 4 == 0;
  const float* const in = x + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  const auto first_of = [&](int i) { return 4 * (i * threads + lane); };
  // Four columns of a row or of the parameters of a norm, zeros beyond the columns.
  const auto load = [&](const float* from, int first, float (&four)[4]) {
    if (in_fours && first < columns) {
      const Words<4> words = *reinterpret_cast<const Words<4>*>(from + first);
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) four[k] = float_of_bits(words.w[k]);
      return;
    }
    LECTERN_UNROLL
    for (int k = 0; k < 4; ++k) four[k] = first + k < columns ? from[first + k] : 0.0F;
  };
  float values[pack_fours][4];
  LECTERN_UNROLL
  for (int i = 0; i < pack_fours; ++i) load(in, first_of(i), values[i]);

  if (threads < most_pack_threads && norm.weight != nullptr) {
    float mean = 0.0F;
    if (norm.bias != nullptr) {
      float sum = 0.0F;
      LECTERN_UNROLL
      for (const auto& four : values) sum += four[0] + four[1] + (four[2] + four[3]);
      mean = row_sum<threads>(sum, shared) / static_cast<float>(columns);
    }
    float squares = 0.0F;
    LECTERN_UNROLL
    for (int i = 0; i < pack_fours; ++i) {
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) {
        const float beside = first_of(i) + k < columns ? values[i][k] - mean : 0.0F;
        squares = fmaf(beside, beside, squares);
      }
    }
    const float scale = 1.0F / sqrtf(row_sum<threads>(squares, shared) / static_cast<float>(columns) + norm.epsilon);
    LECTERN_UNROLL
    for (int i = 0; i < pack_fours; ++i) {
      float weight[4];
      float bias[4] = {0.0F, 0.0F, 0.0F, 0.0F};
      load(norm.weight, first_of(i), weight);
      if (norm.bias != nullptr) load(norm.bias, first_of(i), bias);
      // Beyond the columns weight and bias are zeros.
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) values[i][k] = fmaf((values[i][k] - mean) * scale, weight[k], bias[k]);
    }
  }

  float grow = 1.0F;
  if constexpr (halves) {
    // The largest value lands between 2^14 and 2^15: no f16 overflows, and the error is at most 2^-29 of it.
    float largest = 0.0F;
    float probe = 0.0F;  // a NaN must reach the result: fmaxf skips it
    float size = 0.0F;
    LECTERN_UNROLL
    for (const auto& four : values) {
      LECTERN_UNROLL
      for (const float value : four) {
        largest = fmaxf(largest, fabsf(value));
        probe += value * 0.0F;
        size += fabsf(value);
      }
    }
    largest = threads == 32 ? warp_max(largest) : block_max(largest, shared);
    probe = row_sum<threads>(probe, shared);
    size = row_sum<threads>(size, shared);
    int exponent = static_cast<int>(bits_of_float(largest) >> 23) - 127;
    if (largest == 0.0F) exponent = 14;
    if (exponent < -100) exponent = -100;
    grow = float_of_bits(static_cast<Word>(127 + 14 - exponent) << 23);
    if (lane == 0) {
      out.scales[row] = float_of_bits(static_cast<Word>(127 - 14 + exponent) << 23) + probe;
      out.sizes[row] = size;
    }
  }

  auto* const to = out.values + static_cast<std::size_t>(row) * static_cast<std::size_t>(out.stride);
  float* const floats = normed == nullptr ? nullptr : normed + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  LECTERN_UNROLL
  for (int i = 0; i < pack_fours; ++i) {
    const int first = first_of(i);
    const float(&four)[4] = values[i];
    if (out.values != nullptr && first < out.stride) {
      Words<2> packed;
      packed.w[0] = halves ? pack_f16(four[0] * grow, four[1] * grow) : pack_bf16(four[0], four[1]);
      packed.w[1] = halves ? pack_f16(four[2] * grow, four[3] * grow) : pack_bf16(four[2], four[3]);
      *reinterpret_cast<Words<2>*>(to + first) = packed;
    }
    if (floats == nullptr || first >= columns) continue;
    if (in_fours) {
      *reinterpret_cast<Words<4>*>(floats + first) = {{bits_of_float(four[0]), bits_of_float(four[1]), bits_of_float(four[2]), bits_of_float(four[3])}};
    } else {
      for (int k = 0; k < 4 && first + k < columns; ++k) floats[first + k] = four[k];
    }
  }
}

/// For longer rows, which are read several times. Grid: rows.
template <bool halves>
__global__ void pack_long_rows(NormParameters norm, int columns, const float* x, PackedRows out, float* normed) {
  LECTERN_SHARED float shared[32];
  const int row = block_x();
  const float* in = x + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  auto* to = reinterpret_cast<Word*>(out.values + static_cast<std::size_t>(row) * static_cast<std::size_t>(out.stride));
  const NormStatistics statistics = norm.weight == nullptr ? NormStatistics{0.0F, 1.0F} : statistics_of(norm, columns, in, shared);
  const auto value = [&](int c) {
    if (c >= columns) return 0.0F;
    return norm.weight == nullptr ? in[c] : normalised(norm, statistics, in, c);
  };
  float grow = 1.0F;
  if constexpr (halves) {
    // The largest value lands between 2^14 and 2^15: no f16 overflows, and the error is at most 2^-29 of it.
    float largest = 0.0F;
    float probe = 0.0F;  // a NaN must reach the result: fmaxf skips it
    float size = 0.0F;
    for (int c = thread_number(); c < columns; c += thread_count()) {
      largest = fmaxf(largest, fabsf(value(c)));
      probe += value(c) * 0.0F;
      size += fabsf(value(c));
    }
    largest = block_max(largest, shared);
    probe = block_sum(probe, shared);
    size = block_sum(size, shared);
    int exponent = static_cast<int>(bits_of_float(largest) >> 23) - 127;
    if (largest == 0.0F) exponent = 14;
    if (exponent < -100) exponent = -100;
    grow = float_of_bits(static_cast<Word>(127 + 14 - exponent) << 23);
    if (thread_number() == 0) {
      out.scales[row] = float_of_bits(static_cast<Word>(127 - 14 + exponent) << 23) + probe;
      out.sizes[row] = size;
    }
  }
  // `normed` may be x: all threads have read the columns of others by now.
  synchronise_block();
  float* const floats = normed == nullptr ? nullptr : normed + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  for (int c = 2 * thread_number(); c < out.stride; c += 2 * thread_count()) {
    const float first = value(c);
    const float second = value(c + 1);
    if (out.values != nullptr) to[c / 2] = halves ? pack_f16(first * grow, second * grow) : pack_bf16(first, second);
    if (floats == nullptr) continue;
    if (c < columns) floats[c] = first;
    if (c + 1 < columns) floats[c + 1] = second;
  }
}

template <bool halves>
void launch_pack_rows_as(Stream stream, int rows, const NormParameters& norm, int columns, const float* x, const PackedRows& out, float* normed) {
  // The length of a row and its norm decide about the kernel: a row's bits do not depend on other rows.
  if (out.stride <= packed_by(32)) return launch(stream, pack_rows<halves, 32>, Grid{(rows + pack_warp_rows - 1) / pack_warp_rows}, 32 * pack_warp_rows, norm, rows, columns, x, out, normed);
  if (out.stride <= packed_by(256)) return launch(stream, pack_rows<halves, 256>, Grid{rows}, 256, norm, rows, columns, x, out, normed);
  if (out.stride <= packed_by(most_pack_threads) && norm.weight == nullptr) return launch(stream, pack_rows<halves, most_pack_threads>, Grid{rows}, most_pack_threads, norm, rows, columns, x, out, normed);
  launch(stream, pack_long_rows<halves>, Grid{rows}, 256, norm, columns, x, out, normed);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
