// Device queries. The CUDA runtime is linked statically and opens the driver's libcuda.so.1 alone.
#include "cuda/runtime/device.h"

#include <map>
#include <mutex>

#include "cuda/runtime/check.h"

namespace lectern::cuda {
namespace {

/// The number of devices, or why it is unknown.
cudaError_t count_devices(int& count) {
  const cudaError_t status = cudaGetDeviceCount(&count);
  // The runtime keeps the error of this call; the next check must not find it.
  if (status != cudaSuccess) cudaGetLastError();
  return status;
}

std::string version_of(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

/// The first driver branch that supports this CUDA release (release notes of the toolkit, table 3).
int least_driver(int runtime) { return runtime >= 13000 ? 580 : runtime >= 12000 ? 525 : 450; }

std::string too_old() {
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  const std::string install = "install driver " + std::to_string(least_driver(runtime)) + " or newer";
  if (driver == 0) return "the NVIDIA driver's libcuda.so.1 is not found: with a GPU in the machine " + install + ", and give it to the container where there is one";
  return "the NVIDIA driver knows CUDA " + version_of(driver) + ", and this program needs " + version_of(runtime) + ": " + install;
}

std::string reason_of(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
    case cudaErrorCallRequiresNewerDriver: return too_old();
    case cudaErrorNoDevice: return "the NVIDIA driver shows no device: none is there, this user may not open /dev/nvidia*, or CUDA_VISIBLE_DEVICES hides it";
    case cudaErrorStubLibrary: return "the libcuda.so.1 that is found is the CUDA toolkit's stub and no driver: take its directory out of LD_LIBRARY_PATH";
    case cudaErrorSystemNotReady: return "the NVIDIA driver is not ready yet; where GPUs are joined by NVSwitch it waits for nvidia-fabricmanager";
    case cudaErrorSystemDriverMismatch: return "the NVIDIA driver in the kernel and its libcuda.so.1 are of two versions: restart the machine after an update";
    default: return std::string("the NVIDIA driver says: ") + cudaGetErrorString(status);
  }
}

/// The constant properties of a device. The driver takes milliseconds to report them, and readiness is checked every few seconds.
cudaError_t know(int index, Device& known) {
  static std::mutex mutex;
  static std::map<int, Device> all;
  const std::lock_guard<std::mutex> lock(mutex);
  if (all.count(index) == 0) {
    cudaDeviceProp properties{};
    const cudaError_t status = cudaGetDeviceProperties(&properties, index);
    if (status != cudaSuccess) return status;
    all[index] = {DeviceKind::cuda, properties.name, properties.totalGlobalMem, 0};
  }
  known = all[index];
  return cudaSuccess;
}

bool means_none(cudaError_t status) {
  return status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver || status == cudaErrorCallRequiresNewerDriver || status == cudaErrorStubLibrary;
}

}  // namespace

bool compiled_in() noexcept { return true; }

std::vector<Device> devices() {
  int count = 0;
  const cudaError_t status = count_devices(count);
  if (means_none(status)) return {};
  if (status != cudaSuccess) throw Error(ErrorCode::device_lost, "The GPU cannot be used: " + reason_of(status) + ".");

  std::vector<Device> found;
  for (int index = 0; index < count; ++index) {
    Device device{};
    const cudaError_t known = know(index, device);
    if (index != chosen_device && known != cudaSuccess) {
      // A device of another program may fail without harm to ours; the next call must not find its error.
      cudaGetLastError();
      continue;
    }
    check(known, "cudaGetDeviceProperties");
    if (index == chosen_device) {
      std::size_t free_bytes = 0;
      std::size_t total_bytes = 0;
      check(cudaSetDevice(index), "cudaSetDevice");
      check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
      device.memory_free_bytes = free_bytes;
      device.memory_total_bytes = total_bytes;
    }
    found.push_back(device);
  }
  return found;
}

std::string why_none() {
  int count = 0;
  const cudaError_t status = count_devices(count);
  if (status == cudaSuccess) return count > 0 ? "" : reason_of(cudaErrorNoDevice);
  return reason_of(status);
}

}  // namespace lectern::cuda
