// Quantised weights as bf16, row by row: what prompts of many rows are multiplied with (dense_gemm.cuh). To the same bits as the tiles that unpack
// them on their way: both take unpack_four().
//
// Of Q4_K 0.56 bytes are read for each weight and 2 written: 0.6 ps of a chip that moves 4.3 TB/s, beside the 3.1 ps a weight and 1,024 rows that its
// tensor cores take at 650 TFLOP/s.
#pragma once

#include "cuda/kernels/gemm/gemm_tile.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int unpack_threads = 256;
constexpr int unpack_columns = 1024;  // of a warp at a time: a stretch a lane

/// Grid: rows, of which there may be more than another axis takes, by warps' thousands of columns by block. `weights`: the row's planes, row_bytes from one to the
/// next. values: (rows, stride), zeros from the columns on; stride is a multiple of step_columns.
template <DType type>
__global__ void unpack_rows(const std::uint8_t* weights, std::size_t row_bytes, int stretches, int stride, std::uint16_t* values) {
  constexpr int warps = unpack_threads / 32;
  constexpr int warp_bytes = 2 * unpack_columns;
  const int warp = thread_number() / 32;
  const int lane = thread_number() % 32;
  const int first = (block_y() * warps + warp) * 32;  // stretch
  if (32 * first >= stride) return;
  std::uint8_t* const own = dynamic_shared() + warp * warp_bytes;
  const std::uint8_t* const row = weights + static_cast<std::size_t>(block_x()) * row_bytes;
  const int stretch = first + lane;
  // Lanes beyond the last repeat its work and leave zeros.
  const int from = stretch < stretches ? stretch : stretches - 1;
  const WeightBlock block = unpack_stretch<type>(load_stretch<type, Kept::not_at_all, Kept::longer>(row, plane_offsets(plane_shape_of<type>, stretches), from), from);
  LECTERN_UNROLL
  for (int chunk = 0; chunk < 4; ++chunk) {
    Word words[4];
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      unpack_four<has_signed_quants<type>>(block.q[2 * chunk + half], block.factor[chunk / 2], block.offset[chunk / 2], words[2 * half], words[2 * half + 1]);
    }
    LECTERN_UNROLL
    for (Word& word : words) word = stretch < stretches ? word : 0;
    // Turned, so that eight lanes' equal chunks lie in different banks.
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
void launch_unpack(Stream stream, const std::uint8_t* weights, std::size_t row_bytes, int rows, int columns, std::uint16_t* values) {
  const int stride = packed_stride(columns);
  const int warps = (stride + unpack_columns - 1) / unpack_columns;
  const Grid grid{rows, (warps + unpack_threads / 32 - 1) / (unpack_threads / 32)};
  launch_shared(stream, unpack_rows<type>, grid, unpack_threads, std::size_t{unpack_threads / 32 * 2 * unpack_columns}, weights, row_bytes, columns / 32, stride, values);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
