// What the machine says of itself, as far as that holds on every machine.
#include <algorithm>
#include <span>
#include <sstream>
#include <string>

#include "backend/instructions.h"
#include "cpu/device.h"
#include "cuda/runtime/device.h"
#include "harness.h"
#include "options.h"

namespace lectern {
namespace {

using test::check;

LECTERN_TEST("cpu: the processor has a name and memory") {
  const Device device = cpu::device();
  check(device.kind == DeviceKind::cpu, "kind");
  check(!device.name.empty(), "name");
  check(device.memory_total_bytes > (std::uint64_t{256} << 20), "total memory");
  check(device.memory_free_bytes > 0 && device.memory_free_bytes <= device.memory_total_bytes, "free memory");
}

LECTERN_TEST("cpu: the name of a processor is the model's, or on arm64 the numbers of its core") {
  std::istringstream x86("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9554\n");
  check(cpu::processor_name(x86) == "AMD EPYC 9554", "x86-64");
  std::istringstream arm("processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\nCPU implementer\t: 0x42\n");
  check(cpu::processor_name(arm) == "CPU (implementer 0x41, part 0xd0c)", "arm64");
  std::istringstream none("Hardware\t: Board\n");
  check(cpu::processor_name(none) == "CPU", "neither");
}

LECTERN_TEST("backend: instructions have a level and a name") {
  const Instructions level = available_instructions();
  const std::span<const Instructions> levels = instruction_levels();
  check(std::find(levels.begin(), levels.end(), level) != levels.end() && std::is_sorted(levels.begin(), levels.end()), "a level of this architecture");
  test::note("instructions: " + std::string(name_of(level)));
  check(name_of(Instructions::baseline) == "baseline" && name_of(Instructions::avx512) == "avx512" && name_of(Instructions::neon_i8mm) == "neon-i8mm", "names");
#if defined(__aarch64__)
  check(level >= Instructions::neon, "every arm64 processor has NEON");
#endif
}

LECTERN_TEST("cuda: devices are listed, and without a driver there are none") {
  const std::vector<Device> devices = cuda::devices();
  test::note("CUDA " + std::string(cuda::compiled_in() ? "compiled in, " : "not compiled in, ") +
             std::to_string(devices.size()) + " devices");
  check(cuda::compiled_in() || devices.empty(), "none without CUDA");
  check(!test::options().require_cuda || !devices.empty(), "--require-cuda: there is a device");
  for (const Device& device : devices) {
    check(device.kind == DeviceKind::cuda && !device.name.empty(), "kind and name");
    check(device.memory_free_bytes <= device.memory_total_bytes && device.memory_total_bytes > 0, "memory");
  }
}

}  // namespace
}  // namespace lectern
