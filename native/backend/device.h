// What a device is to the rest of the engine: its kind, its name and its memory. C++17: the CUDA sources see this file.
#pragma once

#include <cstdint>
#include <string>

namespace lectern {

enum class DeviceKind { cpu, cuda };

struct Device {
  DeviceKind kind;
  std::string name;
  std::uint64_t memory_total_bytes;
  std::uint64_t memory_free_bytes;
};

}  // namespace lectern
