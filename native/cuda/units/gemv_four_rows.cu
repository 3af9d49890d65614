// GEMV of three or four rows, for every weight type.
#include "cuda/kernels/gemv/fallback/register_gemv.cuh"
#include "cuda/kernels/gemv/mma_gemv.cuh"
#include "cuda/kernels/gemv/fallback/ring_gemv.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_register_gemv<4>(Stream, int, const GemvParams&);
template void launch_ring_gemv<4>(Stream, int, const RingGemvShape&, const GemvParams&);
template void launch_mma_gemv<4>(Stream, int, const MmaGemvShape&, const GemvParams&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
