// The CUDA room of a build without nvcc: no device, and it says so.
#include "cuda/device.h"

namespace lectern::cuda {

bool compiled_in() noexcept { return false; }

std::vector<Device> devices() { return {}; }

}  // namespace lectern::cuda
