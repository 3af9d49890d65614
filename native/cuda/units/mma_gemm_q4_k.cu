// mma.sync GEMM of weights of four to six bits with superblocks of 256.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_mma_gemm<DType::q4_k>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::q5_k>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::q6_k>(Stream, int, const GemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
