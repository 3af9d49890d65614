// mma.sync GEMM of weights of two to four bits with superblocks of 256.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_mma_gemm<DType::q2_k>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::q3_k>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::iq4_xs>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::tq1_0>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::tq2_0>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::mxfp4>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::iq2_s>(Stream, int, const GemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
