// GEMM without tensor cores, in the order of summation of plain_gemm.cuh.
#include "cuda/kernels/gemm/plain_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template <DType type>
void launch_plain_gemm(Stream stream, const PlainGemmParams& product) {
  multiply<type>(stream, product);
}

template <DType type>
void launch_float_gemm(Stream stream, const PlainGemmParams& product) {
  const Grid tiles{(product.outputs + tile_outputs - 1) / tile_outputs, (product.rows + tile_rows - 1) / tile_rows};
  launch(stream, multiply_tile<type>, tiles, tile_threads, product);
}

template void launch_plain_gemm<DType::f32>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::f16>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::bf16>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q4_0>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q4_1>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q5_0>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q5_1>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q8_0>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q2_k>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q3_k>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q4_k>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q5_k>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::q6_k>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::iq4_nl>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::iq4_xs>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::tq1_0>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::tq2_0>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::mxfp4>(Stream, const PlainGemmParams&);
template void launch_plain_gemm<DType::iq2_s>(Stream, const PlainGemmParams&);
template void launch_float_gemm<DType::f32>(Stream, const PlainGemmParams&);
template void launch_float_gemm<DType::f16>(Stream, const PlainGemmParams&);
template void launch_float_gemm<DType::bf16>(Stream, const PlainGemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
