// Warp-specialised wgmma GEMM of 16-bit weights.
#include "cuda/kernels/gemm/wgmma_unpacked_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

void launch_dense_gemm(Stream stream, int processors, bool halves, std::size_t row_bytes, const DenseGemmMatrix* matrices, int count) {
  const GemmParams& first = matrices[0].product;
  DenseGemmParams work{};
  work.count = count;
  work.rows = make_tensor_map_2d(first.x.values, 2 * static_cast<std::size_t>(first.x.stride), first.x.stride, first.rows, dense_box_rows);
  for (int i = 0; i < count; ++i) {
    work.products[i] = matrices[i].product;
    work.first_output[i] = matrices[i].first_output;
    work.outputs[i] = matrices[i].outputs;
    work.weights[i] = make_tensor_map_2d(matrices[i].weights, row_bytes, first.columns, matrices[i].outputs, dense_box_rows);
  }
  if (first.epilogue == Epilogue::gated) work.weights[1] = make_tensor_map_2d(matrices[0].second, row_bytes, first.columns, matrices[0].outputs, dense_box_rows);
  if (halves) launch_dense<true>(stream, processors, work);
  else launch_dense<false>(stream, processors, work);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
