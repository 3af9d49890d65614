// wgmma GEMM of the weights of a Q4_K_M file.
#include "cuda/kernels/gemm/wgmma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_wgmma_gemm<DType::q4_k>(Stream, int, const GemmParams&);
template void launch_wgmma_gemm<DType::q5_k>(Stream, int, const GemmParams&);
template void launch_wgmma_gemm<DType::q6_k>(Stream, int, const GemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
