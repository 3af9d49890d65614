// Products of any rows, in the order that all of plain_gemm.cuh add in.
#include "cuda/kernels/gemm/plain_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template <DType type>
void launch_product(Stream stream, const Product& product) {
  multiply<type>(stream, product);
}

template <DType type>
void launch_float_tiles(Stream stream, const Product& product) {
  const Grid tiles{(product.outputs + tile_outputs - 1) / tile_outputs, (product.rows + tile_rows - 1) / tile_rows};
  launch(stream, multiply_tile<type>, tiles, tile_threads, product);
}

template void launch_product<DType::f32>(Stream, const Product&);
template void launch_product<DType::f16>(Stream, const Product&);
template void launch_product<DType::bf16>(Stream, const Product&);
template void launch_product<DType::q4_0>(Stream, const Product&);
template void launch_product<DType::q4_1>(Stream, const Product&);
template void launch_product<DType::q5_0>(Stream, const Product&);
template void launch_product<DType::q5_1>(Stream, const Product&);
template void launch_product<DType::q8_0>(Stream, const Product&);
template void launch_product<DType::q2_k>(Stream, const Product&);
template void launch_product<DType::q3_k>(Stream, const Product&);
template void launch_product<DType::q4_k>(Stream, const Product&);
template void launch_product<DType::q5_k>(Stream, const Product&);
template void launch_product<DType::q6_k>(Stream, const Product&);
template void launch_product<DType::iq4_nl>(Stream, const Product&);
template void launch_product<DType::iq4_xs>(Stream, const Product&);
template void launch_float_tiles<DType::f32>(Stream, const Product&);
template void launch_float_tiles<DType::f16>(Stream, const Product&);
template void launch_float_tiles<DType::bf16>(Stream, const Product&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
