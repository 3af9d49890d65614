// Asks the processor.
#include "backend/instructions.h"

namespace lectern {
namespace {

Instructions detect() noexcept {
#if defined(__x86_64__)
  // GCC's answers already include the operating system's (XGETBV), which a bare CPUID bit does not.
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vnni");
  if (avx2 && avx512) return Instructions::avx512;
  if (avx2) return Instructions::avx2;
#endif
  return Instructions::baseline;
}

}  // namespace

Instructions available_instructions() noexcept {
  static const Instructions level = detect();
  return level;
}

std::string_view name_of(Instructions level) noexcept {
  switch (level) {
    case Instructions::avx512: return "avx512";
    case Instructions::avx2: return "avx2";
    case Instructions::baseline: break;
  }
  return "baseline";
}

}  // namespace lectern
