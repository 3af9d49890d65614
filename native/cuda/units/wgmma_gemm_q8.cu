// wgmma GEMM of weights of five and eight bits in blocks of 32, which files use where rows are no multiple of 256, and of floats.
#include "cuda/kernels/gemm/wgmma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_wgmma_gemm<DType::q5_0>(Stream, int, const GemmParams&);
template void launch_wgmma_gemm<DType::q8_0>(Stream, int, const GemmParams&);
template void launch_wgmma_gemm<DType::f16>(Stream, int, const GemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
