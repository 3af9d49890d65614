// The CUDA room of the addon that development uses without a GPU: its one device is the emulation. It replaces absent.cpp
// or device.cu, and is in no release.
#include "cuda/runtime/device.h"

#include <csignal>
#include <utility>

#include "cuda/runtime/backend.h"
#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/runtime/runtime.h"

namespace lectern::cuda {

bool compiled_in() noexcept { return true; }

std::vector<Device> devices() {
  // Tests of the service lose the device by this signal.
  static const auto before = std::signal(SIGUSR2, [](int) { emulation::lose(); });
  static_cast<void>(before);
  return {cuda_emulated::describe(chosen_device)};
}

std::string why_none() { return ""; }

std::string take_remarks() { return std::exchange(emulation::remarks, {}); }

std::unique_ptr<Backend> make_backend(int device) { return cuda_emulated::make_backend(device); }

PeakRates measure_peak_rates(int device, std::size_t bytes, int turns) { return cuda_emulated::measure_peak_rates(device, bytes, turns); }

}  // namespace lectern::cuda
