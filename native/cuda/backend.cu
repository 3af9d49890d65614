// The operations compiled for the device.
#include "cuda/backend.h"

#include "cuda/device_backend.cuh"

namespace lectern::cuda {

std::unique_ptr<Backend> make_backend(int device) { return std::make_unique<DeviceBackend>(device); }

}  // namespace lectern::cuda
