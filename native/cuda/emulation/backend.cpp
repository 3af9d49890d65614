#include "cuda/emulation/backend.h"

#include "cuda/device_backend.cuh"

namespace lectern::cuda_emulated {

std::unique_ptr<Backend> make_backend() { return std::make_unique<DeviceBackend>(0); }

}  // namespace lectern::cuda_emulated
