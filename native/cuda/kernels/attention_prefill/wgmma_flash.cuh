// Attention of many rows by warpgroups: the tiles of flash.cuh, for chips whose tensor cores read keys and values from shared memory by themselves (sm_90a).
//
// Two warpgroups share a tile of 128 query rows, 64 rows each. Queries stay in registers, shares go from the registers they were made in straight into the next product, so that
// of shared memory only keys and values are read: 64 bytes a clock at most. While the tensor cores multiply shares of one tile of cells by its values and queries by the keys of
// the next, a thread makes shares of what came before; of 1,024 clocks that both warpgroups' products of a tile take at their best (heads of 128), the shares take some 350 of
// issue each.
//
// Keys and values come in pairs of tiles by copies beside, a barrier a pair: of three pairs one is worked on, one is there or coming, and of the third only the last values are still
// to be multiplied or the next copies on their way.
//
// A tile of cells is where flash.cuh has it and a row does the same steps there, but the tensor cores add in an order of their own: a device attends either always here or never
// (attention_selection.cuh).
#pragma once

#include <type_traits>

#include "cuda/kernels/attention_prefill/flash.cuh"
#include "cuda/simt/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Where keys and values of 64 cells lie: 64 elements (128 bytes) of each cell, a cell a row as warpgroups.h has them, then the next 64 elements.
template <int width>
struct GroupAttentionShape {
  static constexpr int part_bytes = cell_tile * 128;
  static constexpr int matrix_bytes = width / 64 * part_bytes;
  static constexpr int tile_bytes = 2 * matrix_bytes;  // keys, then values
  static constexpr int tiles = 6;
  static constexpr std::size_t shared_bytes = std::size_t{matrix_alignment} + tiles * tile_bytes;
};

/// Grid and arguments: as attend_tiles, of a cache of halves.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(flash_threads, (width == 64 ? 2 : 1)) void attend_group_tiles(Cache cache, int query_heads, int layer, const QueryTile* tiles, int tile_count, const int* first,
                                                                                               const int* visible, int first_row, const float* q, float* out) {
#if defined(LECTERN_HAS_GROUPS)
  using Shape = GroupAttentionShape<width>;
  static_assert(flash_threads == 2 * warpgroup_threads && query_rows == 2 * warpgroup_rows, "two warpgroups");
  std::uint8_t* const shared = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  const QueryTile tile = tiles[tile_count - 1 - block_x()];
  const int kv_head = block_y();
  const int group = query_heads / cache.heads;
  const int lane = thread_number() % 32;
  const int rows = tile.tokens * group;
  const bool idle = thread_number() / warpgroup_threads * warpgroup_rows >= rows;
  const int count = (tile.end - tile.begin + cell_tile - 1) / cell_tile;

  // A thread copies one chunk of every 256 / chunks'th cell of a pair: of all of them the place among eight rows is the same.
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
      for (int i = 0; i < 2 * cell_tile / cells_apart; ++i) {
        const int row = i * cells_apart;
        const bool wanted = decltype(whole)::value || (has_chunk && tile.begin + begin + cell + row < tile.end);
        std::uint8_t* const at = to + row / cell_tile * Shape::tile_bytes + side * Shape::matrix_bytes + row % cell_tile * 128 + place;
        copy_beside(at, wanted ? from : data, wanted);
        from += static_cast<std::size_t>(cells_apart) * stride;
      }
    }
  };
  const auto copy_pair = [&](int pair) {
    const int begin = 2 * cell_tile * pair;
    std::uint8_t* const to = shared + 2 * pair % Shape::tiles * Shape::tile_bytes;
    if (2 * pair < count) {
      if (tile.begin + begin + 2 * cell_tile <= tile.end && cache.head_size == width) copy_cells(begin, to, std::true_type{});
      else copy_cells(begin, to, std::false_type{});
    }
    end_copies();  // also none, so that groups can be counted
  };
  copy_pair(0);
  copy_pair(1);

  // Of this thread's two rows, 8 apart. What they see is asked for beside their queries.
  bool active[2];
  int at[2];
  int sees_from[2];
  int sees_to[2];
  LECTERN_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = thread_number() / 32 * 16 + lane / 4 + 8 * half;
    active[half] = row < rows;
    const int batch_row = tile.first_row + (active[half] ? row / group : 0);
    at[half] = ((batch_row - first_row) * query_heads + kv_head * group + (active[half] ? row % group : 0)) * cache.head_size;
    sees_from[half] = active[half] ? first[batch_row] : 0;
    sees_to[half] = active[half] ? visible[batch_row] : 0;
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
      queries[k][i] = pack_halves(in_half_range(log2_of_e * float_of_bits(two.w[0])), in_half_range(log2_of_e * float_of_bits(two.w[1])));
    }
  }

  float scores[cell_tile / 8][4] = {};
  float sums[width / 8][4] = {};
  Word shares[cell_tile / 16][4];
  float largest[2] = {-INFINITY, -INFINITY};
  float total[2] = {0.0F, 0.0F};  // of this thread's columns
  float shrink[2] = {1.0F, 1.0F};

  const Word base = shared_address(shared);
  /// Asks for the scores of tile `i`.
  const auto score = [&](int i) {
    const Word keys = base + static_cast<Word>(i % Shape::tiles * Shape::tile_bytes);
    LECTERN_UNROLL
    for (int k = 0; k < width / 16; ++k) {
      const MatrixPlace right = further(place_at(keys + static_cast<Word>(k / 4 * Shape::part_bytes)), k % 4);
      if (k == 0) multiply_held<false, Side::straight>(scores, queries[k], right);
      else multiply_held<true, Side::straight>(scores, queries[k], right);
    }
    end_products();
  };
  /// And for the sums over its values.
  const auto add = [&](int i) {
    const Word values = base + static_cast<Word>(i % Shape::tiles * Shape::tile_bytes + Shape::matrix_bytes);
    LECTERN_UNROLL
    for (int k = 0; k < cell_tile / 16; ++k) multiply_held<true, Side::turned>(sums, shares[k], turned_place_at(values + static_cast<Word>(16 * k * 128), Shape::part_bytes));
    end_products();
  };
  /// Scores become shares, in floats.
  const auto share = [&](int i) {
    const int begin = tile.begin + i * cell_tile;
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      shrink[half] = share_cells(scores, half, begin, sees_from[half], sees_to[half], largest[half], total[half]);
    }
  };
  /// The shares as the next product takes them, and the sums so far as it finds them.
  const auto take_shares = [&] {
    LECTERN_UNROLL
    for (int d = 0; d < width / 8; ++d) {
      LECTERN_UNROLL
      for (int c = 0; c < 4; ++c) sums[d][c] *= shrink[c / 2];
    }
    LECTERN_UNROLL
    for (int k = 0; k < cell_tile / 16; ++k) {
      LECTERN_UNROLL
      for (int c = 0; c < 4; ++c) shares[k][c] = pack_halves(scores[2 * k + c / 2][c % 2 * 2], scores[2 * k + c / 2][c % 2 * 2 + 1]);
    }
  };

  wait_for_copies<1>();
  show_to_products();
  synchronise_block();
  /// Before the products that are first to read a pair: it is there for all, and of the pair before the last nobody reads any more.
  const auto meet = [&] {
    wait_for_copies<0>();
    show_to_products();
    synchronise_block();
  };
  if (idle) {
    for (int i = 1; i + 1 < count; i += 2) {
      meet();
      copy_pair((i + 1) / 2 + 1);
    }
    return;
  }
  hold_sums(scores);
  begin_products();
  score(0);
  wait_for_products<0>();
  hold_sums(scores);
  share(0);
  take_shares();
  hold_sums(sums);
  hold_words(shares);
  LECTERN_NO_UNROLL
  for (int i = 0; i + 1 < count; ++i) {
    if (i % 2 == 1) meet();
    begin_products();
    score(i + 1);
    add(i);
    // The tensor cores have work before their threads ask for more of it.
    if (i % 2 == 1) copy_pair((i + 1) / 2 + 1);
    wait_for_products<1>();
    hold_sums(scores);
    share(i + 1);
    wait_for_products<0>();
    hold_sums(sums);
    take_shares();
    hold_sums(sums);
    hold_words(shares);
  }
  begin_products();
  add(count - 1);
  wait_for_products<0>();
  hold_sums(sums);

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
