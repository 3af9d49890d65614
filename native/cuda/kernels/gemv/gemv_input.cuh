// The rows of x that products of answers take, as bytes in shared memory, where no kernel before left them so. Every block makes them for itself: 8,192 columns
// are 32 KB from the second-level cache, which costs less than a kernel of its own and runs while the first weights are on their way.
//
// All that is read is asked for at once, and x stays in registers between its norm and its bytes: each further trip to the second-level cache
// would be most of a microsecond, for every product of every layer.
#pragma once

#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

__device__ __forceinline__ int min_of(int a, int b) { return a < b ? a : b; }

/// Four floats at a time, as many of a thread as let 8,192 columns stay in registers; longer rows are read twice.
template <int threads>
constexpr int kept_fours = (8192 / 4 + threads - 1) / threads;

__device__ __forceinline__ const float* input_row(const DecodeWork& work, int row) {
  return work.x + static_cast<std::size_t>(work.chosen == nullptr ? row : work.chosen[row]) * static_cast<std::size_t>(work.columns);
}

/// Bytes that another kernel left. `threads`, here and below: the block's first ones, which make the input; `meet` is their barrier.
template <int threads>
__device__ __forceinline__ void copy_input(const DecodeWork& work, int bytes, std::uint8_t* planes) {
  constexpr int together = 5;  // 28,672 columns, a row
  const auto* const from = reinterpret_cast<const float*>(work.quantised);
  auto* const to = reinterpret_cast<Words<4>*>(planes);
  const int words = bytes / 16;
  LECTERN_NO_UNROLL
  for (int begin = thread_number(); begin < words; begin += together * threads) {
    Words<4> some[together];
    LECTERN_UNROLL
    for (int i = 0; i < together; ++i) some[i] = load_of_others(from + 4 * min_of(begin + i * threads, words - 1));
    LECTERN_UNROLL
    for (int i = 0; i < together; ++i) {
      if (begin + i * threads < words) to[begin + i * threads] = some[i];
    }
  }
}

/// The sum of squares of each of `width` rows, into every thread. The order is that of block_sum(). sums: 32 floats for each.
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

__device__ __forceinline__ void write_input(const DecodeWork& work, const Words<4>& x, const Words<4>& weight, float scale, int i, std::uint8_t* planes) {
  const bool there = i < work.columns / 4;
  float values[4];
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) {
    values[k] = there ? float_of_bits(x.w[k]) : 0.0F;
    if (there && work.norm.weight != nullptr) values[k] = values[k] * scale * float_of_bits(weight.w[k]);
  }
  write_activations(values, there, work.columns / 32, i / 8, planes);
}

/// Rows that registers do not hold, one after the other, from the second-level cache once for the norm and once for the bytes.
template <int threads, class Meet>
__device__ __forceinline__ void read_long_input(const DecodeWork& work, std::uint8_t* planes, float* sums, Meet& meet) {
  const int fours = work.columns / 4;
  LECTERN_NO_UNROLL
  for (int row = 0; row < work.rows; ++row) {
    const float* const x = input_row(work, row);
    float scale = 1.0F;
    if (work.norm.weight != nullptr) {
      float squares[1] = {0.0F};
      for (int i = thread_number(); i < fours; i += threads) squares[0] = add_squares(load_of_others(x + 4 * i), squares[0]);
      sum_squares<1, threads>(squares, sums + 32 * row, meet);
      scale = 1.0F / sqrtf(squares[0] / static_cast<float>(work.columns) + work.norm.epsilon);
    }
    // All lanes of a warp take part in every turn, also in the last.
    for (int begin = 0; begin < fours; begin += threads) {
      const int i = begin + thread_number();
      const int last = min_of(i, fours - 1);
      const Words<4> weight = work.norm.weight == nullptr ? Words<4>{} : *reinterpret_cast<const Words<4>*>(work.norm.weight + 4 * last);
      write_input(work, load_of_others(x + 4 * last), weight, scale, i, planes + row * activation_row_bytes(work.columns / 32));
    }
  }
}

template <int threads>
using KeptWords = Words<4>[kept_fours<threads>];

/// Which four floats of a row a thread takes in a turn: beyond the end the last.
template <int threads>
__device__ __forceinline__ int kept_four(int turn, int fours) { return min_of(turn * threads + thread_number(), fours - 1); }

/// Rows from `first` on, `count` at a time, in registers until they are bytes; their norm's weights were read before. sums: 32 floats for each.
template <int count, int threads, class Meet>
__device__ __forceinline__ void read_short_input(const DecodeWork& work, int first, const KeptWords<threads>& weight, std::uint8_t* planes, float* sums, Meet& meet) {
  const int row_bytes = activation_row_bytes(work.columns / 32);
  const int fours = work.columns / 4;
  const int turns = (fours + threads - 1) / threads;
  KeptWords<threads> x[count];
  float scale[count];
  LECTERN_UNROLL
  for (int row = 0; row < count; ++row) {
    const float* const from = input_row(work, min_of(first + row, work.rows - 1));
    LECTERN_UNROLL
    for (int turn = 0; turn < kept_fours<threads>; ++turn) {
      if (turn < turns) x[row][turn] = load_of_others(from + 4 * kept_four<threads>(turn, fours));
    }
    scale[row] = 0.0F;
  }
  if (work.norm.weight != nullptr) {
    LECTERN_UNROLL
    for (int row = 0; row < count; ++row) {
      LECTERN_UNROLL
      for (int turn = 0; turn < kept_fours<threads>; ++turn) {
        if (turn * threads + thread_number() < fours) scale[row] = add_squares(x[row][turn], scale[row]);
      }
    }
    sum_squares<count, threads>(scale, sums, meet);
    LECTERN_UNROLL
    for (float& one : scale) one = 1.0F / sqrtf(one / static_cast<float>(work.columns) + work.norm.epsilon);
  }
  LECTERN_UNROLL
  for (int row = 0; row < count; ++row) {
    if (first + row >= work.rows) continue;
    LECTERN_UNROLL
    for (int turn = 0; turn < kept_fours<threads>; ++turn) {
      // All lanes of a warp take part.
      if (turn < turns) write_input(work, x[row][turn], weight[turn], scale[row], turn * threads + thread_number(), planes + (first + row) * row_bytes);
    }
  }
}

/// By all threads of a block: into `planes` the rows of x, by a kernel that has no registers for them. sums: 32 floats for each row.
template <int threads, class Meet>
__device__ __forceinline__ void read_input_twice(const DecodeWork& work, std::uint8_t* planes, float* sums, Meet meet) {
  if (work.quantised != nullptr) copy_input<threads>(work, work.rows * activation_row_bytes(work.columns / 32), planes);
  else read_long_input<threads>(work, planes, sums, meet);
  meet();
}

/// The same of floats where there are registers. `wait` returns when they are there; until then only weights of the norm are read.
template <int width, int threads, class Wait, class Meet>
__device__ __forceinline__ void read_floats(const DecodeWork& work, std::uint8_t* planes, float* sums, const Wait& wait, Meet& meet) {
  const int fours = work.columns / 4;
  if (fours > kept_fours<threads> * threads) {
    wait();
    read_long_input<threads>(work, planes, sums, meet);
  } else {
    KeptWords<threads> weight;
    LECTERN_UNROLL
    for (int turn = 0; turn < kept_fours<threads>; ++turn) {
      if (turn * threads < fours && work.norm.weight != nullptr) weight[turn] = *reinterpret_cast<const Words<4>*>(work.norm.weight + 4 * kept_four<threads>(turn, fours));
    }
    wait();
    // More would take more registers than there are.
    constexpr int together = width > 2 ? 2 : width;
    LECTERN_UNROLL
    for (int row = 0; row < width; row += together) read_short_input<together, threads>(work, row, weight, planes, sums + 32 * row, meet);
  }
  meet();
}

/// The same of what there is.
template <int width, int threads, class Wait, class Meet>
__device__ __forceinline__ void read_input(const DecodeWork& work, std::uint8_t* planes, float* sums, const Wait& wait, Meet meet) {
  if (work.quantised == nullptr) return read_floats<width, threads>(work, planes, sums, wait, meet);
  wait();
  copy_input<threads>(work, work.rows * activation_row_bytes(work.columns / 32), planes);
  meet();
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
