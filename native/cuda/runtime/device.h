// The CUDA devices of this machine. Implemented by device.cu in builds with nvcc, by absent.cpp in others, and by emulation/device.cpp in the addon
// that development uses.
#pragma once

#include <string>
#include <vector>

#include "backend/device.h"

namespace lectern::cuda {

/// Whether this build holds CUDA code.
bool compiled_in() noexcept;

/// The device that models run on.
constexpr int chosen_device = 0;

/// In the order of the runtime; empty without a usable driver or a device. The first call opens a context on the chosen device to read its
/// free memory, which takes some 200 ms and some hundred MB; other devices may belong to other programs, and their free memory is reported as 0. Throws Error `device_lost` when a device does not respond.
std::vector<Device> devices();

/// Why devices() returns none, or throws, as part of a sentence; empty where it returns some.
std::string why_none();

}  // namespace lectern::cuda
