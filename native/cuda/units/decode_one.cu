// Products of one row with weights of every type.
#include "cuda/kernels/decode_product.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_decode<1>(Stream, int, const DecodeWork&);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
