// Asks the CUDA runtime, which is linked statically: without a driver the count call fails and there are no devices.
#include "cuda/device.h"

#include "cuda/check.h"

namespace lectern::cuda {

bool compiled_in() noexcept { return true; }

std::vector<Device> devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  // The runtime remembers the error of this call; the next check must not find it.
  if (status != cudaSuccess) cudaGetLastError();
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) return {};
  check(status, "cudaGetDeviceCount");

  std::vector<Device> found;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
    std::size_t free_bytes = 0;
    std::size_t total_bytes = properties.totalGlobalMem;
    if (index == chosen_device) {
      check(cudaSetDevice(index), "cudaSetDevice");
      check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    }
    found.push_back({DeviceKind::cuda, properties.name, total_bytes, free_bytes});
  }
  return found;
}

}  // namespace lectern::cuda
