// mma.sync GEMM of float weights, and the packing of rows.
#include "cuda/kernels/layout/pack_rows.cuh"
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

std::size_t large_tile_shared_bytes() { return TileShape<LargeTile, false>::shared_bytes; }

void launch_pack_rows(Stream stream, int rows, const NormParameters& norm, int columns, const float* x, const PackedRows& out, float* normed) {
  if (out.scales == nullptr) launch_pack_rows_as<false>(stream, rows, norm, columns, x, out, normed);
  else launch_pack_rows_as<true>(stream, rows, norm, columns, x, out, normed);
}

template void launch_mma_gemm<DType::f16>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::bf16>(Stream, int, const GemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
