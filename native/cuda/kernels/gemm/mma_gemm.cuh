// GEMM by mma.sync, for compute capability 8.0 and newer: 16-bit operands, float accumulators. Quantised weights are unpacked to bf16 on their way to shared memory.
//
// A sum adds its columns from the left, sixteen by sixteen, whatever the tile: a row's bits do not depend on the number of rows
// or on its tile.
#pragma once

#include "cuda/kernels/gemm/gemm_tile.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// How the warps of a block share a tile: each takes warp_rows by warp_outputs of it.
///
/// Large, 128 by 256 on 8 warps: a K tile moves 16 KB of rows and 9 KB of 4-bit weights for 2.1 M products, 3.6 TB/s from L2 at
/// 600 TFLOP/s, where 128 by 128 needs 6; a warp's 64 by 64 reads 4 KB of shared memory for 65 k products, 79 of the 128
/// bytes per clock at that rate, where 64 by 32 needs 119. Its 128 accumulators per thread allow one block of 256 threads per multiprocessor.
struct LargeTile {
  static constexpr int warp_rows = 64, warp_outputs = 64, row_warps = 2, output_warps = 4, blocks = 1;
};
/// Where there would be fewer large tiles than multiprocessors: half as large, on as many warps.
struct MediumTile {
  static constexpr int warp_rows = 64, warp_outputs = 32, row_warps = 2, output_warps = 4, blocks = 1;
};
/// For few rows the bytes of the weights decide, so there are many small blocks, each with its own loads in flight.
struct SmallTile {
  static constexpr int warp_rows = 16, warp_outputs = 32, row_warps = 2, output_warps = 2, blocks = 4;
};

/// `unpacked`: weights pass through registers, so two stages are enough.
template <class Tile, bool unpacked>
struct TileShape : TileExtent<Tile> {
  using TileExtent<Tile>::row_bytes;
  using TileExtent<Tile>::weight_bytes;
  static constexpr int row_stages = 3;
  static constexpr int weight_stages = unpacked ? 2 : row_stages;
  static constexpr std::size_t shared_bytes = std::size_t{row_stages * row_bytes + weight_stages * weight_bytes};
};

template <DType type>
__device__ __forceinline__ void mma_16_bit(float (&sum)[4], const Word (&a)[4], const Word (&b)[2]) {
  if constexpr (type == DType::f16) mma_f16(sum, a, b);
  else mma_bf16(sum, a, b);
}

/// The epilogue of a warp: of row_blocks times 16 rows from row `first_row` on, and of the outputs of the tile from
/// `first_output` on.
template <DType type, class Weights, bool gated, int row_blocks, int output_blocks>
__device__ __forceinline__ void finish_tile(const GemmParams& product, int first_row, int first_output, const float (&sums)[row_blocks][output_blocks][4]) {
  const int lane = thread_number() % 32;
  LECTERN_UNROLL
  for (int r = 0; r < row_blocks; ++r) {
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + 16 * r + 8 * half + lane / 4;
      if (row >= product.rows) continue;
      const float scale = product.x.scales == nullptr ? 1.0F : product.x.scales[row];
      constexpr int ending_blocks = gated ? output_blocks / 2 : output_blocks;
      LECTERN_UNROLL
      for (int o = 0; o < ending_blocks; ++o) {
        LECTERN_UNROLL
        for (int i = 0; i < 2; ++i) {
          const int output = Weights::output_of(first_output + 8 * o + 2 * (lane % 4) + i);
          if (output >= product.outputs) continue;
          const float second = gated ? sums[r][o + output_blocks - ending_blocks][2 * half + i] : 0.0F;
          store_output<type, gated>(product, row, output, scale, sums[r][o][2 * half + i], second);
        }
      }
    }
  }
}

/// Grid: row tiles by output tiles. Neighbouring blocks share the weights, the larger part of what is read.
template <DType type, class Tile, bool gated>
__global__ void
#if defined(__CUDACC__)
__launch_bounds__(TileShape<Tile, is_quantised<type>>::threads, Tile::blocks)
#endif
    mma_gemm(GemmParams product) {
  using Shape = TileShape<Tile, is_quantised<type>>;
  using Weights = WeightTile<type, Tile, gated>;
  constexpr int row_blocks = Tile::warp_rows / 16;
  constexpr int output_blocks = Tile::warp_outputs / 8;
  std::uint8_t* const shared_rows = dynamic_shared();
  std::uint8_t* const shared_weights = shared_rows + Shape::row_stages * Shape::row_bytes;
  const int lane = thread_number() % 32;
  const int warp = thread_number() / 32;
  const int warp_row = warp / Tile::output_warps * Tile::warp_rows;
  const int warp_output = warp % Tile::output_warps * Tile::warp_outputs;
  const int first_row = block_x() * Shape::rows;
  const int steps = (product.columns + tile_k - 1) / tile_k;

  const auto copy_rows = [&](int step) {
    if (step < steps) {
      copy_input<Tile>(product, first_row, step, shared_rows + step % Shape::row_stages * Shape::row_bytes);
      if constexpr (!Weights::unpacked) {
        copy_step<Shape::outputs, Shape::threads, false>(shared_weights + step % Shape::row_stages * Shape::weight_bytes, step, product.columns,
                                                  [&](int row) { return Weights::row_of(product, row); });
      }
    }
    cp_async_commit();  // an empty group, too, so that groups can be counted
  };
  WeightPrefetch<type, Tile, gated> prefetch(product);
  const auto stage_of = [&](int step) { return shared_weights + step % 2 * Shape::weight_bytes; };

  float sums[row_blocks][output_blocks][4];
  LECTERN_UNROLL
  for (int r = 0; r < row_blocks; ++r) {
    LECTERN_UNROLL
    for (int o = 0; o < output_blocks; ++o) {
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) sums[r][o][i] = 0.0F;
    }
  }

  copy_rows(0);
  copy_rows(1);
  prefetch.load(0);
  prefetch.take();
  prefetch.load(1);
  LECTERN_UNROLL
  for (int part = 0; part < 4; ++part) prefetch.store(0, part, stage_of(0));
  prefetch.take();
  for (int step = 0; step < steps; ++step) {
    cp_async_wait<1>();
    // Now this K tile is complete, and no thread reads the stages of the previous one any more.
    synchronise_block();
    copy_rows(step + 2);
    prefetch.load(step + 2);
    const std::uint8_t* const rows = shared_rows + step % Shape::row_stages * Shape::row_bytes;
    const std::uint8_t* const weights = shared_weights + step % Shape::weight_stages * Shape::weight_bytes;
    LECTERN_UNROLL
    for (int part = 0; part < 4; ++part) {
      // 8 x 8 matrices: rows 0-7 and 8-15 of x, then the next 8 columns; of the weights 8 columns, then 8 more, then further rows.
      Word a[row_blocks][4];
      LECTERN_UNROLL
      for (int r = 0; r < row_blocks; ++r) ldmatrix(a[r], rows + swizzled_offset(warp_row + 16 * r + lane % 16, 2 * part + lane / 16));
      LECTERN_UNROLL
      for (int o = 0; o < output_blocks; o += 2) {
        Word b[4];
        ldmatrix(b, weights + swizzled_offset(warp_output + 8 * o + lane % 8 + lane / 16 * 8, 2 * part + lane / 8 % 2));
        const Word first[2] = {b[0], b[1]};
        const Word second[2] = {b[2], b[3]};
        LECTERN_UNROLL
        for (int r = 0; r < row_blocks; ++r) {
          mma_16_bit<type>(sums[r][o], a[r], first);
          mma_16_bit<type>(sums[r][o + 1], a[r], second);
        }
      }
      if (step + 1 < steps) prefetch.store(step + 1, part, stage_of(step + 1));
    }
    prefetch.take();
  }

  finish_tile<type, Weights, gated>(product, first_row + warp_row, warp_output, sums);
}

template <DType type, class Tile, bool gated>
void launch_mma_tile(Stream stream, const GemmParams& product) {
  using Shape = TileShape<Tile, is_quantised<type>>;
  constexpr int outputs = WeightTile<type, Tile, gated>::block_outputs;
  const Grid grid{(product.rows + Shape::rows - 1) / Shape::rows, (product.outputs + outputs - 1) / outputs};
  launch_shared(stream, mma_gemm<type, Tile, gated>, grid, Shape::threads, Shape::shared_bytes, product);
}

/// Large tiles are fastest where each multiprocessor gets one, from `large_from` of them on; the bits are the same.
template <DType type, bool gated>
void select_mma_tile(Stream stream, int large_from, const GemmParams& product) {
  using Large = TileShape<LargeTile, true>;
  constexpr int outputs = WeightTile<type, LargeTile, gated>::block_outputs;
  if (product.rows <= 2 * TileShape<SmallTile, true>::rows) return launch_mma_tile<type, SmallTile, gated>(stream, product);
  const int large = ((product.rows + Large::rows - 1) / Large::rows) * ((product.outputs + outputs - 1) / outputs);
  if (large < large_from) return launch_mma_tile<type, MediumTile, gated>(stream, product);
  launch_mma_tile<type, LargeTile, gated>(stream, product);
}

template <DType type>
void launch_mma_gemm(Stream stream, int large_from, const GemmParams& product) {
  if (product.epilogue == Epilogue::gated) select_mma_tile<type, true>(stream, large_from, product);
  else select_mma_tile<type, false>(stream, large_from, product);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
