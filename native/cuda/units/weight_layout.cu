// Repacking of weights, and embedding tables.
#include "cuda/kernels/layout/repack.cuh"
#include "cuda/kernels/layout/table_rows.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template <DType type>
void launch_repack(Stream stream, const std::uint8_t* file, std::size_t file_row_bytes, int columns, int rows, std::uint8_t* placed, LargestBits* largest) {
  if constexpr (is_quantised<type>) {
    launch(stream, repack_rows<type>, Grid{rows}, repack_threads, file, file_row_bytes, columns / 32, placed);
    static_cast<void>(largest);
  } else {
    launch(stream, copy_rows, Grid{rows}, repack_threads, file, file_row_bytes, placed, repacked_row_bytes(type, columns), type == DType::f16 ? largest : nullptr);
  }
}

void launch_find_largest(Stream stream, const float* values, std::size_t count, LargestBits* largest) {
  launch(stream, find_largest, Grid{1}, 256, values, count, largest);
}

template <DType type>
void launch_look_up(Stream stream, const Matrix& table, int rows, const int* numbers, const float* extra, bool adds, float* x) {
  launch(stream, look_up_rows<type>, Grid{rows}, look_up_threads, static_cast<const std::uint8_t*>(table.data), repacked_row_bytes(type, table.columns), table.columns, numbers, extra, adds, x);
}

template void launch_repack<DType::f32>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::f16>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::bf16>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q4_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q4_1>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q5_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q5_1>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q8_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q2_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q3_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q4_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q5_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::q6_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::iq4_nl>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::iq4_xs>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::tq1_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::tq2_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::mxfp4>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_repack<DType::iq2_s>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint8_t*, LargestBits*);
template void launch_look_up<DType::f32>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::f16>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::bf16>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q4_0>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q4_1>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q5_0>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q5_1>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q8_0>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q2_k>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q3_k>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q4_k>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q5_k>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::q6_k>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::iq4_nl>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::iq4_xs>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::tq1_0>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::tq2_0>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::mxfp4>(Stream, const Matrix&, int, const int*, const float*, bool, float*);
template void launch_look_up<DType::iq2_s>(Stream, const Matrix&, int, const int*, const float*, bool, float*);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
