// Products by the tensor cores with weights of four bits in blocks of 32.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_tiles<DType::q4_0>(Stream, int, const TileProduct&);
template void launch_tiles<DType::q4_1>(Stream, int, const TileProduct&);
template void launch_tiles<DType::iq4_nl>(Stream, int, const TileProduct&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
