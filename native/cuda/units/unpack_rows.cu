// Weights of the types that go by warpgroups as 16-bit floats.
#include "cuda/kernels/layout/unpack_rows.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template void launch_unpack<DType::q4_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack<DType::q5_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack<DType::q6_k>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack<DType::q5_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);
template void launch_unpack<DType::q8_0>(Stream, const std::uint8_t*, std::size_t, int, int, std::uint16_t*);

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
