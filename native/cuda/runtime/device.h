// The CUDA devices of this machine. device.cu answers where nvcc built the addon, absent.cpp elsewhere, emulation/device.cpp in the addon that
// development serves with.
#pragma once

#include <string>
#include <vector>

#include "backend/device.h"

namespace lectern::cuda {

/// Whether this build holds CUDA code.
bool compiled_in() noexcept;

/// The one that models run on.
constexpr int chosen_device = 0;

/// In the runtime's order; empty without a driver that this build can use, or a device. The first call opens a context on the chosen device to learn its
/// free memory, some 200 ms and some hundred MB there; of the others, which are somebody else's, the free memory is told as 0. Throws Error `device_lost` when a device that is there does not answer.
std::vector<Device> devices();

/// Why devices() gives none, or throws, as part of a sentence; empty where it gives some.
std::string why_none();

}  // namespace lectern::cuda
