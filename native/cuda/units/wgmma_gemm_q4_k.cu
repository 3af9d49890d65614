// Products by warpgroups with the weights of a Q4_K_M file.
#include "cuda/kernels/gemm/wgmma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_group_tiles<DType::q4_k>(Stream, int, const TileProduct&);
template void launch_group_tiles<DType::q5_k>(Stream, int, const TileProduct&);
template void launch_group_tiles<DType::q6_k>(Stream, int, const TileProduct&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
