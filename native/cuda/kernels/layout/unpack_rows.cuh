// Unpacks rows of quantised weights to bf16, for wgmma_unpacked_gemm.cuh. The bits are those of the kernels that unpack
// weights tile by tile: both use dequantise_four().
//
// For each weight of Q4_K it reads 0.56 bytes and writes 2: 0.6 ps on a GPU with 4.3 TB/s, where the tensor cores take 3.1 ps per weight
// for 1,024 rows at 650 TFLOP/s.
#pragma once

#include "cuda/kernels/gemm/gemm_tile.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int unpack_threads = 256;
constexpr int unpack_columns = 1024;  // of a warp at a time: a quant block per lane

/// Grid: rows (which may be more than another axis allows) by blocks of warps of unpack_columns. `weights`: the bit planes, row_bytes from one row to the
/// next. values: (rows, stride), zeros from the columns on; stride is a multiple of tile_k.
template <DType type>
__global__ void unpack_rows(const std::uint8_t* weights, std::size_t row_bytes, int quant_blocks, int stride, std::uint16_t* values) {
  constexpr int warps = unpack_threads / 32;
  constexpr int warp_bytes = 2 * unpack_columns;
  const int warp = thread_number() / 32;
  const int lane = thread_number() % 32;
  const int first = (block_y() * warps + warp) * 32;  // quant block
  if (32 * first >= stride) return;
  std::uint8_t* const own = dynamic_shared() + warp * warp_bytes;
  const std::uint8_t* const row = weights + static_cast<std::size_t>(block_x()) * row_bytes;
  const int quant_block = first + lane;
  // Lanes beyond the last quant block repeat its work and store zeros.
  const int from = quant_block < quant_blocks ? quant_block : quant_blocks - 1;
  const WeightBlock block = unpack_quant_block<type>(load_quant_block<type, CachePolicy::no_allocate, CachePolicy::evict_last>(row, plane_offsets(plane_shape_of<type>, quant_blocks), from), from);
  LECTERN_UNROLL
  for (int chunk = 0; chunk < 4; ++chunk) {
    Word words[4];
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      dequantise_four<has_signed_quants<type>>(block.q[2 * chunk + half], block.factor[chunk / 2], block.offset[chunk / 2], words[2 * half], words[2 * half + 1]);
    }
    LECTERN_UNROLL
    for (Word& word : words) word = quant_block < quant_blocks ? word : 0;
    // Swizzled, so that equal chunks of eight lanes lie in different banks.
    Words<4> all;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) all.w[i] = words[i];
    *reinterpret_cast<Words<4>*>(own + 64 * lane + 16 * (chunk ^ (lane / 2 & 3))) = all;
  }
  synchronise_warp();
  std::uint16_t* const to = values + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(32 * first);
  LECTERN_UNROLL
  for (int turn = 0; turn < 4; ++turn) {
    const int chunk = 32 * turn + lane;
    const int of = chunk / 4;
    if (32 * first + 8 * chunk < stride) *reinterpret_cast<Words<4>*>(to + 8 * chunk) = *reinterpret_cast<const Words<4>*>(own + 64 * of + 16 * (chunk % 4 ^ (of / 2 & 3)));
  }
}

template <DType type>
void launch_unpack_rows(Stream stream, const std::uint8_t* weights, std::size_t row_bytes, int rows, int columns, std::uint16_t* values) {
  const int stride = packed_stride(columns);
  const int warps = (stride + unpack_columns - 1) / unpack_columns;
  const Grid grid{rows, (warps + unpack_threads / 32 - 1) / (unpack_threads / 32)};
  launch_shared(stream, unpack_rows<type>, grid, unpack_threads, std::size_t{unpack_threads / 32 * 2 * unpack_columns}, weights, row_bytes, columns / 32, stride, values);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
