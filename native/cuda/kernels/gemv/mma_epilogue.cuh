// The epilogue of a tile of mma_gemv.cuh: consumer warps store their partial sums to shared memory, and the epilogue warp adds them and stores the outputs,
// while the consumer warps go on with the next tile.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/gemv/gemv_dot.cuh"
#include "cuda/kernels/gemv/mma_tiles.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Rows of x whose sums one mma.sync computes.
constexpr int columns_together = 2;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// Partial sums of a tile, double-buffered: the epilogue of one tile overlaps with the next tile.
struct PartialSums {
  float* values;      // two of (consumer_warps, max_gemv_rows, gemv_tile_rows)
  Mbarrier* full;  // two: every consumer warp has stored its sums
  Mbarrier* free;  // two: the epilogue warp has read them
  float* gathered;    // (max_gemv_rows, 32): outputs, until they are a whole quant block
};
constexpr int partial_sums_count = max_gemv_rows * gemv_tile_rows;

/// The row of the first half of a tile that a lane of a consumer warp takes, such that the swizzled chunks (async_copies.h) of lanes that read together
/// lie in different banks.
__device__ __forceinline__ int lane_row(int lane) { return lane / 16 + lane / 8 % 2 * 2 + lane / 4 % 2 * 4; }

/// Called by a consumer warp: stores the sums of its lanes. The lanes of one row are added as a tree, in a fixed order.
template <int width>
__device__ __forceinline__ void leave_sums(const float (&sums)[2][width], float* values) {
  const int lane = thread_number() % 32;
  const bool second_half = lane % 2 != 0;
  const bool second_row = lane / 2 % 2 != 0;
  float* const to = values + (thread_number() / 32 * partial_sums_count) + lane_row(lane) + (second_half ? gemv_tile_rows / 2 : 0);
  float of_half[width];
  LECTERN_UNROLL
  for (int r = 0; r < width; ++r) of_half[r] = (second_half ? sums[1][r] : sums[0][r]) + shuffle_xor(second_half ? sums[0][r] : sums[1][r], 1);
  if constexpr (width == 1) {
    const float sum = of_half[0] + shuffle_xor(of_half[0], 2);
    if (!second_row) to[0] = sum;
  } else {
    LECTERN_UNROLL
    for (int r = 0; r < width; r += 2) to[gemv_tile_rows * (r + (second_row ? 1 : 0))] = (second_row ? of_half[r + 1] : of_half[r]) + shuffle_xor(second_row ? of_half[r] : of_half[r + 1], 2);
  }
}

/// Called by all lanes of a warp: the scale of the norm for a quantised row that was multiplied by the weights of the norm alone.
__device__ __forceinline__ float rms_scale(const GemvParams& params, int row) {
  const int quant_blocks = params.columns / 32;
  const float* const squares = params.squares + static_cast<std::size_t>(row) * static_cast<std::size_t>(quant_blocks);
  float sum = 0.0F;
  LECTERN_UNROLL_BY(8)
  for (int i = thread_number() % 32; i < quant_blocks; i += 32) sum += load_coherent_one(squares + i);
  return 1.0F / sqrtf(warp_sum(sum) / static_cast<float>(params.columns) + params.norm.epsilon);
}

/// The epilogue of a tile; lane l has tile row l % 16 for rows l / 16 and l / 16 + 2 of x.
__device__ __forceinline__ void finish_tile(const GemvParams& params, const PartialSums& sums, int unit, int row, float sum, float residual) {
  constexpr int half = gemv_tile_rows / 2;
  const int i = thread_number() % gemv_tile_rows;
  const TileCoord tile = tile_coord(params, unit);
  const bool consecutive_rows = params.epilogue == GemvEpilogue::qkv && !splits_rope_pairs(params, tile);
  const float other = shuffle_xor(sum, consecutive_rows ? 1 : half);
  if (row >= params.rows) return;
  const int in_quant_block = unit % tiles_per_unit(params);
  if (params.epilogue == GemvEpilogue::gated) {
    if (i < half) sums.gathered[32 * row + half * in_quant_block + i] = silu_gate(sum, other);
    return;
  }
  const int own = tile_row(params, tile, i);
  if (params.epilogue == GemvEpilogue::qkv) {
    if (consecutive_rows ? i % 2 == 0 : i < half) store_head_rows<2>(params, tile.which, {{own, tile_row(params, tile, i + (consecutive_rows ? 1 : half))}}, row, {sum, other});
    return;
  }
  const GemvMatrix& matrix = params.matrices[0];
  if (own >= matrix.rows) return;
  const float value = residual + (matrix.bias == nullptr ? sum : sum + matrix.bias[own]);
  params.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(own)] = value;
  sums.gathered[32 * row + gemv_tile_rows * in_quant_block + i] = value;
}

/// Called by a warp: stores 32 outputs of each row of x quantised for the next product; `weight`: the norm weights of the lane's four outputs.
__device__ __forceinline__ void write_normed_input(const GemvParams& params, int quant_block, const float* gathered, const Words<4>& weight) {
  static_assert(max_gemv_rows * 8 == 32, "eight lanes a row");
  const int lane = thread_number() % 32;
  const int row = lane / 8;
  const bool there = row < params.rows;
  const int quant_blocks = params.matrices[0].rows / 32;
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
  write_quantised(values, there, quant_blocks, quant_block, params.quantised_out + static_cast<std::size_t>(row) * static_cast<std::size_t>(activation_row_bytes(quant_blocks)));
  if (there && lane % 8 == 0) params.squares_out[static_cast<std::size_t>(row) * static_cast<std::size_t>(quant_blocks) + static_cast<std::size_t>(quant_block)] = squares;
}

/// The loop of the epilogue warp.
template <int width>
__device__ __forceinline__ void run_epilogue_warp(const GemvParams& params, const PartialSums& sums, const TileRange& tiles) {
  constexpr int turns = width > columns_together ? 2 : 1;
  const int lane = thread_number() % 32;
  const int together = tiles_per_unit(params);
  float rest[turns];
  LECTERN_UNROLL
  for (float& one : rest) one = 1.0F;
  LECTERN_NO_UNROLL
  for (int row = 0; params.squares != nullptr && row < params.rows; ++row) {
    const float of_row = rms_scale(params, row);
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      if (lane / gemv_tile_rows + 2 * turn == row) rest[turn] = of_row;
    }
  }
  Words<4> weight{};
  LECTERN_NO_UNROLL
  for (int number = 0; number < tiles.end - tiles.begin; ++number) {
    const int unit = tiles.begin + number;
    const bool leaves = params.epilogue == GemvEpilogue::add && params.quantised_out != nullptr;
    if (leaves && unit % together == 0) weight = *reinterpret_cast<const Words<4>*>(params.norm_out + gemv_tile_rows * unit + 4 * (lane % 8));
    float residual[turns];
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      const int row = lane / gemv_tile_rows + 2 * turn;
      const int own = gemv_tile_rows * unit + lane % gemv_tile_rows;
      residual[turn] = 0.0F;
      if (params.epilogue == GemvEpilogue::add && row < params.rows && own < params.matrices[0].rows) {
        residual[turn] = load_coherent_one(params.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(params.matrices[0].rows) + static_cast<std::size_t>(own));
      }
    }
    const int buffer = number % 2;
    mbarrier_wait(sums.full + buffer, number / 2);
    float total[turns];
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      const float* const from = sums.values + buffer * consumer_warps * partial_sums_count + 32 * turn + lane;
      float some[consumer_warps];
      LECTERN_UNROLL
      for (int warp = 0; warp < consumer_warps; ++warp) some[warp] = from[warp * partial_sums_count];
      LECTERN_UNROLL
      for (int step = 1; step < consumer_warps; step *= 2) {
        LECTERN_UNROLL
        for (int warp = 0; warp < consumer_warps; warp += 2 * step) some[warp] += some[warp + step];
      }
      total[turn] = some[0];
    }
    synchronise_warp();
    if (lane == 0) mbarrier_arrive(sums.free + buffer);
    // fmaf rounds here, whatever is added behind: the compiler may not fuse both operations for some numbers of rows and not for others.
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) finish_tile(params, sums, unit, lane / gemv_tile_rows + 2 * turn, fmaf(rest[turn], total[turn], 0.0F), residual[turn]);
    if (together == 1 || (unit + 1) % together != 0) continue;
    synchronise_warp();
    if (leaves) write_normed_input(params, unit / together, sums.gathered, weight);
    else write_gated(params, unit / together, sums.gathered, 32);
    synchronise_warp();
  }
}

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
