// The processor as a device: its name and the machine's memory.
#pragma once

#include <iosfwd>
#include <string>

#include "backend/device.h"

namespace lectern::cpu {

/// Free memory is the kernel's estimate of what new work may take without swapping, or the limit of the control group if that
/// is lower. Never fails: an unknown name is "CPU", unknown memory 0.
Device device();

/// The name in the form of /proc/cpuinfo. Linux on arm64 gives no name, only the numbers of the core's maker and type, which then
/// stand in parentheses.
std::string processor_name(std::istream& cpuinfo);

}  // namespace lectern::cpu
