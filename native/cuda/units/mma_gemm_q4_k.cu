// Products by the tensor cores with weights of four to six bits in blocks of 256.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_tiles<DType::q4_k>(Stream, int, const TileProduct&);
template void launch_tiles<DType::q5_k>(Stream, int, const TileProduct&);
template void launch_tiles<DType::q6_k>(Stream, int, const TileProduct&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
