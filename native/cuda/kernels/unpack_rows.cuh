// Quantised weights as bf16, row by row: what prompts of many rows are multiplied with (dense_tiles.cuh). To the same bits as the tiles that unpack
// them on their way: both take unpack_four().
//
// Runs beside products (dense_products.cuh), in what these leave of a multiprocessor: few registers, no shared memory. Of Q4_K 0.56 bytes are read for each
// weight and 2 written: 0.6 ps of a chip that moves 4.3 TB/s, beside the 3.1 ps a weight and 1,024 rows that its tensor cores take at 650 TFLOP/s.
#pragma once

#include "cuda/kernels/tile_parts.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int unpack_threads = 128;

/// Grid: rows, stretches by block. `weights`: the row's planes, row_bytes from one to the next. values: (rows, stride), zeros from the columns on; stride
/// is a multiple of step_columns.
template <DType type>
__global__ LECTERN_LAUNCH_BOUNDS(unpack_threads, 16) void unpack_rows(const std::uint8_t* weights, std::size_t row_bytes, int stretches, int stride, std::uint16_t* values) {
  const int stretch = block_y() * unpack_threads + thread_number();
  if (32 * stretch >= stride) return;
  const std::uint8_t* const row = weights + static_cast<std::size_t>(block_x()) * row_bytes;
  // Beyond the columns are zeros.
  const bool there = stretch < stretches;
  const int from = there ? stretch : stretches - 1;
  const WeightBlock block = unpack_stretch<type>(load_stretch<type, Kept::not_at_all, Kept::longer>(row, plane_offsets(plane_shape_of<type>, stretches), from), from);
  std::uint16_t* const to = values + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(stride) + static_cast<std::size_t>(32 * stretch);
  LECTERN_UNROLL
  for (int chunk = 0; chunk < 4; ++chunk) {
    Words<4> words{};
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      unpack_four<has_signed_quants<type>>(block.q[2 * chunk + half], block.factor[chunk / 2], block.offset[chunk / 2], words.w[2 * half], words.w[2 * half + 1]);
    }
    *reinterpret_cast<Words<4>*>(to + 8 * chunk) = there ? words : Words<4>{{0, 0, 0, 0}};
  }
}

template <DType type>
void launch_unpack(Stream stream, const std::uint8_t* weights, std::size_t row_bytes, int rows, int columns, std::uint16_t* values) {
  const int stride = packed_stride(columns);
  launch(stream, unpack_rows<type>, Grid{rows, (stride / 32 + unpack_threads - 1) / unpack_threads}, unpack_threads, weights, row_bytes, columns / 32, stride, values);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
