// Attention of single rows over a long cache by the tensor cores: the positions are split over blocks, the heads that share keys and values are the rows of a product.
//
// A cache goes by once, at the memory's rate or nearly so; all else is to be short or beside it. A block has four warps that share nothing until their end: each
// takes tiles of 16 positions by turns and has a ring of such tiles in shared memory, keys and values by turns, which it fills by copies beside its work, one slot
// behind: with heads of 128 halves 17 KB a warp are under way while it works, 70 KB a block. Per tile of halves and warp 16 copies, 16 loads of matrices, 32
// products and some 380 other instructions are issued, where 4.5 TB/s over 132 multiprocessors leave 1,750 clocks.
//
// A product has 16 rows and eight heads are eight of them: a query is two halves, the nearest one and 2,048 times what that leaves, in rows g and g + 8, and so is a share. So
// keys and values meet 22 bits of each at no cost, and what a row becomes is as exact as by floats. Of a cache of bytes the products take the bytes as they are
// (as halves b / 128, which is exact) and scales are multiplied to sums of scores, and to shares.
//
// Where a row is split depends on how many positions it sees and on how many heads there are, so neither other rows nor the chip change a bit.
#pragma once

#include "cuda/kernels/attention_decode/head_tile.cuh"
#include "cuda/kernels/attention_decode/head_tile_int8.cuh"
#include "cuda/kernels/attention_decode/split_kv_reduction.cuh"
#include "cuda/kernels/attention_decode/kv_ring.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// What attend_unit() is asked for; of a launch.
struct SplitWork {
  Cache cache;
  int query_heads;
  int layer;
  const int* slots;  // of the batch's rows
  const int* first;
  const int* visible;
  int first_row;   // of the batch
  const float* q;  // (rows, query_heads, head_size), and so out
  SplitParts parts;
  float* out;
  std::uint8_t* quantised;  // out once more as bytes (head_size a multiple of 32), or null
};

/// What a pass adds to a row's end at most: what lies before was there before the pass began.
constexpr int newest_positions = 32;

/// By all tiles_threads of a block, before the kernels before are done: one part of a row for eight heads or fewer. `unit`: KV head times head_tiles() + tile of heads. width:
/// the head size, or where that is not `exact` more.
template <class Element, int width, bool exact>
__device__ __forceinline__ void attend_unit(const SplitWork& work, int unit, int split, int row, std::uint8_t* shared) {
  const Cache& cache = work.cache;
  const int batch_row = work.first_row + row;
  const int first = work.first[batch_row];
  const int seen = work.visible[batch_row] - first;
  const int slot = work.slots[batch_row];
  const int size = exact ? width : cache.head_size;
  const int group = work.query_heads / cache.heads;
  const int tiles = head_tiles(group);
  const int length = tiles_length(seen, parts_of(cache.heads * tiles));
  const int begin = split * length;
  if (begin >= seen) return wait_for_kernels_before();
  const int count = seen - begin < length ? seen - begin : length;

  const int kv_head = unit / tiles;
  const int first_head = kv_head * group + unit % tiles * tile_heads;
  const int heads = group - unit % tiles * tile_heads < tile_heads ? group - unit % tiles * tile_heads : tile_heads;
  const int warp = thread_number() / 32;
  const int lane = thread_number() % 32;
  std::uint8_t* const own = shared + warp * ring_bytes<Element>(size);
  float* const largest = reinterpret_cast<float*>(shared + tiles_warps * ring_bytes<Element>(size));  // (warps, heads)
  float* const totals = largest + tiles_warps * tile_heads;                                           // (warps, heads)
  float* const weights = totals + tiles_warps * tile_heads;                                           // (warps, most_splits)

  if (warp * split_tile < count) {
    TileRing<Element, width> ring(own, cache, cache.at(work.layer, slot, 0, first + begin, kv_head), cache.at(work.layer, slot, 1, first + begin, kv_head), count, warp);
    // What the kernel before does not write is asked for while it ends.
    if (begin + warp * split_tile + ring.positions_at_first() > seen - newest_positions) wait_for_kernels_before();
    ring.begin(size);
    wait_for_kernels_before();
    HeadTile<Element, width> tile;
    const int g = lane / 4;
    const std::size_t query = (static_cast<std::size_t>(row) * static_cast<std::size_t>(work.query_heads) + static_cast<std::size_t>(first_head + g)) * static_cast<std::size_t>(size);
    take_queries(tile, g < heads ? work.q + query : nullptr, size);
    tile.begin();
    LECTERN_NO_UNROLL
    for (int at = warp * split_tile; at < count; at += tiles_warps * split_tile) {
      float shares[4];
      score_tile(tile, ring.next(0, size), size, shares);
      tile.share(shares, count - at);
      add_values(tile, ring.next(1, size), size, shares);
    }
    tile.end();
    // All that was asked for was waited for, but other lanes may still read it.
    synchronise_warp();
    leave_sums(tile, size, reinterpret_cast<float*>(own) + g * sums_pitch(size));
    if (lane % 4 == 0) {
      largest[warp * tile_heads + g] = tile.largest;
      totals[warp * tile_heads + g] = tile.total;
    }
  } else {
    wait_for_kernels_before();
  }
  synchronise_block();

  const int splits = (seen + length - 1) / length;
  for (int h = warp; h < heads; h += tiles_warps) {
    float top = -INFINITY;
    float total = 0.0F;
    float sums[4] = {0.0F, 0.0F, 0.0F, 0.0F};
    // Warps that had no tile have left nothing.
    LECTERN_UNROLL
    for (int w = 0; w < tiles_warps; ++w) top = fmaxf(top, w * split_tile < count ? largest[w * tile_heads + h] : -INFINITY);
    const int d = 4 * lane;
    LECTERN_UNROLL
    for (int w = 0; w < tiles_warps; ++w) {
      if (w * split_tile >= count) continue;
      const float weight = fast_exp2(largest[w * tile_heads + h] - top);
      total = fmaf(weight, totals[w * tile_heads + h], total);
      if (d >= size) continue;
      const auto four = *reinterpret_cast<const Words<4>*>(shared + w * ring_bytes<Element>(size) + sizeof(float) * static_cast<std::size_t>(h * sums_pitch(size) + d));
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) sums[k] = fmaf(weight, float_of_bits(four.w[k]), sums[k]);
    }
    if (splits == 1) {
      finish_head(size, work.query_heads, row, first_head + h, d, sums, total, work.out, work.quantised);
      continue;
    }
    const std::size_t part = (static_cast<std::size_t>(row) * static_cast<std::size_t>(work.query_heads) + static_cast<std::size_t>(first_head + h)) * most_splits + static_cast<std::size_t>(split);
    if (d < size) {
      const Words<4> four{{bits_of_float(sums[0]), bits_of_float(sums[1]), bits_of_float(sums[2]), bits_of_float(sums[3])}};
      *reinterpret_cast<Words<4>*>(work.parts.values + part * static_cast<std::size_t>(size) + static_cast<std::size_t>(d)) = four;
    }
    if (lane == 0) {
      work.parts.largest[part] = top;
      work.parts.totals[part] = total;
    }
  }
  if (splits == 1) return;
  if (!comes_last(work.parts.arrived + row * cache.heads * tiles + unit, splits, reinterpret_cast<int*>(largest))) return;
  for (int h = warp; h < heads; h += tiles_warps) {
    combine_parts<true>(size, work.query_heads, row, first_head + h, splits, work.parts, weights + warp * most_splits, work.out, work.quantised);
  }
}

/// Grid: KV heads times their tiles of heads, by parts_of() them, by rows. Of parts that have no positions nothing is written.
template <class Element, int width, bool exact>
__global__ void LECTERN_LAUNCH_BOUNDS(tiles_threads, 2) attend_split_tiles(SplitWork work) {
  let_next_begin();
  attend_unit<Element, width, exact>(work, block_x(), block_y(), block_z(), dynamic_shared());
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
