// The processor as a device: its name and the machine's memory.
#pragma once

#include "backend/device.h"

namespace lectern::cpu {

/// Free memory is the kernel's estimate of what new work may take without swapping, or the limit of the control group if that
/// is lower. Never fails: an unknown name is "CPU", unknown memory 0.
Device device();

}  // namespace lectern::cpu
