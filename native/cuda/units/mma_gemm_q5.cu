// Products by the tensor cores with weights of five and eight bits in blocks of 32.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_tiles<DType::q5_0>(Stream, int, const TileProduct&);
template void launch_tiles<DType::q5_1>(Stream, int, const TileProduct&);
template void launch_tiles<DType::q8_0>(Stream, int, const TileProduct&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
