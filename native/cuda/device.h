// The CUDA devices of this machine. device.cu answers where nvcc built the addon, absent.cpp everywhere else.
#pragma once

#include <vector>

#include "backend/device.h"

namespace lectern::cuda {

/// Whether this build holds CUDA code.
bool compiled_in() noexcept;

/// In the runtime's order; empty without a driver or a device. The first call opens a context on each device to learn its
/// free memory, some 200 ms. Throws Error `device_lost` when a device that is there does not answer.
std::vector<Device> devices();

}  // namespace lectern::cuda
