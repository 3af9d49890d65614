// mma.sync GEMM of weights of five and eight bits in blocks of 32.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_mma_gemm<DType::q5_0>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::q5_1>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::q8_0>(Stream, int, const GemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
