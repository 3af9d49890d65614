// Products of one row with weights of every type.
#include "cuda/kernels/gemv/register_gemv.cuh"
#include "cuda/kernels/gemv/mma_gemv.cuh"
#include "cuda/kernels/gemv/ring_gemv.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_decode<1>(Stream, int, const DecodeWork&);
template void launch_ring_decode<1>(Stream, int, const RingShape&, const DecodeWork&);
template void launch_decode_tiles<1>(Stream, int, const DecodeTileShape&, const DecodeWork&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
