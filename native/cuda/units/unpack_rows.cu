// Unpacking of the weight types that wgmma multiplies.
#include "cuda/kernels/layout/unpack_rows.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_unpack_rows<DType::q4_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack_rows<DType::q5_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack_rows<DType::q6_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack_rows<DType::q5_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack_rows<DType::q8_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
