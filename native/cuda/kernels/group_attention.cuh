// Attention of many rows by warpgroups: the tiles of flash.cuh, for chips whose tensor cores read keys and values from shared memory by themselves (sm_90a).
//
// Two warpgroups share a tile of 128 query rows, 64 rows each. Queries stay in registers, shares go from the registers they were made in straight into the next product, so that
// of shared memory only keys and values are read: 64 bytes a clock at most. While the tensor cores multiply shares of one tile of cells by its values and queries by the keys of
// the next, a thread makes shares of what came before; of 1,024 clocks that both warpgroups' products of a tile take at their best (heads of 128), the shares take some 350 of
// issue each.
//
// Keys and values come by copies that the device makes by itself, for which a warp asks beside its other work; of twelve matrices that there is room for four are worked on or not yet
// given back by the slower warpgroup and the others come. Nothing else holds the warpgroups together, so one's products run beside the other's shares.
//
// A tile of cells is where flash.cuh has it and a row does the same steps there, but the tensor cores add in an order of their own: a device attends either always here or never
// (attention_choice.cuh).
#pragma once

#include "cuda/async_copies.h"
#include "cuda/kernels/flash.cuh"
#include "cuda/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Where keys and values of 64 cells lie: 64 elements (128 bytes) of each cell, a cell a row as warpgroups.h has them, then the next 64 elements.
template <int width>
struct GroupAttentionShape {
  static constexpr int part_bytes = cell_tile * 128;
  static constexpr int matrix_bytes = width / 64 * part_bytes;
  static constexpr int stages = 12;  // keys of a tile, its values, keys of the next
  static constexpr int barriers = 2 * stages + 2;
  static constexpr std::size_t shared_bytes = std::size_t{matrix_alignment} + stages * matrix_bytes + barriers * sizeof(CopyBarrier);
};

/// Grid and arguments: as attend_tiles, of a cache of halves. cells: of this cache, a row has the heads of a cell, a box is 64 elements of 64 cells.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(flash_threads, (width == 64 ? 2 : 1)) void attend_group_tiles(Cache cache, int query_heads, int layer, const QueryTile* tiles, int tile_count, const int* first,
                                                                                               const int* visible, int first_row, const float* q, float* out, const LECTERN_IN_PLACE TileMap cells) {
#if defined(LECTERN_HAS_GROUPS)
  using Shape = GroupAttentionShape<width>;
  static_assert(flash_threads == 2 * warpgroup_threads && query_rows == 2 * warpgroup_rows, "two warpgroups");
  std::uint8_t* const stages = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  const QueryTile tile = tiles[tile_count - 1 - block_x()];
  const int kv_head = block_y();
  const int group = query_heads / cache.heads;
  const int lane = thread_number() % 32;
  const int own = thread_number() / warpgroup_threads;
  const int rows = tile.tokens * group;
  const int count = (tile.end - tile.begin + cell_tile - 1) / cell_tile;
  auto* const full = reinterpret_cast<CopyBarrier*>(stages + Shape::stages * Shape::matrix_bytes);
  CopyBarrier* const empty = full + Shape::stages;
  CopyBarrier* const clean = empty + Shape::stages;  // of the two warpgroups

  /// By a warp: asks for matrices up to before `end`, in order. Matrix 2 i are the keys of tile i, the next its values.
  int asked = 0;
  const auto ask = [&](int end) {
    for (; asked < end && asked < 2 * count; ++asked) {
      const int stage = asked % Shape::stages;
      if (asked >= Shape::stages) wait_for(empty + stage, asked / Shape::stages - 1);
      if (thread_number() == 0) {
        arrive_expecting(full + stage, Shape::matrix_bytes);
        const int row = ((layer * cache.slots + tile.slot) * 2 + asked % 2) * cache.positions + tile.begin + asked / 2 * cell_tile;
        LECTERN_UNROLL
        for (int part = 0; part < width / 64; ++part) copy_box(stages + stage * Shape::matrix_bytes + part * Shape::part_bytes, cells, kv_head * cache.head_size + 64 * part, row, full + stage);
      }
    }
  };
  if (thread_number() == 0) {
    for (int stage = 0; stage < Shape::stages; ++stage) {
      init_barrier(full + stage, 1);
      init_barrier(empty + stage, rows > warpgroup_rows ? 8 : 4);  // warps that give it back
    }
    for (int group_number = 0; group_number < 2; ++group_number) init_barrier(clean + group_number, warpgroup_threads);
    show_barriers();
  }
  if (thread_number() < 32) {
    synchronise_warp();
    ask(Shape::stages);
  }
  synchronise_block();
  if (own * warpgroup_rows >= rows) return;

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
      queries[k][i] = pack_halves(in_half_range(1.44269504F * float_of_bits(two.w[0])), in_half_range(1.44269504F * float_of_bits(two.w[1])));
    }
  }

  float scores[cell_tile / 8][4] = {};
  float sums[width / 8][4] = {};
  Word shares[cell_tile / 16][4];
  float largest[2] = {-INFINITY, -INFINITY};
  float total[2] = {0.0F, 0.0F};  // of this thread's columns
  float shrink[2] = {1.0F, 1.0F};

  const Word base = shared_address(stages);
  const auto wait_for_matrix = [&](int matrix) { wait_for(full + matrix % Shape::stages, matrix / Shape::stages); };
  const auto give_back = [&](int matrix) {
    if (lane == 0) arrive(empty + matrix % Shape::stages);
  };
  /// Asks for the scores of tile `i`.
  const auto score = [&](int i) {
    const Word keys = base + static_cast<Word>(2 * i % Shape::stages * Shape::matrix_bytes);
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
    const Word values = base + static_cast<Word>((2 * i + 1) % Shape::stages * Shape::matrix_bytes);
    LECTERN_UNROLL
    for (int k = 0; k < cell_tile / 16; ++k) multiply_held<true, Side::turned>(sums, shares[k], turned_place_at(values + static_cast<Word>(16 * k * 128), Shape::part_bytes));
    end_products();
  };
  /// Scores become shares, in floats.
  const auto share = [&](int i) {
    const int begin = tile.begin + i * cell_tile;
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      if (begin < sees_from[half] || begin + cell_tile > sees_to[half]) {
        LECTERN_UNROLL
        for (int n = 0; n < cell_tile / 8; ++n) {
          LECTERN_UNROLL
          for (int c = 2 * half; c < 2 * half + 2; ++c) {
            const int at_cell = begin + 8 * n + 2 * (lane % 4) + c % 2;
            if (at_cell < sees_from[half] || at_cell >= sees_to[half]) scores[n][c] = -INFINITY;
          }
        }
      }
      float tile_largest = -INFINITY;
      LECTERN_UNROLL
      for (int n = 0; n < cell_tile / 8; ++n) tile_largest = fmaxf(tile_largest, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
      tile_largest = fmaxf(tile_largest, shuffle_xor(tile_largest, 1));
      tile_largest = fmaxf(tile_largest, shuffle_xor(tile_largest, 2));
      const float next = fmaxf(largest[half], tile_largest);
      // Of a row that has seen nothing yet every share is 2^-infinity.
      const float top = next == -INFINITY ? 0.0F : next;
      shrink[half] = fast_exp2(largest[half] - top);
      largest[half] = next;
      float sum = 0.0F;
      LECTERN_UNROLL
      for (int n = 0; n < cell_tile / 8; ++n) {
        LECTERN_UNROLL
        for (int c = 2 * half; c < 2 * half + 2; ++c) {
          scores[n][c] = fast_exp2(scores[n][c] - top);
          sum += scores[n][c];
        }
      }
      total[half] = fmaf(total[half], shrink[half], sum);
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

  wait_for_matrix(0);
  hold_sums(scores);
  begin_products();
  score(0);
  wait_for_products<0>();
  hold_sums(scores);
  give_back(0);
  share(0);
  take_shares();
  hold_sums(sums);
  hold_words(shares);
  LECTERN_NO_UNROLL
  for (int i = 0; i + 1 < count; ++i) {
    // What is asked for goes where the iteration before the last was, so that nobody waits for the slower warpgroup.
    if (thread_number() < 32) ask(2 * i + Shape::stages - 1);
    wait_for_matrix(2 * i + 1);
    wait_for_matrix(2 * i + 2);
    begin_products();
    score(i + 1);
    add(i);
    wait_for_products<1>();
    hold_sums(scores);
    give_back(2 * i + 2);
    share(i + 1);
    wait_for_products<0>();
    hold_sums(sums);
    give_back(2 * i + 1);
    take_shares();
    hold_sums(sums);
    hold_words(shares);
  }
  wait_for_matrix(2 * count - 1);
  const int last = tile.end - tile.begin - (count - 1) * cell_tile;
  if (last < cell_tile) {
    // Behind the last cell lies what nobody wrote or somebody left: no share of it is more than zero, but nothing times what is no number is none.
    for (int i = thread_number() % warpgroup_threads; i < (cell_tile - last) * width / 8; i += warpgroup_threads) {
      const Word zeros[4] = {};
      const int chunk = i % (width / 8);
      store_words(stages + (2 * count - 1) % Shape::stages * Shape::matrix_bytes + chunk / 8 * Shape::part_bytes + (last + i / (width / 8)) * 128 + chunk % 8 * 16, zeros);
    }
    show_to_products();
    arrive(clean + own);
    wait_for(clean + own, 0);
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
