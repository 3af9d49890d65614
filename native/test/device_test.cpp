// What the machine says of itself, as far as that holds on every machine.
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

LECTERN_TEST("backend: instructions have a level and a name") {
  const Instructions level = available_instructions();
  check(level >= Instructions::baseline && level <= Instructions::avx512, "level");
  check(name_of(Instructions::baseline) == "baseline" && name_of(Instructions::avx512) == "avx512", "names");
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
