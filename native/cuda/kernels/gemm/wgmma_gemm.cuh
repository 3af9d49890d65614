// Matrices times many rows by warpgroups: the same tiles as mma_gemm.cuh, for chips whose tensor cores read shared memory by themselves
// (sm_90a). There instructions of one warp reach about 60 % of what these do.
//
// Two warpgroups share 128 by 256; each has 64 rows and all outputs. While the tensor cores multiply a step, 2.1 M products in 1,024 clocks at
// their best, the same threads unpack the weights of the next: 16,384 weights at some 4 instructions, 540 issued by each of the four
// parts of a multiprocessor. A product is waited for a step later, so that the next is queued before it ends.
// Shared memory then moves 40 KB x 2 to the tensor cores and 48 KB in for each step, 128 bytes a clock, which is what it has.
//
// Stages: what step s reads is written during step s - 1 (weights) and s - 2 (copies), into what step s - 3 or s - 4 has read; its
// products were waited for at the end of step s - 2 at the latest, and a barrier lies between.
//
// A sum adds its columns from the left, sixteen by sixteen, whatever the tile: as in mma_gemm.cuh, but not to the same bits, because inside of
// its sixteen the tensor cores round as they like. So a device multiplies a type either always here or never (warpgroup_selection.cuh).
#pragma once

#include "cuda/kernels/gemm/gemm_tile.cuh"
#include "cuda/simt/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// 128 by 256: what the tensor cores are quickest with.
struct WideGroups {
  static constexpr int warp_rows = 16, warp_outputs = 256, row_warps = 8, output_warps = 1, blocks = 1;
};
/// 128 by 128, where wide tiles would be fewer than multiprocessors.
struct MiddleGroups {
  static constexpr int warp_rows = 16, warp_outputs = 128, row_warps = 8, output_warps = 1, blocks = 1;
};
/// 64 by 64, where there are few rows: many small blocks, each with its loads under way.
struct NarrowGroups {
  static constexpr int warp_rows = 16, warp_outputs = 64, row_warps = 4, output_warps = 1, blocks = 3;
};

template <class Tile, bool unpacked>
struct GroupShape : TileExtent<Tile> {
  using TileExtent<Tile>::row_bytes;
  using TileExtent<Tile>::weight_bytes;
  static constexpr int row_stages = 4;
  static constexpr int weight_stages = unpacked ? 3 : row_stages;
  // Matrices begin where the swizzle wants them to, wherever the block's memory does.
  static constexpr std::size_t shared_bytes = std::size_t{matrix_alignment + row_stages * row_bytes + weight_stages * weight_bytes};
};

/// What becomes of the sums of a tile, by way of shared memory, where the stages were: written out for each of a thread's 128 the endings
/// would be more instructions than a multiprocessor keeps at hand, and a warp here writes 512 bytes of a row at a time.
template <DType type, class Weights, class Tile, bool gated>
__device__ __forceinline__ void finish_groups(const TileProduct& product, int first_row, const float (&sums)[Tile::warp_outputs / 8][4], float* shared) {
  // Eight words beyond a row: the eight rows that a warp writes at a time lie in different banks.
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
  // Of a gated tile the second half of a row are the other matrix's.
  constexpr int width = Weights::block_outputs;
  static_assert(width % 32 == 0 && TileExtent<Tile>::threads % 32 == 0, "a warp has outputs of one row");
  LECTERN_NO_UNROLL
  for (int i = thread_number(); i < TileExtent<Tile>::rows * width; i += TileExtent<Tile>::threads) {
    const int row = first_row + i / width;
    const int output = block_y() * width + i % width;
    if (row >= product.rows || output >= product.outputs) continue;
    const float* const from = shared + i / width * pitch + i % width;
    finish_output<type, gated>(product, row, output, product.x.scales == nullptr ? 1.0F : product.x.scales[row], *from, gated ? from[width] : 0.0F);
  }
}

/// Grid: rows by tile, outputs by tile, as multiply_tiles.
template <DType type, class Tile, bool gated>
__global__ LECTERN_LAUNCH_BOUNDS((TileExtent<Tile>::threads), Tile::blocks) void multiply_group_tiles(TileProduct product) {
#if defined(LECTERN_HAS_GROUPS)
  using Shape = GroupShape<Tile, is_quantised<type>>;
  using Weights = TileWeights<type, Tile, gated>;
  constexpr int output_blocks = Tile::warp_outputs / 8;
  std::uint8_t* const shared_rows = dynamic_shared() + (matrix_alignment - shared_address(dynamic_shared()) % matrix_alignment) % matrix_alignment;
  std::uint8_t* const shared_weights = shared_rows + Shape::row_stages * Shape::row_bytes;
  const int first_row = block_x() * Shape::rows;
  const int steps = (product.columns + step_columns - 1) / step_columns;

  const auto copy_stages = [&](int step) {
    if (step < steps) {
      copy_input<Tile>(product, first_row, step, shared_rows + step % Shape::row_stages * Shape::row_bytes);
      if constexpr (!Weights::unpacked) {
        copy_step<Shape::outputs, Shape::threads, false>(shared_weights + step % Shape::weight_stages * Shape::weight_bytes, step, product.columns,
                                                  [&](int row) { return Weights::row_of(product, row); });
      }
    }
    end_copies();  // also none, so that groups can be counted
  };
  ComingWeights<type, Tile, gated> coming(product);
  const auto store_weights = [&](int step) {
    LECTERN_UNROLL
    for (int part = 0; part < 4; ++part) coming.store(step, part, shared_weights + step % Shape::weight_stages * Shape::weight_bytes);
  };

  float sums[output_blocks][4];
  LECTERN_UNROLL
  for (int o = 0; o < output_blocks; ++o) {
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) sums[o][i] = 0.0F;
  }

  const Word group_rows = shared_address(shared_rows) + static_cast<Word>(thread_number() / warpgroup_threads * warpgroup_rows * step_row_bytes);
  const Word group_weights = shared_address(shared_weights);
  copy_stages(0);
  copy_stages(1);
  coming.load(0);
  coming.take();
  coming.load(1);
  store_weights(0);
  coming.take();
  hold_sums(sums);
  LECTERN_NO_UNROLL
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<1>();
    show_to_products();
    // Now everybody's part of this step is there, and the products of the step before the last are done for all.
    synchronise_block();
    const MatrixPlace rows = place_at(group_rows + static_cast<Word>(step % Shape::row_stages * Shape::row_bytes));
    const MatrixPlace weights = place_at(group_weights + static_cast<Word>(step % Shape::weight_stages * Shape::weight_bytes));
    begin_products();
    LECTERN_UNROLL
    for (int part = 0; part < step_columns / product_columns; ++part) multiply_group<type == DType::f16>(sums, further(rows, part), further(weights, part));
    end_products();
    copy_stages(step + 2);
    coming.load(step + 2);
    if (step + 1 < steps) store_weights(step + 1);
    coming.take();
    wait_for_products<1>();
  }
  wait_for_products<0>();
  hold_sums(sums);

  synchronise_block();
  finish_groups<type, Weights, Tile, gated>(product, first_row, sums, reinterpret_cast<float*>(shared_rows));
#endif
}

template <DType type, class Tile, bool gated>
void multiply_by_groups(Stream stream, const TileProduct& product) {
  using Shape = GroupShape<Tile, is_quantised<type>>;
  constexpr int outputs = TileWeights<type, Tile, gated>::block_outputs;
  const Grid grid{(product.rows + Shape::rows - 1) / Shape::rows, (product.outputs + outputs - 1) / outputs};
  launch_shared(stream, multiply_group_tiles<type, Tile, gated>, grid, Shape::threads, Shape::shared_bytes, product);
}

/// Tiles as wide as leave one for nearly every multiprocessor, of which there are `processors`; the bits are the same.
template <DType type, bool gated>
void multiply_many_by_groups(Stream stream, int processors, const TileProduct& product) {
  constexpr int matrices = gated ? 2 : 1;
  const auto tiles = [&](int rows, int outputs) { return ((product.rows + rows - 1) / rows) * ((matrices * product.outputs + outputs - 1) / outputs); };
  if (product.rows <= TileExtent<NarrowGroups>::rows) return multiply_by_groups<type, NarrowGroups, gated>(stream, product);
  // One for nearly every multiprocessor is better than smaller ones for all: 512 rows of 8,192 outputs are 128 wide tiles, and a chip has 132.
  if (8 * tiles(128, 256) >= 7 * processors) return multiply_by_groups<type, WideGroups, gated>(stream, product);
  if (2 * tiles(128, 128) >= processors) return multiply_by_groups<type, MiddleGroups, gated>(stream, product);
  multiply_by_groups<type, NarrowGroups, gated>(stream, product);
}

template <DType type>
void launch_group_tiles(Stream stream, int processors, const TileProduct& product) {
  if (product.ending == Ending::gated) multiply_many_by_groups<type, true>(stream, processors, product);
  else multiply_many_by_groups<type, false>(stream, processors, product);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
