// Reads Linux's description of the processor and the memory.
#include "cpu/device.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace lectern::cpu {
namespace {

/// The number behind a key in a file of `key number` lines; absent if the file or the key is missing.
std::optional<std::uint64_t> number_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string name;
  std::uint64_t number = 0;
  for (std::string rest; file >> name >> number; std::getline(file, rest)) {
    if (name == key) return number;
  }
  return std::nullopt;
}

/// Absent if there is no control group or the file says "max".
std::optional<std::uint64_t> number_of(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

constexpr const char* memory_file = "/proc/meminfo";

}  // namespace

std::string processor_name(std::istream& cpuinfo) {
  std::string implementer;
  std::string part;
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name")) return line.substr(colon + 2);
    if (implementer.empty() && line.starts_with("CPU implementer")) implementer = line.substr(colon + 2);
    if (part.empty() && line.starts_with("CPU part")) part = line.substr(colon + 2);
  }
  if (implementer.empty() || part.empty()) return "CPU";
  return "CPU (implementer " + implementer + ", part " + part + ")";
}

Device device() {
  const std::uint64_t total = number_in(memory_file, "MemTotal:").value_or(0) * 1024;
  const std::uint64_t free = number_in(memory_file, "MemAvailable:").value_or(0) * 1024;
  std::ifstream cpuinfo("/proc/cpuinfo");
  Device device{DeviceKind::cpu, processor_name(cpuinfo), total, free};
  // In a container the host's numbers include memory whose use would kill the process.
  const auto limit = number_of("/sys/fs/cgroup/memory.max");
  const auto charged = number_of("/sys/fs/cgroup/memory.current");
  if (limit && charged && *limit < total) {
    // Page cache is charged but reclaimed on demand: a mapped model file must not count as used.
    const std::uint64_t cache = number_in("/sys/fs/cgroup/memory.stat", "file").value_or(0);
    const std::uint64_t used = *charged - std::min(*charged, cache);
    device.memory_total_bytes = *limit;
    device.memory_free_bytes = std::min(free, *limit - std::min(*limit, used));
  }
  return device;
}

}  // namespace lectern::cpu
