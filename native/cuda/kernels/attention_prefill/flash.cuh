// Flash attention of prefill rows by mma.sync: a tile of queries against tiles of 64 KV cache positions, with an online softmax.
//
// Tiles of positions begin at multiples of 64, and a tile of which a row sees nothing changes none of its bits: a row's result does
// not depend on the rows that share its query tile.
#pragma once

#include "cuda/kernels/attention_prefill/online_softmax.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The swizzled offset of 16-byte chunk `chunk` of a row of `width` f16: equal chunks of eight rows lie in different groups of banks.
template <int width>
__device__ __forceinline__ int swizzled_head(int row, int chunk) { return row * 2 * width + ((chunk ^ (row & 7)) << 4); }

/// Keys and values: two stages of f16, or one and two stages of the int8 that it is converted from.
template <int width>
constexpr std::size_t flash_shared_bytes = std::size_t{2} * 2 * kv_tile * width * 2;

/// Grid: query tiles by KV heads; the longest are last in the batch and start first. q and out begin with row `first_row` of the batch.
/// width: the head size, rounded up.
///
/// 128 query rows: each tile of keys and values, 32 KB at a width of 128, is used for 2.1 M products. A thread holds 64 accumulators, 32 scores
/// and 32 registers of queries, so there is one block per multiprocessor.
template <int width, bool bytes>
__global__ void
#if defined(__CUDACC__)
__launch_bounds__(flash_threads, 1)
#endif
    flash_attention(Cache cache, int query_heads, int layer, const QueryTile* tiles, int tile_count, const int* first, const int* visible, int first_row, const float* q, float* out) {
  std::uint8_t* const shared = dynamic_shared();
  constexpr int stage_bytes = kv_tile * width * 2;
  const QueryTile tile = tiles[tile_count - 1 - block_x()];
  const int kv_head = block_y();
  const int group = query_heads / cache.heads;
  const int lane = thread_number() % 32;
  const int warp_row = thread_number() / 32 * 16;
  const bool idle = warp_row >= tile.tokens * group;

  // Of the two rows of this thread, 8 apart.
  int at[2];
  int visible_from[2];
  int visible_to[2];
  LECTERN_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = warp_row + lane / 4 + 8 * half;
    const bool active = row < tile.tokens * group;
    const int batch_row = tile.first_row + (active ? row / group : 0);
    at[half] = ((batch_row - first_row) * query_heads + kv_head * group + (active ? row % group : 0)) * cache.head_size;
    visible_from[half] = active ? first[batch_row] : 0;
    visible_to[half] = active ? visible[batch_row] : 0;
  }

  Word queries[width / 16][4];
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int column = 16 * k + 2 * (lane % 4) + 8 * (i / 2);
      const int half = i % 2;
      const bool there = column < cache.head_size && visible_to[half] > 0;
      // The softmax uses powers of two, which the hardware computes.
      const float low = there ? q[at[half] + column] * log2_of_e : 0.0F;
      const float high = there ? q[at[half] + column + 1] * log2_of_e : 0.0F;
      queries[k][i] = pack_f16(in_half_range(low), in_half_range(high));
    }
  }

  // 16 bytes of one position, keys first, then values; `chunk` of its head, in f16 or int8.
  constexpr int chunk_elements = bytes ? 16 : 8;
  constexpr int chunks = width / chunk_elements;
  const auto copy_tile = [&](int begin) {
    if (begin < tile.end) {
      std::uint8_t* const to = bytes ? shared + 2 * stage_bytes + begin / kv_tile % 2 * stage_bytes : shared + begin / kv_tile % 2 * 2 * stage_bytes;
      LECTERN_NO_UNROLL
      for (int i = 0; i < 2 * kv_tile * chunks / flash_threads; ++i) {
        const int number = i * flash_threads + thread_number();
        const int chunk = number % chunks;
        const int row = number / chunks % kv_tile;
        const int value = number / chunks / kv_tile;
        const bool wanted = begin + row < tile.end && chunk_elements * chunk < cache.head_size;
        const std::size_t from = cache.at(layer, tile.slot, value, wanted ? begin + row : begin, kv_head) + static_cast<std::size_t>(wanted ? chunk_elements * chunk : 0);
        if constexpr (bytes) cp_async_16(to + 16 * number, static_cast<const std::uint8_t*>(cache.data) + from, wanted);
        else cp_async_16(to + value * stage_bytes + swizzled_head<width>(row, chunk), static_cast<const std::uint16_t*>(cache.data) + from, wanted);
      }
    }
    cp_async_commit();
  };
  // For int8: converts the tile that copy_tile() loaded to f16.
  const auto widen_tile = [&](int begin) {
    const std::uint8_t* const from = shared + 2 * stage_bytes + begin / kv_tile % 2 * stage_bytes;
    LECTERN_NO_UNROLL
    for (int number = thread_number(); number < 2 * kv_tile * chunks; number += flash_threads) {
      const int chunk = number % chunks;
      const int row = number / chunks % kv_tile;
      const int value = number / chunks / kv_tile;
      const bool there = begin + row < tile.end && chunk_elements * chunk < cache.head_size;
      const float scale = there ? half_to_float(cache.scales()[(cache.at(layer, tile.slot, value, begin + row, kv_head) + static_cast<std::size_t>(16 * chunk)) / 32]) : 0.0F;
      const auto* quants = reinterpret_cast<const std::int8_t*>(from + 16 * number);
      LECTERN_UNROLL
      for (int half = 0; half < 2; ++half) {
        Word words[4];
        LECTERN_UNROLL
        for (int i = 0; i < 4; ++i) {
          words[i] = pack_f16(scale * static_cast<float>(quants[8 * half + 2 * i]), scale * static_cast<float>(quants[8 * half + 2 * i + 1]));
        }
        store_words(shared + value * stage_bytes + swizzled_head<width>(row, 2 * chunk + half), words);
      }
    }
  };

  float sums[width / 8][4];
  LECTERN_UNROLL
  for (int d = 0; d < width / 8; ++d) {
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) sums[d][i] = 0.0F;
  }
  float largest[2] = {-INFINITY, -INFINITY};
  float total[2] = {0.0F, 0.0F};  // of the columns of this thread

  copy_tile(tile.begin);
  for (int begin = tile.begin; begin < tile.end; begin += kv_tile) {
    cp_async_wait<0>();
    // Now this tile is complete, and no thread reads the stage of the previous one any more.
    synchronise_block();
    copy_tile(begin + kv_tile);
    if constexpr (bytes) {
      widen_tile(begin);
      synchronise_block();
    }
    if (idle) continue;
    const std::uint8_t* const keys = bytes ? shared : shared + begin / kv_tile % 2 * 2 * stage_bytes;
    const std::uint8_t* const values = keys + stage_bytes;

    float scores[kv_tile / 8][4];
    LECTERN_UNROLL
    for (int n = 0; n < kv_tile / 8; n += 2) {
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) scores[n][i] = scores[n + 1][i] = 0.0F;
      LECTERN_UNROLL
      for (int k = 0; k < width / 16; ++k) {
        Word b[4];
        ldmatrix(b, keys + swizzled_head<width>(8 * n + lane % 8 + lane / 16 * 8, 2 * k + lane / 8 % 2));
        const Word left[2] = {b[0], b[1]};
        const Word right[2] = {b[2], b[3]};
        mma_f16(scores[n], queries[k], left);
        mma_f16(scores[n + 1], queries[k], right);
      }
    }
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float shrink = softmax_tile(scores, half, begin, visible_from[half], visible_to[half], largest[half], total[half]);
      LECTERN_UNROLL
      for (int d = 0; d < width / 8; ++d) {
        sums[d][2 * half] *= shrink;
        sums[d][2 * half + 1] *= shrink;
      }
    }
    LECTERN_UNROLL
    for (int k = 0; k < kv_tile / 16; ++k) {
      // The accumulator fragment of one product has the layout of the A fragment of the next.
      const Word probabilities[4] = {pack_f16(scores[2 * k][0], scores[2 * k][1]), pack_f16(scores[2 * k][2], scores[2 * k][3]),
                              pack_f16(scores[2 * k + 1][0], scores[2 * k + 1][1]), pack_f16(scores[2 * k + 1][2], scores[2 * k + 1][3])};
      LECTERN_UNROLL
      for (int d = 0; d < width / 8; d += 2) {
        Word b[4];
        ldmatrix_transposed(b, values + swizzled_head<width>(16 * k + lane % 16, d + lane / 16));
        const Word left[2] = {b[0], b[1]};
        const Word right[2] = {b[2], b[3]};
        mma_f16(sums[d], probabilities, left);
        mma_f16(sums[d + 1], probabilities, right);
      }
    }
  }

  LECTERN_UNROLL
  for (int half = 0; half < 2; ++half) {
    total[half] += shuffle_xor(total[half], 1);
    total[half] += shuffle_xor(total[half], 2);
    if (visible_to[half] == 0) continue;
    LECTERN_UNROLL
    for (int d = 0; d < width / 8; ++d) {
      LECTERN_UNROLL
      for (int i = 0; i < 2; ++i) {
        const int column = 8 * d + 2 * (lane % 4) + i;
        if (column < cache.head_size) out[at[half] + column] = sums[d][2 * half + i] / total[half];
      }
    }
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
