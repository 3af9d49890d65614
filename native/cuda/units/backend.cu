// The operations, and the kernels that have one instantiation.
#include "cuda/runtime/device_backend.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

std::unique_ptr<Backend> make_backend(int device) { return std::make_unique<DeviceBackend>(device); }

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
