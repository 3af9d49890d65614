// Products by warpgroups with weights of five and eight bits in blocks of 32, which stand where rows are no multiple of 256, and of floats.
#include "cuda/kernels/gemm/wgmma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_group_tiles<DType::q5_0>(Stream, int, const TileProduct&);
template void launch_group_tiles<DType::q8_0>(Stream, int, const TileProduct&);
template void launch_group_tiles<DType::f16>(Stream, int, const TileProduct&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
