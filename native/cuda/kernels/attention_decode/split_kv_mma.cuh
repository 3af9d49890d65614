// Split-KV attention of decode rows by the tensor cores: positions are split over thread blocks, and the heads that share keys and values are the rows of the A operand.
//
// The cache is read once, at nearly the bandwidth of the memory; everything else has to be short or overlapped. A block has four independent warps: each
// takes every fourth tile of 16 positions and has a ring buffer of such tiles in shared memory, keys and values alternating, which it fills by cp.async one stage
// behind its products: for heads of 128 f16 elements 17 KB per warp are in flight, 70 KB per block. A tile of f16 takes 16 copies, 16 ldmatrix, 32
// mma.sync and some 380 other instructions per warp, where 4.5 TB/s over 132 multiprocessors leave 1,750 clocks.
//
// mma.sync has 16 rows and a block has eight heads: a query is two f16, the rounded value and 2,048 times its rounding error, in rows g and g + 8, and so is a probability. So
// keys and values are multiplied by 22 bits of each at no extra cost, and the result is as exact as with floats. An int8 cache is multiplied without its scales
// (as f16 b / 128, which is exact), and the scales are applied to sums of scores, and to probabilities.
//
// The splits of a row depend on the number of its visible positions and on the number of heads, so neither other rows nor the GPU change a bit.
#pragma once

#include "cuda/kernels/attention_decode/head_tile.cuh"
#include "cuda/kernels/attention_decode/head_tile_int8.cuh"
#include "cuda/kernels/attention_decode/split_kv_reduction.cuh"
#include "cuda/kernels/attention_decode/kv_ring.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The parameters of a launch.
struct SplitKvParams {
  Cache cache;
  int query_heads;
  int layer;
  const int* slots;  // of the batch's rows
  const int* first;
  const int* visible;
  int first_row;   // of the batch
  const float* q;  // (rows, query_heads, head_size), and so out
  SplitKvPartials partials;
  float* out;
  std::uint8_t* quantised;  // out once more as bytes (head_size a multiple of 32), or null
};

/// A pass adds at most so many positions to the end of a row; earlier positions were written before the pass began.
constexpr int newest_positions = 32;

/// Called by all split_mma_threads of a block, before the previous kernels are done: one split of a row for at most eight heads. `unit`: KV head times head_tiles() + head tile. width:
/// the head size, or a larger one where not `exact`.
template <class Element, int width, bool exact>
__device__ __forceinline__ void split_kv_mma_part(const SplitKvParams& params, int unit, int split, int row, std::uint8_t* shared) {
  const Cache& cache = params.cache;
  const int batch_row = params.first_row + row;
  const int first = params.first[batch_row];
  const int seen = params.visible[batch_row] - first;
  const int slot = params.slots[batch_row];
  const int size = exact ? width : cache.head_size;
  const int group = params.query_heads / cache.heads;
  const int tiles = head_tiles(group);
  const int length = split_mma_length(seen, splits_for(cache.heads * tiles));
  const int begin = split * length;
  if (begin >= seen) return wait_for_previous_kernels();
  const int count = seen - begin < length ? seen - begin : length;

  const int kv_head = unit / tiles;
  const int first_head = kv_head * group + unit % tiles * tile_heads;
  const int heads = group - unit % tiles * tile_heads < tile_heads ? group - unit % tiles * tile_heads : tile_heads;
  const int warp = thread_number() / 32;
  const int lane = thread_number() % 32;
  std::uint8_t* const own = shared + warp * kv_ring_bytes<Element>(size);
  float* const largest = reinterpret_cast<float*>(shared + split_mma_warps * kv_ring_bytes<Element>(size));  // (warps, heads)
  float* const totals = largest + split_mma_warps * tile_heads;                                           // (warps, heads)
  float* const weights = totals + split_mma_warps * tile_heads;                                           // (warps, max_splits)

  if (warp * split_kv_tile < count) {
    KvRing<Element, width> ring(own, cache, cache.at(params.layer, slot, 0, first + begin, kv_head), cache.at(params.layer, slot, 1, first + begin, kv_head), count, warp);
    // What the previous kernel does not write is loaded while that ends.
    if (begin + warp * split_kv_tile + ring.positions_at_first() > seen - newest_positions) wait_for_previous_kernels();
    ring.begin(size);
    wait_for_previous_kernels();
    HeadTile<Element, width> tile;
    const int g = lane / 4;
    const std::size_t query = (static_cast<std::size_t>(row) * static_cast<std::size_t>(params.query_heads) + static_cast<std::size_t>(first_head + g)) * static_cast<std::size_t>(size);
    load_queries(tile, g < heads ? params.q + query : nullptr, size);
    tile.begin();
    LECTERN_NO_UNROLL
    for (int at = warp * split_kv_tile; at < count; at += split_mma_warps * split_kv_tile) {
      float probabilities[4];
      score_tile(tile, ring.next(0, size), size, probabilities);
      tile.share(probabilities, count - at);
      add_values(tile, ring.next(1, size), size, probabilities);
    }
    tile.end();
    // All loads were waited for, but other lanes may still read them.
    synchronise_warp();
    store_sums(tile, size, reinterpret_cast<float*>(own) + g * sums_pitch(size));
    if (lane % 4 == 0) {
      largest[warp * tile_heads + g] = tile.largest;
      totals[warp * tile_heads + g] = tile.total;
    }
  } else {
    wait_for_previous_kernels();
  }
  synchronise_block();

  const int splits = (seen + length - 1) / length;
  for (int h = warp; h < heads; h += split_mma_warps) {
    float top = -INFINITY;
    float total = 0.0F;
    float sums[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    // Warps without a tile have stored nothing.
    LECTERN_UNROLL
    for (int w = 0; w < split_mma_warps; ++w) top = fmaxf(top, w * split_kv_tile < count ? largest[w * tile_heads + h] : -INFINITY);
    const int d = 4 * lane;
    LECTERN_UNROLL
    for (int w = 0; w < split_mma_warps; ++w) {
      if (w * split_kv_tile >= count) continue;
      const float weight = fast_exp2(largest[w * tile_heads + h] - top);
      total = fmaf(weight, totals[w * tile_heads + h], total);
      if (d >= size) continue;
      const auto four = *reinterpret_cast<const Words<4>*>(shared + w * kv_ring_bytes<Element>(size) + sizeof(float) * static_cast<std::size_t>(h * sums_pitch(size) + d));
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) sums[k] = fmaf(weight, float_of_bits(four.w[k]), sums[k]);
    }
    if (splits == 1) {
      store_head(size, params.query_heads, row, first_head + h, d, sums, total, params.out, params.quantised);
      continue;
    }
    const std::size_t part = (static_cast<std::size_t>(row) * static_cast<std::size_t>(params.query_heads) + static_cast<std::size_t>(first_head + h)) * max_splits + static_cast<std::size_t>(split);
    if (d < size) {
      const Words<4> four{{bits_of_float(sums[0]), bits_of_float(sums[1]), bits_of_float(sums[2]), bits_of_float(sums[3])}};
      *reinterpret_cast<Words<4>*>(params.partials.values + part * static_cast<std::size_t>(size) + static_cast<std::size_t>(d)) = four;
    }
    if (lane == 0) {
      params.partials.largest[part] = top;
      params.partials.totals[part] = total;
    }
  }
  if (splits == 1) return;
  if (!is_last_block(params.partials.arrived + row * cache.heads * tiles + unit, splits, reinterpret_cast<int*>(largest))) return;
  for (int h = warp; h < heads; h += split_mma_warps) {
    combine_splits<true>(size, params.query_heads, row, first_head + h, splits, params.partials, weights + warp * max_splits, params.out, params.quantised);
  }
}

/// Grid: KV heads times their head tiles, by splits_for() them, by rows. Splits without positions write nothing.
template <class Element, int width, bool exact>
__global__ void LECTERN_LAUNCH_BOUNDS(split_mma_threads, 2) split_kv_mma_attention(SplitKvParams params) {
  allow_dependent_launch();
  split_kv_mma_part<Element, width, exact>(params, block_x(), block_y(), block_z(), dynamic_shared());
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
