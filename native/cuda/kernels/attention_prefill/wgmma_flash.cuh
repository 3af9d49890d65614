// Flash attention of prefill rows by wgmma (sm_90a): the tiles of flash.cuh; the tensor cores read keys and values from shared memory themselves.
//
// Two warpgroups share a tile of 128 query rows, 64 rows each. Queries stay in registers, and probabilities go from registers into the next product, so that
// only keys and values are read from shared memory: 64 bytes per clock at most. While the tensor cores multiply the probabilities of one tile by its values, and queries by the keys of
// the next, a thread computes the softmax of the tile before; of the 1,024 clocks that the products of both warpgroups take for a tile at best (heads of 128), the softmax issues for some 350
// in each.
//
// cp.async loads keys and values in pairs of tiles, with one barrier per pair: of three pairs one is used, one has arrived or is in flight, and of the third only the last values are still
// to be multiplied, or the next loads run.
//
// Tiles of positions are those of flash.cuh and a row takes the same steps, but the tensor cores add in an order of their own: a device uses this kernel always or never
// (attention_selection.cuh).
#pragma once

#include <type_traits>

#include "cuda/kernels/attention_prefill/flash.cuh"
#include "cuda/simt/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The layout of keys and values of 64 positions: 64 elements (128 bytes) of each position, a position per row as in warpgroups.h, then the next 64 elements.
template <int width>
struct WgmmaAttentionShape {
  static constexpr int part_bytes = kv_tile * 128;
  static constexpr int matrix_bytes = width / 64 * part_bytes;
  static constexpr int tile_bytes = 2 * matrix_bytes;  // keys, then values
  static constexpr int tiles = 6;
  static constexpr std::size_t shared_bytes = std::size_t{matrix_alignment} + tiles * tile_bytes;
};

/// Grid and arguments: as flash_attention, for an f16 cache.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(flash_threads, (width == 64 ? 2 : 1)) void wgmma_flash_attention(Cache cache, int query_heads, int layer, const QueryTile* tiles, int tile_count, const int* first,
                                                                                               const int* visible, int first_row, const float* q, float* out) {
#if defined(LECTERN_HAS_WGMMA)
  using Shape = WgmmaAttentionShape<width>;
  static_assert(flash_threads == 2 * warpgroup_threads && query_rows == 2 * warpgroup_rows, "two warpgroups");
  std::uint8_t* const shared = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  const QueryTile tile = tiles[tile_count - 1 - block_x()];
  const int kv_head = block_y();
  const int group = query_heads / cache.heads;
  const int lane = thread_number() % 32;
  const int rows = tile.tokens * group;
  const bool idle = thread_number() / warpgroup_threads * warpgroup_rows >= rows;
  const int count = (tile.end - tile.begin + kv_tile - 1) / kv_tile;

  // A thread copies one chunk of every 256 / chunks'th position of a pair: the place among eight rows is the same for all of them.
  constexpr int chunks = width / 8;
  constexpr int cells_apart = flash_threads / chunks;
  const int chunk = thread_number() % chunks;
  const int cell = thread_number() / chunks;
  const int place = chunk / 8 * Shape::part_bytes + cell * 128 + ((chunk % 8 ^ cell % 8) << 4);
  const bool has_chunk = 8 * chunk < cache.head_size;
  const std::size_t stride = static_cast<std::size_t>(cache.heads) * static_cast<std::size_t>(cache.head_size);
  const auto* const data = static_cast<const std::uint16_t*>(cache.data);
  const std::uint16_t* sides[2];
  LECTERN_UNROLL
  for (int side = 0; side < 2; ++side) sides[side] = data + cache.at(layer, tile.slot, side, tile.begin + cell, kv_head) + (has_chunk ? 8 * chunk : 0);
  const auto copy_cells = [&](int begin, std::uint8_t* to, auto whole) {
    LECTERN_UNROLL
    for (int side = 0; side < 2; ++side) {
      const std::uint16_t* from = sides[side] + static_cast<std::size_t>(begin) * stride;
      LECTERN_UNROLL
      for (int i = 0; i < 2 * kv_tile / cells_apart; ++i) {
        const int row = i * cells_apart;
        const bool wanted = decltype(whole)::value || (has_chunk && tile.begin + begin + cell + row < tile.end);
        std::uint8_t* const at = to + row / kv_tile * Shape::tile_bytes + side * Shape::matrix_bytes + row % kv_tile * 128 + place;
        cp_async_16(at, wanted ? from : data, wanted);
        from += static_cast<std::size_t>(cells_apart) * stride;
      }
    }
  };
  const auto copy_pair = [&](int pair) {
    const int begin = 2 * kv_tile * pair;
    std::uint8_t* const to = shared + 2 * pair % Shape::tiles * Shape::tile_bytes;
    if (2 * pair < count) {
      if (tile.begin + begin + 2 * kv_tile <= tile.end && cache.head_size == width) copy_cells(begin, to, std::true_type{});
      else copy_cells(begin, to, std::false_type{});
    }
    cp_async_commit();  // an empty group, too, so that groups can be counted
  };
  copy_pair(0);
  copy_pair(1);

  // Of the two rows of this thread, 8 apart. Their visible positions are loaded together with their queries.
  bool active[2];
  int at[2];
  int visible_from[2];
  int visible_to[2];
  LECTERN_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = thread_number() / 32 * 16 + lane / 4 + 8 * half;
    active[half] = row < rows;
    const int batch_row = tile.first_row + (active[half] ? row / group : 0);
    at[half] = ((batch_row - first_row) * query_heads + kv_head * group + (active[half] ? row % group : 0)) * cache.head_size;
    visible_from[half] = active[half] ? first[batch_row] : 0;
    visible_to[half] = active[half] ? visible[batch_row] : 0;
  }
  Word queries[width / 16][4];
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int column = 16 * k + 2 * (lane % 4) + 8 * (i / 2);
      const bool there = column < cache.head_size && active[i % 2];
      Words<2> two{};
      if (there) two = *reinterpret_cast<const Words<2>*>(q + at[i % 2] + column);
      queries[k][i] = pack_f16(in_half_range(log2_of_e * float_of_bits(two.w[0])), in_half_range(log2_of_e * float_of_bits(two.w[1])));
    }
  }

  float scores[kv_tile / 8][4] = {};
  float sums[width / 8][4] = {};
  Word probabilities[kv_tile / 16][4];
  float largest[2] = {-INFINITY, -INFINITY};
  float total[2] = {0.0F, 0.0F};  // of the columns of this thread
  float shrink[2] = {1.0F, 1.0F};

  const Word base = shared_address(shared);
  /// Issues the product of the queries and the keys of tile `i`.
  const auto score = [&](int i) {
    const Word keys = base + static_cast<Word>(i % Shape::tiles * Shape::tile_bytes);
    LECTERN_UNROLL
    for (int k = 0; k < width / 16; ++k) {
      const MatrixDescriptor right = advance_descriptor(matrix_descriptor(keys + static_cast<Word>(k / 4 * Shape::part_bytes)), k % 4);
      if (k == 0) wgmma_register_a<false, Major::k>(scores, queries[k], right);
      else wgmma_register_a<true, Major::k>(scores, queries[k], right);
    }
    wgmma_commit();
  };
  /// Issues the product of the probabilities and the values of tile `i`.
  const auto add = [&](int i) {
    const Word values = base + static_cast<Word>(i % Shape::tiles * Shape::tile_bytes + Shape::matrix_bytes);
    LECTERN_UNROLL
    for (int k = 0; k < kv_tile / 16; ++k) wgmma_register_a<true, Major::mn>(sums, probabilities[k], transposed_matrix_descriptor(values + static_cast<Word>(16 * k * 128), Shape::part_bytes));
    wgmma_commit();
  };
  /// The softmax of tile `i`, in floats.
  const auto share = [&](int i) {
    const int begin = tile.begin + i * kv_tile;
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      shrink[half] = softmax_tile(scores, half, begin, visible_from[half], visible_to[half], largest[half], total[half]);
    }
  };
  /// Packs the probabilities for the next product, and rescales the accumulators.
  const auto load_probabilities = [&] {
    LECTERN_UNROLL
    for (int d = 0; d < width / 8; ++d) {
      LECTERN_UNROLL
      for (int c = 0; c < 4; ++c) sums[d][c] *= shrink[c / 2];
    }
    LECTERN_UNROLL
    for (int k = 0; k < kv_tile / 16; ++k) {
      LECTERN_UNROLL
      for (int c = 0; c < 4; ++c) probabilities[k][c] = pack_f16(scores[2 * k + c / 2][c % 2 * 2], scores[2 * k + c / 2][c % 2 * 2 + 1]);
    }
  };

  cp_async_wait<1>();
  fence_proxy_async_shared();
  synchronise_block();
  /// Called before the first product that reads a pair: the pair is complete for all, and no thread reads the pair before the last any more.
  const auto meet = [&] {
    cp_async_wait<0>();
    fence_proxy_async_shared();
    synchronise_block();
  };
  if (idle) {
    for (int i = 1; i + 1 < count; i += 2) {
      meet();
      copy_pair((i + 1) / 2 + 1);
    }
    return;
  }
  fence_accumulators(scores);
  wgmma_fence();
  score(0);
  wgmma_wait<0>();
  fence_accumulators(scores);
  share(0);
  load_probabilities();
  fence_accumulators(sums);
  fence_fragments(probabilities);
  LECTERN_NO_UNROLL
  for (int i = 0; i + 1 < count; ++i) {
    if (i % 2 == 1) meet();
    wgmma_fence();
    score(i + 1);
    add(i);
    // The tensor cores have work before their threads issue more loads.
    if (i % 2 == 1) copy_pair((i + 1) / 2 + 1);
    wgmma_wait<1>();
    fence_accumulators(scores);
    share(i + 1);
    wgmma_wait<0>();
    fence_accumulators(sums);
    load_probabilities();
    fence_accumulators(sums);
    fence_fragments(probabilities);
  }
  wgmma_fence();
  add(count - 1);
  wgmma_wait<0>();
  fence_accumulators(sums);

  LECTERN_UNROLL
  for (int half = 0; half < 2; ++half) {
    total[half] += shuffle_xor(total[half], 1);
    total[half] += shuffle_xor(total[half], 2);
    if (!active[half]) continue;
    LECTERN_UNROLL
    for (int d = 0; d < width / 8; ++d) {
      const int column = 8 * d + 2 * (lane % 4);
      if (column >= cache.head_size) continue;
      const Words<2> two{{bits_of_float(sums[d][2 * half] / total[half]), bits_of_float(sums[d][2 * half + 1] / total[half])}};
      *reinterpret_cast<Words<2>*>(out + at[half] + column) = two;
    }
  }
#endif
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
