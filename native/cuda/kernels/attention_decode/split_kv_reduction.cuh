// The parts of a row whose positions are split over blocks: the block that comes last puts them together. A kernel for that alone would cost more to
// begin than it does.
#pragma once

#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Of the parts of a row, on their way at a time.
constexpr int loads_together = 16;
constexpr int lane_parts = most_splits / 32;

/// By all threads of a block that has written its part of `count`: whether all are there now, of which one block finds that they are. `shared`: a number of the
/// block's memory that nobody needs any more.
__device__ __forceinline__ bool comes_last(int* arrived, int count, int* shared) {
  synchronise_block();
  if (count == 1) return true;
  if (thread_number() == 0) {
    order_memory();
    *shared = atomic_add(arrived, 1) + 1;
    order_memory();
    if (*shared == count) *arrived = 0;
  }
  synchronise_block();
  return *shared == count;
}

/// What a share is of a score less the largest: a power of two where scores are in such, else of e.
template <bool twos>
__device__ __forceinline__ float share_of(float difference) {
  if constexpr (twos) return fast_exp2(difference);
  else return expf(difference);
}

/// By a warp, whose lanes hold four elements each of a query head from d = 4 lane + a multiple of 128 on: sums over the shares become what attention leaves, floats and,
/// where `quantised` is not null, bytes.
__device__ __forceinline__ void finish_head(int head_size, int query_heads, int row, int head, int d, float (&sums)[4], float total, float* out, std::uint8_t* quantised) {
  const int columns = query_heads * head_size;
  Words<4> words;
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) {
    sums[k] /= total;
    words.w[k] = bits_of_float(sums[k]);
  }
  if (d < head_size) *reinterpret_cast<Words<4>*>(out + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(head * head_size + d)) = words;
  if (quantised != nullptr) {
    write_activations(sums, d < head_size, columns / 32, (head * head_size + d) / 32, quantised + static_cast<std::size_t>(row) * static_cast<std::size_t>(activation_row_bytes(columns / 32)));
  }
}

/// By a warp: the parts of a query head of a row, put together. `weights`: shared memory for most_splits floats. What the parts' sums are is asked for before their
/// weights are known: the one waits for the other's way only once.
template <bool twos>
__device__ __forceinline__ void combine_parts(int head_size, int query_heads, int row, int head, int splits, const SplitParts& parts, float* weights, float* out, std::uint8_t* quantised) {
  const int lane = thread_number() % 32;
  const std::size_t part = (static_cast<std::size_t>(row) * static_cast<std::size_t>(query_heads) + static_cast<std::size_t>(head)) * most_splits;
  float largest[lane_parts];
  float totals[lane_parts];
  LECTERN_UNROLL
  for (int i = 0; i < lane_parts; ++i) {
    const int split = lane + 32 * i;
    largest[i] = split < splits ? load_one_of_others(parts.largest + part + split) : -INFINITY;
    totals[i] = split < splits ? load_one_of_others(parts.totals + part + split) : 0.0F;
  }
  Words<4> fours[loads_together];
  const auto load = [&](int d, int first) {
    const float* from = parts.values + (part + static_cast<std::size_t>(first)) * static_cast<std::size_t>(head_size) + static_cast<std::size_t>(d);
    LECTERN_UNROLL
    for (int s = 0; s < loads_together; ++s) {
      fours[s] = Words<4>{};
      if (d < head_size && first + s < splits) fours[s] = load_of_others(from + static_cast<std::size_t>(s) * static_cast<std::size_t>(head_size));
    }
  };
  load(4 * lane, 0);

  float top = -INFINITY;
  LECTERN_UNROLL
  for (int i = 0; i < lane_parts; ++i) top = fmaxf(top, largest[i]);
  top = warp_max(top);
  float total = 0.0F;
  synchronise_warp();
  LECTERN_UNROLL
  for (int i = 0; i < lane_parts; ++i) {
    const int split = lane + 32 * i;
    const float weight = split < splits ? share_of<twos>(largest[i] - top) : 0.0F;
    if (split < splits) total = fmaf(weight, totals[i], total);
    weights[split] = weight;
  }
  total = warp_sum(total);
  synchronise_warp();
  for (int begin = 0; begin < head_size; begin += 128) {
    const int d = begin + 4 * lane;
    float values[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    for (int first = 0; first < splits; first += loads_together) {
      if (begin + first > 0) load(d, first);
      LECTERN_UNROLL
      for (int s = 0; s < loads_together; ++s) {
        const float weight = weights[first + s];
        LECTERN_UNROLL
        for (int k = 0; k < 4; ++k) values[k] = fmaf(weight, float_of_bits(fours[s].w[k]), values[k]);
      }
    }
    finish_head(head_size, query_heads, row, head, d, values, total, out, quantised);
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
