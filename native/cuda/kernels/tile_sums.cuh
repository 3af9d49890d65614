// The end of a tile of answers' products (decode_tiles.cuh): the warps that multiply leave what they have summed, and another one adds it and makes of it what
// shall become of it, while they go on with the next tile.
#pragma once

#include "cuda/async_copies.h"
#include "cuda/kernels/decode_rows.cuh"
#include "cuda/kernels/tile_units.cuh"
#include "cuda/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Rows of x whose sums the tensor cores make together.
constexpr int columns_together = 2;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// What the warps that multiply have summed of a tile: as much room for the next while one is ended.
struct TileSums {
  float* values;      // two of (multiplying_warps, most_decode_rows, decode_tile_rows)
  CopyBarrier* full;  // two: by all warps that multiply
  CopyBarrier* free;  // two: has been read
  float* gathered;    // (most_decode_rows, 32): outputs of a gated product, until they are a stretch
};
constexpr int tile_sums = most_decode_rows * decode_tile_rows;

/// The row of a tile's first half that a lane of a warp which multiplies has: such that lanes which read together find their chunks, which lie where their
/// rows' numbers say (async_copies.h), in different banks.
__device__ __forceinline__ int lane_row(int lane) { return lane / 16 + lane / 8 % 2 * 2 + lane / 4 % 2 * 4; }

/// By a warp that multiplies: what its lanes have summed goes to where the tile is ended. Lanes of one row are added by a tree, whatever else is.
template <int width>
__device__ __forceinline__ void leave_sums(const float (&sums)[2][width], float* values) {
  const int lane = thread_number() % 32;
  const bool second_half = lane % 2 != 0;
  const bool second_row = lane / 2 % 2 != 0;
  float* const to = values + (thread_number() / 32 * tile_sums) + lane_row(lane) + (second_half ? decode_tile_rows / 2 : 0);
  float of_half[width];
  LECTERN_UNROLL
  for (int r = 0; r < width; ++r) of_half[r] = (second_half ? sums[1][r] : sums[0][r]) + shuffle_xor(second_half ? sums[0][r] : sums[1][r], 1);
  if constexpr (width == 1) {
    const float sum = of_half[0] + shuffle_xor(of_half[0], 2);
    if (!second_row) to[0] = sum;
  } else {
    LECTERN_UNROLL
    for (int r = 0; r < width; r += 2) to[decode_tile_rows * (r + (second_row ? 1 : 0))] = (second_row ? of_half[r + 1] : of_half[r]) + shuffle_xor(second_row ? of_half[r] : of_half[r + 1], 2);
  }
}

/// What a tile's sums become; lane l has that of tile row l % 16 for rows l / 16 and l / 16 + 2 of x.
__device__ __forceinline__ void finish_tile(const DecodeWork& work, const TileSums& sums, int unit, int row, float sum, float before) {
  constexpr int half = decode_tile_rows / 2;
  const int i = thread_number() % decode_tile_rows;
  const TileUnit tile = tile_unit(work, unit);
  const bool neighbours = work.then == Then::heads && !pairs_lie_apart(work, tile);
  const float other = shuffle_xor(sum, neighbours ? 1 : half);
  if (row >= work.rows) return;
  if (work.then == Then::gated) {
    if (i < half) sums.gathered[32 * row + half * (tile.number % gated_tiles) + i] = gated_value(sum, other);
    return;
  }
  const int own = tile_row(work, tile, i);
  if (work.then == Then::heads) {
    if (neighbours ? i % 2 == 0 : i < half) finish_head_rows<2>(work, tile.which, {{own, tile_row(work, tile, i + (neighbours ? 1 : half))}}, row, {sum, other});
    return;
  }
  const DecodeMatrix& matrix = work.matrices[0];
  if (own >= matrix.rows) return;
  const float value = matrix.bias == nullptr ? sum : sum + matrix.bias[own];
  work.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(own)] = work.then == Then::add ? before + value : value;
}

/// The warp that ends tiles.
template <int width>
__device__ __forceinline__ void finish_tiles(const DecodeWork& work, const TileSums& sums, const TileRange& tiles) {
  constexpr int turns = width > columns_together ? 2 : 1;
  const int lane = thread_number() % 32;
  LECTERN_NO_UNROLL
  for (int number = 0; number < tiles.end - tiles.begin; ++number) {
    const int unit = tiles.begin + number;
    float before[turns];
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      const int row = lane / decode_tile_rows + 2 * turn;
      const int own = decode_tile_rows * unit + lane % decode_tile_rows;
      before[turn] = 0.0F;
      if (work.then == Then::add && row < work.rows && own < work.matrices[0].rows) {
        before[turn] = load_one_of_others(work.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(work.matrices[0].rows) + static_cast<std::size_t>(own));
      }
    }
    const int room = number % 2;
    wait_for(sums.full + room, number / 2);
    float total[turns];
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      const float* const from = sums.values + room * multiplying_warps * tile_sums + 32 * turn + lane;
      float some[multiplying_warps];
      LECTERN_UNROLL
      for (int warp = 0; warp < multiplying_warps; ++warp) some[warp] = from[warp * tile_sums];
      LECTERN_UNROLL
      for (int step = 1; step < multiplying_warps; step *= 2) {
        LECTERN_UNROLL
        for (int warp = 0; warp < multiplying_warps; warp += 2 * step) some[warp] += some[warp + step];
      }
      total[turn] = some[0];
    }
    synchronise_warp();
    if (lane == 0) arrive(sums.free + room);
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) finish_tile(work, sums, unit, lane / decode_tile_rows + 2 * turn, total[turn], before[turn]);
    if (work.then != Then::gated || (unit + 1) % gated_tiles != 0) continue;
    synchronise_warp();
    write_gated(work, unit / gated_tiles, sums.gathered, 32);
    synchronise_warp();
  }
}

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
