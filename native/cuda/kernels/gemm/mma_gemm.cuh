// Matrices times many rows by the tensor cores: 16-bit products, sums in float. Quantised weights become bf16 on their way.
//
// A sum adds its columns from the left, sixteen by sixteen, whatever the tile: a row's product does not depend on how many rows
// there are or on which tile took it.
#pragma once

#include "cuda/kernels/gemm/gemm_tile.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// How a block's warps share a tile: each takes warp_rows by warp_outputs of it.
///
/// Large, 128 by 256 on 8 warps: a step of it moves 16 KB of rows and 9 KB of 4-bit weights for 2.1 M products, 3.6 TB/s from the L2 at
/// 600 TFLOP/s, where 128 by 128 asks for 6; a warp's 64 by 64 reads 4 KB of shared memory for 65 k products, 79 of the 128
/// bytes a clock at that rate, where 64 by 32 asks for 119. Its 128 sums a thread leave one block of 256 threads a multiprocessor.
struct LargeTile {
  static constexpr int warp_rows = 64, warp_outputs = 64, row_warps = 2, output_warps = 4, blocks = 1;
};
/// Where large tiles would be fewer than multiprocessors: half as large, on as many warps.
struct MediumTile {
  static constexpr int warp_rows = 64, warp_outputs = 32, row_warps = 2, output_warps = 4, blocks = 1;
};
/// For few rows the weights' bytes decide, so there are many small blocks, each with its loads under way.
struct SmallTile {
  static constexpr int warp_rows = 16, warp_outputs = 32, row_warps = 2, output_warps = 2, blocks = 4;
};

/// `unpacked`: weights come through registers, so two stages of them are enough.
template <class Tile, bool unpacked>
struct TileShape : TileExtent<Tile> {
  using TileExtent<Tile>::row_bytes;
  using TileExtent<Tile>::weight_bytes;
  static constexpr int row_stages = 3;
  static constexpr int weight_stages = unpacked ? 2 : row_stages;
  static constexpr std::size_t shared_bytes = std::size_t{row_stages * row_bytes + weight_stages * weight_bytes};
};

template <DType type>
__device__ __forceinline__ void multiply_16_bits(float (&sum)[4], const Word (&a)[4], const Word (&b)[2]) {
  if constexpr (type == DType::f16) multiply_halves(sum, a, b);
  else multiply_brains(sum, a, b);
}

/// What becomes of a warp's sums: of 16 rows from the product's row `first_row` on, times row_blocks, and of the tile's outputs from
/// `first_output` on.
template <DType type, class Weights, bool gated, int row_blocks, int output_blocks>
__device__ __forceinline__ void finish_tile(const TileProduct& product, int first_row, int first_output, const float (&sums)[row_blocks][output_blocks][4]) {
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
          finish_output<type, gated>(product, row, output, scale, sums[r][o][2 * half + i], second);
        }
      }
    }
  }
}

/// Grid: rows by tile, outputs by tile. Neighbours share the weights, which are the larger part of what is read.
template <DType type, class Tile, bool gated>
__global__ void
#if defined(__CUDACC__)
__launch_bounds__(TileShape<Tile, is_quantised<type>>::threads, Tile::blocks)
#endif
    multiply_tiles(TileProduct product) {
  using Shape = TileShape<Tile, is_quantised<type>>;
  using Weights = TileWeights<type, Tile, gated>;
  constexpr int row_blocks = Tile::warp_rows / 16;
  constexpr int output_blocks = Tile::warp_outputs / 8;
  std::uint8_t* const shared_rows = dynamic_shared();
  std::uint8_t* const shared_weights = shared_rows + Shape::row_stages * Shape::row_bytes;
  const int lane = thread_number() % 32;
  const int warp = thread_number() / 32;
  const int warp_row = warp / Tile::output_warps * Tile::warp_rows;
  const int warp_output = warp % Tile::output_warps * Tile::warp_outputs;
  const int first_row = block_x() * Shape::rows;
  const int steps = (product.columns + step_columns - 1) / step_columns;

  const auto copy_rows = [&](int step) {
    if (step < steps) {
      copy_input<Tile>(product, first_row, step, shared_rows + step % Shape::row_stages * Shape::row_bytes);
      if constexpr (!Weights::unpacked) {
        copy_step<Shape::outputs, Shape::threads, false>(shared_weights + step % Shape::row_stages * Shape::weight_bytes, step, product.columns,
                                                  [&](int row) { return Weights::row_of(product, row); });
      }
    }
    end_copies();  // also none, so that groups can be counted
  };
  ComingWeights<type, Tile, gated> coming(product);
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
  coming.load(0);
  coming.take();
  coming.load(1);
  LECTERN_UNROLL
  for (int part = 0; part < 4; ++part) coming.store(0, part, stage_of(0));
  coming.take();
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<1>();
    // Now everybody's part of this step is there, and nobody reads the stages of the last one any more.
    synchronise_block();
    copy_rows(step + 2);
    coming.load(step + 2);
    const std::uint8_t* const rows = shared_rows + step % Shape::row_stages * Shape::row_bytes;
    const std::uint8_t* const weights = shared_weights + step % Shape::weight_stages * Shape::weight_bytes;
    LECTERN_UNROLL
    for (int part = 0; part < 4; ++part) {
      // Matrices of 8 rows by 8 columns: of x rows 0-7 and 8-15, then the next 8 columns; of the weights 8 columns, then 8 more, then rows.
      Word a[row_blocks][4];
      LECTERN_UNROLL
      for (int r = 0; r < row_blocks; ++r) load_matrices(a[r], rows + swizzled(warp_row + 16 * r + lane % 16, 2 * part + lane / 16));
      LECTERN_UNROLL
      for (int o = 0; o < output_blocks; o += 2) {
        Word b[4];
        load_matrices(b, weights + swizzled(warp_output + 8 * o + lane % 8 + lane / 16 * 8, 2 * part + lane / 8 % 2));
        const Word first[2] = {b[0], b[1]};
        const Word second[2] = {b[2], b[3]};
        LECTERN_UNROLL
        for (int r = 0; r < row_blocks; ++r) {
          multiply_16_bits<type>(sums[r][o], a[r], first);
          multiply_16_bits<type>(sums[r][o + 1], a[r], second);
        }
      }
      if (step + 1 < steps) coming.store(step + 1, part, stage_of(step + 1));
    }
    coming.take();
  }

  finish_tile<type, Weights, gated>(product, first_row + warp_row, warp_output, sums);
}

template <DType type, class Tile, bool gated>
void multiply_by(Stream stream, const TileProduct& product) {
  using Shape = TileShape<Tile, is_quantised<type>>;
  constexpr int outputs = TileWeights<type, Tile, gated>::block_outputs;
  const Grid grid{(product.rows + Shape::rows - 1) / Shape::rows, (product.outputs + outputs - 1) / outputs};
  launch_shared(stream, multiply_tiles<type, Tile, gated>, grid, Shape::threads, Shape::shared_bytes, product);
}

/// Large tiles are the fastest where there is one for every multiprocessor, `large_from` of them; the bits are the same.
template <DType type, bool gated>
void multiply_many(Stream stream, int large_from, const TileProduct& product) {
  using Large = TileShape<LargeTile, true>;
  constexpr int outputs = TileWeights<type, LargeTile, gated>::block_outputs;
  if (product.rows <= 2 * TileShape<SmallTile, true>::rows) return multiply_by<type, SmallTile, gated>(stream, product);
  const int large = ((product.rows + Large::rows - 1) / Large::rows) * ((product.outputs + outputs - 1) / outputs);
  if (large < large_from) return multiply_by<type, MediumTile, gated>(stream, product);
  multiply_by<type, LargeTile, gated>(stream, product);
}

template <DType type>
void launch_tiles(Stream stream, int large_from, const TileProduct& product) {
  if (product.ending == Ending::gated) multiply_many<type, true>(stream, large_from, product);
  else multiply_many<type, false>(stream, large_from, product);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
