// Attention of many rows by warpgroups: the tiles of flash.cuh, for chips whose tensor cores read keys and values from shared memory by themselves (sm_90a).
//
// Two warpgroups share a tile of 128 query rows, 64 rows each. Queries stay in registers, shares go from the registers they were made in straight into the next product, so that
// of shared memory only keys and values are read: 64 bytes a clock at most. A warp beside them asks for keys and values, copies that the device makes by itself, as many tiles
// ahead as there is room, also of the next tile of queries while this one ends.
//
// While the tensor cores multiply shares of one tile of cells by its values and queries by the keys of the next, a thread makes shares of what came before. The warpgroups take
// turns: the products of one run while the other, whose own have just ended, makes its shares. Of 1,024 clocks that both warpgroups' products of a tile take at their best (heads
// of 128), the shares of each take some 350 of issue.
//
// A tile of cells is where flash.cuh has it and a row does the same steps there, but the tensor cores add in an order of their own: a device attends either always here or never
// (attention_choice.cuh).
#pragma once

#include "cuda/async_copies.h"
#include "cuda/kernels/flash.cuh"
#include "cuda/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int group_attention_warps = 8;
// A third warpgroup, of which one warp asks for copies, so that the registers of the others can go to those who multiply.
constexpr int group_attention_threads = 32 * (group_attention_warps + 4);
constexpr int group_attention_few_registers = 40;
constexpr int group_attention_many_registers = 232;
/// Keys or values of 64 cells that there is room for, and how they lie: 64 elements (128 bytes) of each cell, a cell a row as warpgroups.h has them, then the next 64 elements.
constexpr int group_attention_stages = 12;
constexpr int group_part_bytes = cell_tile * 128;

template <int width>
constexpr int group_matrix_bytes = width / 64 * group_part_bytes;

template <int width>
constexpr std::size_t group_attention_bytes = matrix_alignment + group_attention_stages * group_matrix_bytes<width> + (2 * group_attention_stages + 3) * sizeof(CopyBarrier);

struct GroupAttention {
  Cache cache;
  int query_heads;
  int layer;
  const QueryTile* tiles;
  int tile_count;
  const int* first;
  const int* visible;
  int first_row;  // of the batch; q and out begin with it
  const float* q;
  float* out;
  TileMap cells;  // the cache: a row has the heads of a cell, a box is 64 elements of 64 cells
};

/// What a block takes at a time.
struct QueryUnit {
  QueryTile tile;
  int kv_head;
};
/// The longest are last in the batch and begin first, and who had the first of one round has the last of the next. False where there is none in this round.
__device__ __forceinline__ bool query_unit(const GroupAttention& work, int round, QueryUnit& unit) {
  const int number = round * grid_x() + (round % 2 == 0 ? block_x() : grid_x() - 1 - block_x());
  if (number >= work.tile_count * work.cache.heads) return false;
  unit.tile = work.tiles[work.tile_count - 1 - number / work.cache.heads];
  unit.kv_head = number % work.cache.heads;
  return true;
}
__device__ __forceinline__ int query_rounds(const GroupAttention& work) { return (work.tile_count * work.cache.heads + grid_x() - 1) / grid_x(); }
__device__ __forceinline__ int cell_tiles(const QueryTile& tile) { return (tile.end - tile.begin + cell_tile - 1) / cell_tile; }

/// By a warp: asks for all keys and values of the block, the first of a tile's keys, its values, the next keys.
template <int width>
__device__ __forceinline__ void bring_cells(const GroupAttention& work, std::uint8_t* stages, CopyBarrier* full, CopyBarrier* empty, CopyBarrier* unfinished) {
  const int lane = thread_number() % 32;
  const Cache& cache = work.cache;
  int k = 0;
  int unfinished_phase = 0;
  for (int round = 0; round < query_rounds(work); ++round) {
    QueryUnit unit;
    if (!query_unit(work, round, unit)) continue;
    const int count = cell_tiles(unit.tile);
    LECTERN_NO_UNROLL
    for (int m = 0; m < 2 * count; ++m, ++k) {
      const int stage = k % group_attention_stages;
      const int begin = unit.tile.begin + m / 2 * cell_tile;
      std::uint8_t* const to = stages + stage * group_matrix_bytes<width>;
      if (k >= group_attention_stages) wait_for(empty + stage, k / group_attention_stages - 1);
      // Behind the last cell lies what nobody wrote or somebody left: no share of it is more than zero, but nothing times what is no number is none.
      const bool whole = m % 2 == 0 || begin + cell_tile <= unit.tile.end;
      CopyBarrier* const there = whole ? full + stage : unfinished;
      if (lane == 0) {
        arrive_expecting(there, group_matrix_bytes<width>);
        const int row = ((work.layer * cache.slots + unit.tile.slot) * 2 + m % 2) * cache.positions + begin;
        LECTERN_UNROLL
        for (int part = 0; part < width / 64; ++part) copy_box(to + part * group_part_bytes, work.cells, unit.kv_head * cache.head_size + 64 * part, row, there);
      }
      if (!whole) {
        wait_for(unfinished, unfinished_phase++);
        const int cells = unit.tile.end - begin;
        for (int i = lane; i < (cell_tile - cells) * width / 8; i += 32) {
          const int chunk = i % (width / 8);
          const Word zeros[4] = {};
          store_words(to + chunk / 8 * group_part_bytes + (cells + i / (width / 8)) * 128 + chunk % 8 * 16, zeros);
        }
        show_to_products();
        synchronise_warp();
        if (lane == 0) arrive(full + stage);
      }
      synchronise_warp();
      // The queries that come next are asked for while there is time.
      if (m == 0) {
        QueryUnit next;
        if (round + 1 < query_rounds(work) && query_unit(work, round + 1, next)) {
          const int together = work.query_heads / cache.heads * cache.head_size;
          for (int token = lane; token < next.tile.tokens; token += 32) {
            prefetch(work.q + static_cast<std::size_t>(next.tile.first_row + token - work.first_row) * static_cast<std::size_t>(work.query_heads * cache.head_size) + static_cast<std::size_t>(next.kv_head * together),
                     together * static_cast<int>(sizeof(float)));
          }
        }
        synchronise_warp();
      }
    }
  }
}

/// Two rows of a thread, 8 apart: what they see, what they have seen.
template <int width>
struct GroupRows {
  bool active[2];
  int at[2];
  int sees_from[2];
  int sees_to[2];
  Word queries[width / 16][4];
  float largest[2];
  float total[2];  // of this thread's columns
  float shrink[2];

  /// What they see is asked for beside their queries.
  __device__ __forceinline__ void begin(const GroupAttention& work, const QueryUnit& unit) {
    const int lane = thread_number() % 32;
    const int size = work.cache.head_size;
    const int group = work.query_heads / work.cache.heads;
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int row = thread_number() / 32 * 16 + lane / 4 + 8 * half;
      active[half] = row < unit.tile.tokens * group;
      const int batch_row = unit.tile.first_row + (active[half] ? row / group : 0);
      at[half] = ((batch_row - work.first_row) * work.query_heads + unit.kv_head * group + (active[half] ? row % group : 0)) * size;
      sees_from[half] = active[half] ? work.first[batch_row] : 0;
      sees_to[half] = active[half] ? work.visible[batch_row] : 0;
      largest[half] = -INFINITY;
      total[half] = 0.0F;
      shrink[half] = 1.0F;
    }
    LECTERN_UNROLL
    for (int k = 0; k < width / 16; ++k) {
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int column = 16 * k + 2 * (lane % 4) + 8 * (i / 2);
        Words<2> two{};
        if (column < size && active[i % 2]) two = *reinterpret_cast<const Words<2>*>(work.q + at[i % 2] + column);
        // Powers of two are what the hardware raises.
        queries[k][i] = pack_halves(in_half_range(1.44269504F * float_of_bits(two.w[0])), in_half_range(1.44269504F * float_of_bits(two.w[1])));
      }
    }
  }

  /// Scores of 64 cells from `begin` on become shares, in floats.
  __device__ __forceinline__ void share(int begin, float (&scores)[cell_tile / 8][4]) {
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      if (begin < sees_from[half] || begin + cell_tile > sees_to[half]) {
        LECTERN_UNROLL
        for (int n = 0; n < cell_tile / 8; ++n) {
          LECTERN_UNROLL
          for (int c = 2 * half; c < 2 * half + 2; ++c) {
            const int cell = begin + 8 * n + 2 * (thread_number() % 4) + c % 2;
            if (cell < sees_from[half] || cell >= sees_to[half]) scores[n][c] = -INFINITY;
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
  }

  /// The shares as the next product takes them, and the sums so far as it finds them.
  __device__ __forceinline__ void take_shares(const float (&scores)[cell_tile / 8][4], Word (&shares)[cell_tile / 16][4], float (&sums)[width / 8][4]) const {
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
  }

  __device__ __forceinline__ void leave(int head_size, const float (&sums)[width / 8][4], float* out) {
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      total[half] += shuffle_xor(total[half], 1);
      total[half] += shuffle_xor(total[half], 2);
      if (!active[half]) continue;
      LECTERN_UNROLL
      for (int d = 0; d < width / 8; ++d) {
        const int column = 8 * d + 2 * (thread_number() % 4);
        if (column >= head_size) continue;
        const Words<2> two{{bits_of_float(sums[d][2 * half] / total[half]), bits_of_float(sums[d][2 * half + 1] / total[half])}};
        *reinterpret_cast<Words<2>*>(out + at[half] + column) = two;
      }
    }
  }
};

/// Grid: as many blocks as run at a time, or fewer. width: the head size rounded up.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(group_attention_threads, 1) void attend_group_tiles(const LECTERN_IN_PLACE GroupAttention work) {
#if defined(LECTERN_HAS_GROUPS)
  static_assert(32 * group_attention_warps == 2 * warpgroup_threads && query_rows == 2 * warpgroup_rows, "two warpgroups");
  std::uint8_t* const stages = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  auto* const full = reinterpret_cast<CopyBarrier*>(stages + group_attention_stages * group_matrix_bytes<width>);
  CopyBarrier* const empty = full + group_attention_stages;
  CopyBarrier* const turns = empty + group_attention_stages;  // of the two warpgroups
  CopyBarrier* const unfinished = turns + 2;
  if (thread_number() == 0) {
    for (int stage = 0; stage < group_attention_stages; ++stage) {
      init_barrier(full + stage, 1);
      init_barrier(empty + stage, group_attention_warps);
    }
    for (int group = 0; group < 2; ++group) init_barrier(turns + group, group_attention_warps / 2);
    init_barrier(unfinished, 1);
    show_barriers();
  }
  synchronise_block();

  if (thread_number() >= 32 * group_attention_warps) {
    give_up_registers<group_attention_few_registers>();
    if (thread_number() < 32 * (group_attention_warps + 1)) bring_cells<width>(work, stages, full, empty, unfinished);
    return;
  }
  take_registers<group_attention_many_registers>();
  const int own = thread_number() / warpgroup_threads;
  const bool speaks = thread_number() % 32 == 0;
  const Word base = shared_address(stages);
  const auto wait_for_matrix = [&](int k) { wait_for(full + k % group_attention_stages, k / group_attention_stages); };
  const auto release = [&](int k) {
    if (speaks) arrive(empty + k % group_attention_stages);
  };
  int k = 0;     // matrices before those of the unit
  int turn = 0;  // products that both have asked for
  for (int round = 0; round < query_rounds(work); ++round) {
    QueryUnit unit;
    if (!query_unit(work, round, unit)) continue;
    const int count = cell_tiles(unit.tile);
    const int rows = unit.tile.tokens * (work.query_heads / work.cache.heads);
    const bool both = rows > warpgroup_rows;
    if (own == 1 && !both) {
      for (int m = 0; m < 2 * count; ++m, ++k) {
        wait_for_matrix(k);
        release(k);
      }
      continue;
    }
    GroupRows<width> own_rows;
    own_rows.begin(work, unit);
    float scores[cell_tile / 8][4] = {};
    float sums[width / 8][4] = {};
    Word shares[cell_tile / 16][4];
    /// Asks for the scores of cells whose keys are matrix `matrix`.
    const auto score = [&](int matrix) {
      const Word keys = base + static_cast<Word>(matrix % group_attention_stages * group_matrix_bytes<width>);
      LECTERN_UNROLL
      for (int step = 0; step < width / 16; ++step) {
        const MatrixPlace right = further(place_at(keys + static_cast<Word>(step / 4 * group_part_bytes)), step % 4);
        if (step == 0) multiply_held<false, Side::straight>(scores, own_rows.queries[step], right);
        else multiply_held<true, Side::straight>(scores, own_rows.queries[step], right);
      }
      end_products();
    };
    /// And for the sums over values that are.
    const auto add = [&](int matrix) {
      const Word values = base + static_cast<Word>(matrix % group_attention_stages * group_matrix_bytes<width>);
      LECTERN_UNROLL
      for (int step = 0; step < cell_tile / 16; ++step) multiply_held<true, Side::turned>(sums, shares[step], turned_place_at(values + static_cast<Word>(16 * step * 128), group_part_bytes));
      end_products();
    };

    wait_for_matrix(k);
    hold_sums(scores);
    begin_products();
    score(k);
    wait_for_products<0>();
    hold_sums(scores);
    release(k);
    own_rows.share(unit.tile.begin, scores);
    own_rows.take_shares(scores, shares, sums);
    hold_sums(sums);
    hold_words(shares);
    LECTERN_NO_UNROLL
    for (int i = 0; i + 1 < count; ++i, k += 2) {
      wait_for_matrix(k + 1);
      wait_for_matrix(k + 2);
      if (both && turn + own > 0) wait_for(turns + own, turn + own - 1);
      begin_products();
      score(k + 2);
      add(k + 1);
      if (both) {
        if (speaks) arrive(turns + 1 - own);
        ++turn;
      }
      wait_for_products<1>();
      hold_sums(scores);
      release(k + 2);
      own_rows.share(unit.tile.begin + (i + 1) * cell_tile, scores);
      wait_for_products<0>();
      hold_sums(sums);
      release(k + 1);
      own_rows.take_shares(scores, shares, sums);
      hold_sums(sums);
      hold_words(shares);
    }
    wait_for_matrix(k + 1);
    begin_products();
    add(k + 1);
    wait_for_products<0>();
    hold_sums(sums);
    release(k + 1);
    k += 2;
    own_rows.leave(work.cache.head_size, sums, work.out);
  }
#endif
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
