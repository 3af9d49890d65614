// mma.sync GEMM of weights of four bits in blocks of 32.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_mma_gemm<DType::q4_0>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::q4_1>(Stream, int, const GemmParams&);
template void launch_mma_gemm<DType::iq4_nl>(Stream, int, const GemmParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
