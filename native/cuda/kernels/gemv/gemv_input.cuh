// Quantises the rows of x to shared memory, where no kernel before left them quantised. Every thread block does it for itself: 8,192 columns are
// 32 KB from the L2 cache, which costs less than a kernel of its own and overlaps with the loads of the first weights.
//
// All loads are issued at once, and x stays in registers between its norm and its quantisation: each further trip to the L2 cache would take
// most of a microsecond, for every product of every layer.
#pragma once

#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

__device__ __forceinline__ int min_of(int a, int b) { return a < b ? a : b; }

/// How many vectors of four floats a thread keeps, such that 8,192 columns stay in registers; longer rows are read twice.
template <int threads>
constexpr int kept_fours = (8192 / 4 + threads - 1) / threads;

__device__ __forceinline__ const float* input_row(const GemvParams& params, int row) {
  return params.x + static_cast<std::size_t>(params.chosen == nullptr ? row : params.chosen[row]) * static_cast<std::size_t>(params.columns);
}

/// Copies rows that another kernel quantised. `threads`, here and below: the first threads of the block, which prepare the input; `meet` is their barrier.
template <int threads>
__device__ __forceinline__ void copy_input(const GemvParams& params, int bytes, std::uint8_t* planes) {
  constexpr int together = 5;  // 28,672 columns, a row
  const auto* const from = reinterpret_cast<const float*>(params.quantised);
  auto* const to = reinterpret_cast<Words<4>*>(planes);
  const int words = bytes / 16;
  LECTERN_NO_UNROLL
  for (int begin = thread_number(); begin < words; begin += together * threads) {
    Words<4> some[together];
    LECTERN_UNROLL
    for (int i = 0; i < together; ++i) some[i] = load_coherent(from + 4 * min_of(begin + i * threads, words - 1));
    LECTERN_UNROLL
    for (int i = 0; i < together; ++i) {
      if (begin + i * threads < words) to[begin + i * threads] = some[i];
    }
  }
}

/// The sum of squares of each of `width` rows, in every thread, in the order of block_sum(). sums: 32 floats for each row.
template <int width, int threads, class Meet>
__device__ __forceinline__ void sum_squares(float (&squares)[width], float* sums, Meet& meet) {
  LECTERN_UNROLL
  for (int row = 0; row < width; ++row) {
    squares[row] = warp_sum(squares[row]);
    if (thread_number() % 32 == 0) sums[32 * row + thread_number() / 32] = squares[row];
  }
  meet();
  LECTERN_UNROLL
  for (int row = 0; row < width; ++row) squares[row] = warp_sum(thread_number() % 32 < threads / 32 ? sums[32 * row + thread_number() % 32] : 0.0F);
}

__device__ __forceinline__ float add_squares(const Words<4>& four, float squares) {
  for (const std::uint32_t word : four.w) squares = fmaf(float_of_bits(word), float_of_bits(word), squares);
  return squares;
}

__device__ __forceinline__ void write_input(const GemvParams& params, const Words<4>& x, const Words<4>& weight, float scale, int i, std::uint8_t* planes) {
  const bool there = i < params.columns / 4;
  float values[4];
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) {
    values[k] = there ? float_of_bits(x.w[k]) : 0.0F;
    if (there && params.norm.weight != nullptr) values[k] = values[k] * scale * float_of_bits(weight.w[k]);
  }
  write_quantised(values, there, params.columns / 32, i / 8, planes);
}

/// Rows that do not fit into registers, one after the other: read from the L2 cache once for the norm and once for the quantisation.
template <int threads, class Meet>
__device__ __forceinline__ void read_long_input(const GemvParams& params, std::uint8_t* planes, float* sums, Meet& meet) {
  const int fours = params.columns / 4;
  LECTERN_NO_UNROLL
  for (int row = 0; row < params.rows; ++row) {
    const float* const x = input_row(params, row);
    float scale = 1.0F;
    if (params.norm.weight != nullptr) {
      float squares[1] = {0.0F};
      for (int i = thread_number(); i < fours; i += threads) squares[0] = add_squares(load_coherent(x + 4 * i), squares[0]);
      sum_squares<1, threads>(squares, sums + 32 * row, meet);
      scale = 1.0F / sqrtf(squares[0] / static_cast<float>(params.columns) + params.norm.epsilon);
    }
    // All lanes of a warp take part in every iteration, in the last one, too.
    for (int begin = 0; begin < fours; begin += threads) {
      const int i = begin + thread_number();
      const int last = min_of(i, fours - 1);
      const Words<4> weight = params.norm.weight == nullptr ? Words<4>{} : *reinterpret_cast<const Words<4>*>(params.norm.weight + 4 * last);
      write_input(params, load_coherent(x + 4 * last), weight, scale, i, planes + row * activation_row_bytes(params.columns / 32));
    }
  }
}

template <int threads>
using KeptWords = Words<4>[kept_fours<threads>];

/// Which four floats of a row a thread takes in an iteration; the last ones beyond the end.
template <int threads>
__device__ __forceinline__ int kept_four(int turn, int fours) { return min_of(turn * threads + thread_number(), fours - 1); }

/// Rows from `first` on, `count` together, kept in registers until they are quantised; the weights of their norm were loaded before. sums: 32 floats for each row.
template <int count, int threads, class Meet>
__device__ __forceinline__ void read_short_input(const GemvParams& params, int first, const KeptWords<threads>& weight, std::uint8_t* planes, float* sums, Meet& meet) {
  const int row_bytes = activation_row_bytes(params.columns / 32);
  const int fours = params.columns / 4;
  const int turns = (fours + threads - 1) / threads;
  KeptWords<threads> x[count];
  float scale[count];
  LECTERN_UNROLL
  for (int row = 0; row < count; ++row) {
    const float* const from = input_row(params, min_of(first + row, params.rows - 1));
    LECTERN_UNROLL
    for (int turn = 0; turn < kept_fours<threads>; ++turn) {
      if (turn < turns) x[row][turn] = load_coherent(from + 4 * kept_four<threads>(turn, fours));
    }
    scale[row] = 0.0F;
  }
  if (params.norm.weight != nullptr) {
    LECTERN_UNROLL
    for (int row = 0; row < count; ++row) {
      LECTERN_UNROLL
      for (int turn = 0; turn < kept_fours<threads>; ++turn) {
        if (turn * threads + thread_number() < fours) scale[row] = add_squares(x[row][turn], scale[row]);
      }
    }
    sum_squares<count, threads>(scale, sums, meet);
    LECTERN_UNROLL
    for (float& one : scale) one = 1.0F / sqrtf(one / static_cast<float>(params.columns) + params.norm.epsilon);
  }
  LECTERN_UNROLL
  for (int row = 0; row < count; ++row) {
    if (first + row >= params.rows) continue;
    LECTERN_UNROLL
    for (int turn = 0; turn < kept_fours<threads>; ++turn) {
      // All lanes of a warp take part.
      if (turn < turns) write_input(params, x[row][turn], weight[turn], scale[row], turn * threads + thread_number(), planes + (first + row) * row_bytes);
    }
  }
}

/// Called by all threads of a block, for kernels without registers to keep rows in: quantises the rows of x to `planes`. sums: 32 floats for each row.
template <int threads, class Meet>
__device__ __forceinline__ void read_input_twice(const GemvParams& params, std::uint8_t* planes, float* sums, Meet meet) {
  if (params.quantised != nullptr) copy_input<threads>(params, params.rows * activation_row_bytes(params.columns / 32), planes);
  else read_long_input<threads>(params, planes, sums, meet);
  meet();
}

/// The same for float rows with registers to keep them. `wait` returns when x may be read; before that only the weights of the norm are read.
template <int width, int threads, class Wait, class Meet>
__device__ __forceinline__ void read_floats(const GemvParams& params, std::uint8_t* planes, float* sums, const Wait& wait, Meet& meet) {
  const int fours = params.columns / 4;
  if (fours > kept_fours<threads> * threads) {
    wait();
    read_long_input<threads>(params, planes, sums, meet);
  } else {
    KeptWords<threads> weight;
    LECTERN_UNROLL
    for (int turn = 0; turn < kept_fours<threads>; ++turn) {
      if (turn * threads < fours && params.norm.weight != nullptr) weight[turn] = *reinterpret_cast<const Words<4>*>(params.norm.weight + 4 * kept_four<threads>(turn, fours));
    }
    wait();
    // More rows would need more registers than there are.
    constexpr int together = width > 2 ? 2 : width;
    LECTERN_UNROLL
    for (int row = 0; row < width; row += together) read_short_input<together, threads>(params, row, weight, planes, sums + 32 * row, meet);
  }
  meet();
}

/// The same for quantised or float rows.
template <int width, int threads, class Wait, class Meet>
__device__ __forceinline__ void read_input(const GemvParams& params, std::uint8_t* planes, float* sums, const Wait& wait, Meet meet) {
  if (params.quantised == nullptr) return read_floats<width, threads>(params, planes, sums, wait, meet);
  wait();
  copy_input<threads>(params, params.rows * activation_row_bytes(params.columns / 32), planes);
  meet();
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
