// Combines the splits of a row in the block that finishes last. A kernel of its own would cost more to
// launch.
#pragma once

#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Loads of partial results in flight.
constexpr int loads_together = 16;
constexpr int lane_splits = max_splits / 32;

/// Called by all threads of a block that has written its split, one of `count`: true in the one block that finds all splits finished. `shared`: an int of the
/// block's shared memory that is free.
__device__ __forceinline__ bool is_last_block(int* arrived, int count, int* shared) {
  synchronise_block();
  if (count == 1) return true;
  if (thread_number() == 0) {
    fence_device();
    *shared = atomic_add(arrived, 1) + 1;
    fence_device();
    if (*shared == count) *arrived = 0;
  }
  synchronise_block();
  return *shared == count;
}

/// The weight of a score relative to the largest: a power of two where scores are scaled by log2(e), else of e.
template <bool twos>
__device__ __forceinline__ float softmax_weight(float difference) {
  if constexpr (twos) return fast_exp2(difference);
  else return expf(difference);
}

/// Called by a warp, whose lanes hold four elements each of a query head from d = 4 lane + a multiple of 128 on: divides by the sum of probabilities and stores floats and,
/// where `quantised` is not null, quantised rows.
__device__ __forceinline__ void store_head(int head_size, int query_heads, int row, int head, int d, float (&sums)[4], float total, float* out, std::uint8_t* quantised) {
  const int columns = query_heads * head_size;
  Words<4> words;
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) {
    sums[k] /= total;
    words.w[k] = bits_of_float(sums[k]);
  }
  if (d < head_size) *reinterpret_cast<Words<4>*>(out + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(head * head_size + d)) = words;
  if (quantised != nullptr) {
    write_quantised(sums, d < head_size, columns / 32, (head * head_size + d) / 32, quantised + static_cast<std::size_t>(row) * static_cast<std::size_t>(activation_row_bytes(columns / 32)));
  }
}

/// Called by a warp: combines the splits of a query head of a row. `weights`: shared memory for max_splits floats. The partial sums are loaded before their
/// weights are known, so that both latencies overlap.
template <bool twos>
__device__ __forceinline__ void combine_splits(int head_size, int query_heads, int row, int head, int splits, const SplitKvPartials& partials, float* weights, float* out, std::uint8_t* quantised) {
  const int lane = thread_number() % 32;
  const std::size_t part = (static_cast<std::size_t>(row) * static_cast<std::size_t>(query_heads) + static_cast<std::size_t>(head)) * max_splits;
  float largest[lane_splits];
  float totals[lane_splits];
  LECTERN_UNROLL
  for (int i = 0; i < lane_splits; ++i) {
    const int split = lane + 32 * i;
    largest[i] = split < splits ? load_coherent_one(partials.largest + part + split) : -INFINITY;
    totals[i] = split < splits ? load_coherent_one(partials.totals + part + split) : 0.0F;
  }
  Words<4> fours[loads_together];
  const auto load = [&](int d, int first) {
    const float* from = partials.values + (part + static_cast<std::size_t>(first)) * static_cast<std::size_t>(head_size) + static_cast<std::size_t>(d);
    LECTERN_UNROLL
    for (int s = 0; s < loads_together; ++s) {
      fours[s] = Words<4>{};
      if (d < head_size && first + s < splits) fours[s] = load_coherent(from + static_cast<std::size_t>(s) * static_cast<std::size_t>(head_size));
    }
  };
  load(4 * lane, 0);

  float top = -INFINITY;
  LECTERN_UNROLL
  for (int i = 0; i < lane_splits; ++i) top = fmaxf(top, largest[i]);
  top = warp_max(top);
  float total = 0.0F;
  synchronise_warp();
  LECTERN_UNROLL
  for (int i = 0; i < lane_splits; ++i) {
    const int split = lane + 32 * i;
    const float weight = split < splits ? softmax_weight<twos>(largest[i] - top) : 0.0F;
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
    store_head(head_size, query_heads, row, head, d, values, total, out, quantised);
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
