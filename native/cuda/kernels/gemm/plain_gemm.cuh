// GEMM without tensor cores, two kernels with one order of summation, so that the kernel does not change a row's bits.
//
// The order: the columns are quant blocks of 32; quant block s belongs to class s % 32; a class adds its quant blocks from the left; the sums of the
// classes are added by a tree that pairs class c with c + 16, then + 8, + 4, + 2, + 1.
#pragma once

#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/kernels/layout/quantise.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Quantised weights times quantised rows: one quant block.
template <DType type>
struct QuantisedFormat {
  using Weights = WeightBlock;
  using Input = QuantisedBlock;

  static __device__ __forceinline__ Weights load(const std::uint8_t* row, int quant_block, int columns) { return weight_block<type>(row, columns / 32, quant_block); }
  static __device__ __forceinline__ const Input* input(const void* x, int row, int quant_block, int columns) {
    return static_cast<const Input*>(x) + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns / 32) + quant_block;
  }
  static __device__ __forceinline__ void copy_input(Input& to, const Input* from, int, int) { to = *from; }

  /// Every rounding is written out: a compiler that fused other operations would give the two kernels different bits.
  static __device__ __forceinline__ float add(float sum, const Weights& weights, const Input& x, int) {
    int dots[2] = {0, 0};
    for (int i = 0; i < 8; ++i) dots[i / 4] = dot4(weights.q[i], x.q[i], dots[i / 4]);
    float part = weights.offset[1] * static_cast<float>(x.sums[1]);
    part = fmaf(weights.factor[1], static_cast<float>(dots[1]), part);
    part = fmaf(weights.offset[0], static_cast<float>(x.sums[0]), part);
    part = fmaf(weights.factor[0], static_cast<float>(dots[0]), part);
    return fmaf(x.scale, part, sum);
  }
};

/// Float weights times float rows. The odd length avoids bank conflicts.
template <DType type>
struct FloatFormat {
  struct Weights {
    float w[33];
  };
  struct Input {
    float x[33];
  };

  static __device__ __forceinline__ int length(int quant_block, int columns) { return columns - 32 * quant_block < 32 ? columns - 32 * quant_block : 32; }
  static __device__ __forceinline__ Weights load(const std::uint8_t* row, int quant_block, int columns) {
    Weights weights;
    const int count = length(quant_block, columns);
    for (int i = 0; i < 32; ++i) weights.w[i] = i < count ? weight_float<type>(row, 32 * quant_block + i) : 0.0F;
    return weights;
  }
  static __device__ __forceinline__ const float* input(const void* x, int row, int quant_block, int columns) {
    return static_cast<const float*>(x) + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + 32 * quant_block;
  }
  static __device__ __forceinline__ void copy_input(Input& to, const float* from, int quant_block, int columns) {
    const int count = length(quant_block, columns);
    for (int i = 0; i < count; ++i) to.x[i] = from[i];
  }
  static __device__ __forceinline__ float add_from(float sum, const Weights& weights, const float* x, int count) {
    for (int i = 0; i < count; ++i) sum = fmaf(weights.w[i], x[i], sum);
    return sum;
  }
  static __device__ __forceinline__ float add(float sum, const Weights& weights, const Input& x, int count) { return add_from(sum, weights, x.x, count); }
};

template <DType type, bool quantised>
struct FormatOf {
  using Type = QuantisedFormat<type>;
};
template <DType type>
struct FormatOf<type, false> {
  using Type = FloatFormat<type>;
};
template <DType type>
using Format = typename FormatOf<type, is_quantised<type>>::Type;

__device__ __forceinline__ void store(const PlainGemmParams& product, int row, int output, float sum) {
  float* y = product.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(product.outputs) + output;
  if (product.bias != nullptr) {
    const std::size_t part = product.part == nullptr ? 0 : static_cast<std::size_t>(product.part[row]);
    sum += product.bias[part * static_cast<std::size_t>(product.outputs) + static_cast<std::size_t>(output)];
  }
  *y = product.adds ? *y + sum : sum;
}

constexpr int few_threads = 128;
constexpr int outputs_per_warp = 2;

/// A warp takes two outputs of `width` rows; its lanes are the classes. Grid: outputs by 8, rows by width.
template <DType type, int width>
__global__ void multiply_few(PlainGemmParams product) {
  using F = Format<type>;
  const int lane = thread_number() % 32;
  const int first_output = (block_x() * (few_threads / 32) + thread_number() / 32) * outputs_per_warp;
  const int first_row = block_y() * width;
  const int quant_blocks = (product.columns + 31) / 32;
  const std::uint8_t* weights = product.weights;
  if (product.part != nullptr) weights += static_cast<std::size_t>(product.part[first_row]) * product.part_bytes;
  float sums[outputs_per_warp][width];
  for (int o = 0; o < outputs_per_warp; ++o) {
    for (int r = 0; r < width; ++r) sums[o][r] = 0.0F;
  }
  for (int quant_block = lane; quant_block < quant_blocks; quant_block += 32) {
    for (int o = 0; o < outputs_per_warp; ++o) {
      const int output = first_output + o < product.outputs ? first_output + o : product.outputs - 1;
      const typename F::Weights block = F::load(weights + static_cast<std::size_t>(output) * product.row_bytes, quant_block, product.columns);
      for (int r = 0; r < width; ++r) {
        const int row = first_row + r < product.rows ? first_row + r : product.rows - 1;
        const auto* x = F::input(product.x, row / product.row_divisor, quant_block, product.columns);
        if constexpr (is_quantised<type>) {
          sums[o][r] = F::add(sums[o][r], block, *x, 32);
        } else {
          sums[o][r] = F::add_from(sums[o][r], block, x, F::length(quant_block, product.columns));
        }
      }
    }
  }
  for (int o = 0; o < outputs_per_warp; ++o) {
    for (int r = 0; r < width; ++r) {
      const float sum = warp_sum(sums[o][r]);
      if (lane == 0 && first_output + o < product.outputs && first_row + r < product.rows) store(product, first_row + r, first_output + o, sum);
    }
  }
}

constexpr int tile_outputs = 64;
constexpr int tile_rows = 32;
constexpr int tile_threads = 256;

/// A block takes a tile of 64 outputs and 32 rows, a thread 4 by 2 of it; weights are unpacked once for the tile. Grid: outputs by 64,
/// rows by 32.
template <DType type>
__global__ void multiply_tile(PlainGemmParams product) {
  using F = Format<type>;
  LECTERN_SHARED typename F::Weights weights[tile_outputs];
  LECTERN_SHARED typename F::Input inputs[tile_rows];
  const int thread = thread_number();
  const int own_output = thread % 16;
  const int own_row = thread / 16;
  const int quant_blocks = (product.columns + 31) / 32;
  const int first_output = block_x() * tile_outputs;
  const int first_row = block_y() * tile_rows;
  // Sums of classes that wait for their partner, by the level of the tree.
  float waiting[5][8];
  float sums[8];
  for (int turn = 0; turn < 32; ++turn) {
    // Partners are consecutive when the classes come in bit-reversed order.
    const int group = ((turn & 1) << 4) | ((turn & 2) << 2) | (turn & 4) | ((turn & 8) >> 2) | ((turn & 16) >> 4);
    for (int i = 0; i < 8; ++i) sums[i] = 0.0F;
    for (int quant_block = group; quant_block < quant_blocks; quant_block += 32) {
      synchronise_block();
      if (thread < tile_outputs) {
        const int output = first_output + thread < product.outputs ? first_output + thread : product.outputs - 1;
        weights[thread] = F::load(product.weights + static_cast<std::size_t>(output) * product.row_bytes, quant_block, product.columns);
      } else if (thread < tile_outputs + tile_rows) {
        const int row = first_row + thread - tile_outputs < product.rows ? first_row + thread - tile_outputs : product.rows - 1;
        F::copy_input(inputs[thread - tile_outputs], F::input(product.x, row, quant_block, product.columns), quant_block, product.columns);
      }
      synchronise_block();
      const int count = product.columns - 32 * quant_block < 32 ? product.columns - 32 * quant_block : 32;
      for (int i = 0; i < 8; ++i) sums[i] = F::add(sums[i], weights[own_output + 16 * (i % 4)], inputs[own_row + 16 * (i / 4)], count);
    }
    int level = 0;
    for (int done = turn; done & 1; done >>= 1, ++level) {
      for (int i = 0; i < 8; ++i) sums[i] = waiting[level][i] + sums[i];
    }
    if (level < 5) {
      for (int i = 0; i < 8; ++i) waiting[level][i] = sums[i];
    }
  }
  for (int i = 0; i < 8; ++i) {
    const int output = first_output + own_output + 16 * (i % 4);
    const int row = first_row + own_row + 16 * (i / 4);
    if (output < product.outputs && row < product.rows) store(product, row, output, sums[i]);
  }
}

/// Few rows are bound by the bytes of the weights, many by arithmetic.
template <DType type>
void multiply(Stream stream, const PlainGemmParams& product) {
  const int warps = few_threads / 32 * outputs_per_warp;
  const int across = (product.outputs + warps - 1) / warps;
  if (product.part != nullptr || product.rows == 1 || (is_quantised<type> && product.rows <= 8)) {
    launch(stream, multiply_few<type, 1>, Grid{across, product.rows}, few_threads, product);
  } else if (!is_quantised<type> && product.rows <= 8) {
    // register_gemv reads quantised weights once for several rows.
    if constexpr (!is_quantised<type>) launch(stream, multiply_few<type, 4>, Grid{across, (product.rows + 3) / 4}, few_threads, product);
  } else {
    const Grid tiles{(product.outputs + tile_outputs - 1) / tile_outputs, (product.rows + tile_rows - 1) / tile_rows};
    launch(stream, multiply_tile<type>, tiles, tile_threads, product);
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
