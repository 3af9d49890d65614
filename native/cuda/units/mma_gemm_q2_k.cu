// Products by the tensor cores with weights of two to four bits in blocks of 256.
#include "cuda/kernels/gemm/mma_gemm.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_tiles<DType::q2_k>(Stream, int, const TileProduct&);
template void launch_tiles<DType::q3_k>(Stream, int, const TileProduct&);
template void launch_tiles<DType::iq4_xs>(Stream, int, const TileProduct&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
