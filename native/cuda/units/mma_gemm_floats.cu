// Products by the tensor cores with float weights, and how their rows are packed.
#include "cuda/kernels/layout/pack_rows.cuh"
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

std::size_t large_tile_bytes() { return TileShape<LargeTile, false>::shared_bytes; }

void launch_pack(Stream stream, int rows, const NormParameters& norm, int columns, const float* x, const PackedRows& out, float* normed) {
  if (out.scales == nullptr) launch_pack_as<false>(stream, rows, norm, columns, x, out, normed);
  else launch_pack_as<true>(stream, rows, norm, columns, x, out, normed);
}

template void launch_tiles<DType::f16>(Stream, int, const TileProduct&);
template void launch_tiles<DType::bf16>(Stream, int, const TileProduct&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
