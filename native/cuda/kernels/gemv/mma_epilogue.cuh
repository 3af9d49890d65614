// The end of a tile of answers' products (mma_gemv.cuh): the warps that multiply leave what they have summed, and another one adds it and makes of it what
// shall become of it, while they go on with the next tile.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/gemv/gemv_dot.cuh"
#include "cuda/kernels/gemv/mma_tiles.cuh"
#include "cuda/ops/launchers.h"

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

/// Of a row of bytes that the norm's weight alone is in: what its sums are multiplied by. By all lanes of a warp.
__device__ __forceinline__ float rest_of_norm(const DecodeWork& work, int row) {
  const int stretches = work.columns / 32;
  const float* const squares = work.squares + static_cast<std::size_t>(row) * static_cast<std::size_t>(stretches);
  float sum = 0.0F;
  LECTERN_UNROLL_BY(8)
  for (int i = thread_number() % 32; i < stretches; i += 32) sum += load_one_of_others(squares + i);
  return 1.0F / sqrtf(warp_sum(sum) / static_cast<float>(work.columns) + work.norm.epsilon);
}

/// What a tile's sums become; lane l has that of tile row l % 16 for rows l / 16 and l / 16 + 2 of x.
__device__ __forceinline__ void finish_tile(const DecodeWork& work, const TileSums& sums, int unit, int row, float sum, float before) {
  constexpr int half = decode_tile_rows / 2;
  const int i = thread_number() % decode_tile_rows;
  const TileUnit tile = tile_unit(work, unit);
  const bool neighbours = work.then == Then::heads && !pairs_lie_apart(work, tile);
  const float other = shuffle_xor(sum, neighbours ? 1 : half);
  if (row >= work.rows) return;
  const int in_stretch = unit % tiles_together(work);
  if (work.then == Then::gated) {
    if (i < half) sums.gathered[32 * row + half * in_stretch + i] = gated_value(sum, other);
    return;
  }
  const int own = tile_row(work, tile, i);
  if (work.then == Then::heads) {
    if (neighbours ? i % 2 == 0 : i < half) finish_head_rows<2>(work, tile.which, {{own, tile_row(work, tile, i + (neighbours ? 1 : half))}}, row, {sum, other});
    return;
  }
  const DecodeMatrix& matrix = work.matrices[0];
  if (own >= matrix.rows) return;
  const float value = before + (matrix.bias == nullptr ? sum : sum + matrix.bias[own]);
  work.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(own)] = value;
  sums.gathered[32 * row + decode_tile_rows * in_stretch + i] = value;
}

/// By a warp: 32 outputs of each row of x as the next product takes them, `weight` the norm's of the lane's four.
__device__ __forceinline__ void write_before_norm(const DecodeWork& work, int stretch, const float* gathered, const Words<4>& weight) {
  static_assert(most_decode_rows * 8 == 32, "eight lanes a row");
  const int lane = thread_number() % 32;
  const int row = lane / 8;
  const bool there = row < work.rows;
  const int stretches = work.matrices[0].rows / 32;
  float values[4];
  float squares = 0.0F;
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) {
    values[k] = there ? gathered[4 * lane + k] : 0.0F;
    squares = fmaf(values[k], values[k], squares);
    values[k] *= float_of_bits(weight.w[k]);
  }
  LECTERN_UNROLL
  for (int mask = 1; mask < 8; mask <<= 1) squares += shuffle_xor(squares, mask);
  write_activations(values, there, stretches, stretch, work.quantised_out + static_cast<std::size_t>(row) * static_cast<std::size_t>(activation_row_bytes(stretches)));
  if (there && lane % 8 == 0) work.squares_out[static_cast<std::size_t>(row) * static_cast<std::size_t>(stretches) + static_cast<std::size_t>(stretch)] = squares;
}

/// The warp that ends tiles.
template <int width>
__device__ __forceinline__ void finish_tiles(const DecodeWork& work, const TileSums& sums, const TileRange& tiles) {
  constexpr int turns = width > columns_together ? 2 : 1;
  const int lane = thread_number() % 32;
  const int together = tiles_together(work);
  float rest[turns];
  LECTERN_UNROLL
  for (float& one : rest) one = 1.0F;
  LECTERN_NO_UNROLL
  for (int row = 0; work.squares != nullptr && row < work.rows; ++row) {
    const float of_row = rest_of_norm(work, row);
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      if (lane / decode_tile_rows + 2 * turn == row) rest[turn] = of_row;
    }
  }
  Words<4> weight{};
  LECTERN_NO_UNROLL
  for (int number = 0; number < tiles.end - tiles.begin; ++number) {
    const int unit = tiles.begin + number;
    const bool leaves = work.then == Then::add && work.quantised_out != nullptr;
    if (leaves && unit % together == 0) weight = *reinterpret_cast<const Words<4>*>(work.norm_out + decode_tile_rows * unit + 4 * (lane % 8));
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
    // Rounded here, whatever is added behind: the compiler may not make one of both for some numbers of rows and not for others.
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) finish_tile(work, sums, unit, lane / decode_tile_rows + 2 * turn, fmaf(rest[turn], total[turn], 0.0F), before[turn]);
    if (together == 1 || (unit + 1) % together != 0) continue;
    synchronise_warp();
    if (leaves) write_before_norm(work, unit / together, sums.gathered, weight);
    else write_gated(work, unit / together, sums.gathered, 32);
    synchronise_warp();
  }
}

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
