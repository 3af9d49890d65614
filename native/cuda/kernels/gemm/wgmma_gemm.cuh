// GEMM by wgmma (sm_90a), with the tiles of mma_gemm.cuh: the tensor cores read shared memory themselves. On these devices mma.sync reaches
// about 60 % of this rate. From 192 rows on wgmma_unpacked_gemm.cuh, which reads weights that were unpacked before, is used where a trial on the device finds it right.
//
// Two warpgroups share a tile of 128 rows by 256 outputs; each computes 64 rows with all outputs. A K tile (64 columns) is 2.1 M multiply-adds, at least 1,024 clocks of the tensor
// cores. In this time the same threads unpack the weights of the next K tile: 16,384 weights at about 4 instructions each, which is 540 warp instructions for each of the four
// partitions of a multiprocessor. A warpgroup waits for the wgmma of one K tile after it has issued that of the next, so that the tensor cores do not run dry.
// For each K tile the tensor cores read 80 KB of shared memory (each warpgroup its own 8 KB of rows and all 32 KB of weights), and 48 KB are written to it: 128 bytes per clock, which is its limit.
//
// Stages: the data of K tile s are written during tile s - 1 (weights) and s - 2 (rows), to where tile s - 3 or s - 4 was read; those
// products were waited for at the end of tile s - 2 at the latest, with a barrier in between.
//
// A sum adds its columns from the left, sixteen by sixteen, whatever the tile, as in mma_gemm.cuh, but with other last bits: within
// sixteen columns the tensor cores round in their own way. So a device multiplies a type always here or never (warpgroup_selection.cuh).
#pragma once

#include "cuda/kernels/gemm/gemm_tile.cuh"
#include "cuda/simt/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// 128 by 256: the fastest shape of the tensor cores.
struct WideTile {
  static constexpr int warp_rows = 16, warp_outputs = 256, row_warps = 8, output_warps = 1, blocks = 1;
};
/// 128 by 128, where there would be fewer wide tiles than multiprocessors.
struct MiddleTile {
  static constexpr int warp_rows = 16, warp_outputs = 128, row_warps = 8, output_warps = 1, blocks = 1;
};
/// 64 by 64 for few rows: many small blocks, each with its own loads in flight.
struct NarrowTile {
  static constexpr int warp_rows = 16, warp_outputs = 64, row_warps = 4, output_warps = 1, blocks = 3;
};

template <class Tile, bool unpacked>
struct WgmmaShape : TileExtent<Tile> {
  using TileExtent<Tile>::row_bytes;
  using TileExtent<Tile>::weight_bytes;
  static constexpr int row_stages = 4;
  static constexpr int weight_stages = unpacked ? 3 : row_stages;
  // Matrices begin at the alignment of the swizzle, wherever the block's memory begins.
  static constexpr std::size_t shared_bytes = std::size_t{matrix_alignment + row_stages * row_bytes + weight_stages * weight_bytes};
};

/// The epilogue of a tile, through the shared memory of the stages: unrolled for each of a thread's 128 accumulators the epilogues
/// would not fit into the instruction cache, and here a warp writes 512 bytes of a row at a time.
template <DType type, class Weights, class Tile, bool gated>
__device__ __forceinline__ void store_tile(const GemmParams& product, int first_row, const float (&sums)[Tile::warp_outputs / 8][4], float* shared) {
  // Eight words of padding per row: the eight rows that a warp writes together lie in different banks.
  constexpr int pitch = Tile::warp_outputs + 8;
  const int lane = thread_number() % 32;
  LECTERN_UNROLL
  for (int o = 0; o < Tile::warp_outputs / 8; ++o) {
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      float* const to = shared + (thread_number() / 32 * 16 + 8 * half + lane / 4) * pitch + 8 * o + 2 * (lane % 4);
      to[0] = sums[o][2 * half];
      to[1] = sums[o][2 * half + 1];
    }
  }
  synchronise_block();
  // In a gated tile the second half of a row belongs to the other matrix.
  constexpr int width = Weights::block_outputs;
  static_assert(width % 32 == 0 && TileExtent<Tile>::threads % 32 == 0, "a warp has outputs of one row");
  LECTERN_NO_UNROLL
  for (int i = thread_number(); i < TileExtent<Tile>::rows * width; i += TileExtent<Tile>::threads) {
    const int row = first_row + i / width;
    const int output = block_y() * width + i % width;
    if (row >= product.rows || output >= product.outputs) continue;
    const float* const from = shared + i / width * pitch + i % width;
    store_output<type, gated>(product, row, output, product.x.scales == nullptr ? 1.0F : product.x.scales[row], *from, gated ? from[width] : 0.0F);
  }
}

/// Grid: row tiles by output tiles, as mma_gemm.
template <DType type, class Tile, bool gated>
__global__ LECTERN_LAUNCH_BOUNDS((TileExtent<Tile>::threads), Tile::blocks) void wgmma_gemm(GemmParams product) {
#if defined(LECTERN_HAS_WGMMA)
  using Shape = WgmmaShape<Tile, is_quantised<type>>;
  using Weights = WeightTile<type, Tile, gated>;
  constexpr int output_blocks = Tile::warp_outputs / 8;
  std::uint8_t* const shared_rows = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  std::uint8_t* const shared_weights = shared_rows + Shape::row_stages * Shape::row_bytes;
  const int first_row = block_x() * Shape::rows;
  const int steps = (product.columns + tile_k - 1) / tile_k;

  const auto copy_stages = [&](int step) {
    if (step < steps) {
      copy_input<Tile>(product, first_row, step, shared_rows + step % Shape::row_stages * Shape::row_bytes);
      if constexpr (!Weights::unpacked) {
        copy_step<Shape::outputs, Shape::threads, false>(shared_weights + step % Shape::weight_stages * Shape::weight_bytes, step, product.columns,
                                                  [&](int row) { return Weights::row_of(product, row); });
      }
    }
    cp_async_commit();  // an empty group, too, so that groups can be counted
  };
  WeightPrefetch<type, Tile, gated> prefetch(product);
  const auto store_weights = [&](int step) {
    LECTERN_UNROLL
    for (int part = 0; part < 4; ++part) prefetch.store(step, part, shared_weights + step % Shape::weight_stages * Shape::weight_bytes);
  };

  float sums[output_blocks][4];
  LECTERN_UNROLL
  for (int o = 0; o < output_blocks; ++o) {
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) sums[o][i] = 0.0F;
  }

  const Word group_rows = shared_address(shared_rows) + static_cast<Word>(thread_number() / warpgroup_threads * warpgroup_rows * tile_k_bytes);
  const Word group_weights = shared_address(shared_weights);
  copy_stages(0);
  copy_stages(1);
  prefetch.load(0);
  prefetch.take();
  prefetch.load(1);
  store_weights(0);
  prefetch.take();
  fence_accumulators(sums);
  LECTERN_NO_UNROLL
  for (int step = 0; step < steps; ++step) {
    cp_async_wait<1>();
    fence_proxy_async_shared();
    // Now this K tile is complete, and the products of the tile before the last are done in all warps.
    synchronise_block();
    const MatrixDescriptor rows = matrix_descriptor(group_rows + static_cast<Word>(step % Shape::row_stages * Shape::row_bytes));
    const MatrixDescriptor weights = matrix_descriptor(group_weights + static_cast<Word>(step % Shape::weight_stages * Shape::weight_bytes));
    wgmma_fence();
    LECTERN_UNROLL
    for (int part = 0; part < tile_k / wgmma_k; ++part) wgmma<type == DType::f16>(sums, advance_descriptor(rows, part), advance_descriptor(weights, part));
    wgmma_commit();
    copy_stages(step + 2);
    prefetch.load(step + 2);
    if (step + 1 < steps) store_weights(step + 1);
    prefetch.take();
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
  fence_accumulators(sums);

  synchronise_block();
  store_tile<type, Weights, Tile, gated>(product, first_row, sums, reinterpret_cast<float*>(shared_rows));
#endif
}

template <DType type, class Tile, bool gated>
void launch_wgmma_tile(Stream stream, const GemmParams& product) {
  using Shape = WgmmaShape<Tile, is_quantised<type>>;
  constexpr int outputs = WeightTile<type, Tile, gated>::block_outputs;
  const Grid grid{(product.rows + Shape::rows - 1) / Shape::rows, (product.outputs + outputs - 1) / outputs};
  launch_shared(stream, wgmma_gemm<type, Tile, gated>, grid, Shape::threads, Shape::shared_bytes, product);
}

/// The widest tiles of which nearly every multiprocessor (there are `processors`) gets one; the bits are the same.
template <DType type, bool gated>
void select_wgmma_tile(Stream stream, int processors, const GemmParams& product) {
  constexpr int matrices = gated ? 2 : 1;
  const auto tiles = [&](int rows, int outputs) { return ((product.rows + rows - 1) / rows) * ((matrices * product.outputs + outputs - 1) / outputs); };
  if (product.rows <= TileExtent<NarrowTile>::rows) return launch_wgmma_tile<type, NarrowTile, gated>(stream, product);
  // One tile for nearly every multiprocessor is better than smaller ones for all: 512 rows of 8,192 outputs are 128 wide tiles on 132 multiprocessors.
  if (8 * tiles(128, 256) >= 7 * processors) return launch_wgmma_tile<type, WideTile, gated>(stream, product);
  if (2 * tiles(128, 128) >= processors) return launch_wgmma_tile<type, MiddleTile, gated>(stream, product);
  launch_wgmma_tile<type, NarrowTile, gated>(stream, product);
}

template <DType type>
void launch_wgmma_gemm(Stream stream, int processors, const GemmParams& product) {
  if (product.epilogue == Epilogue::gated) select_wgmma_tile<type, true>(stream, processors, product);
  else select_wgmma_tile<type, false>(stream, processors, product);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
