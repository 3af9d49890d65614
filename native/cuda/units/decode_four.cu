// Products of three or four rows with weights of every type.
#include "cuda/kernels/decode_product.cuh"
#include "cuda/kernels/decode_tiles.cuh"
#include "cuda/kernels/ring_product.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_decode<4>(Stream, int, const DecodeWork&);
template void launch_ring_decode<4>(Stream, int, const RingShape&, const DecodeWork&);
template void launch_decode_tiles<4>(Stream, int, const DecodeTileShape&, const DecodeWork&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
