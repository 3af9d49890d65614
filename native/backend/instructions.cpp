// Asks the processor, or the kernel what the processor has.
#include "backend/instructions.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace lectern {
namespace {

#if defined(__x86_64__)
constexpr Instructions levels[] = {Instructions::baseline, Instructions::avx2, Instructions::avx512};
#elif defined(__aarch64__)
constexpr Instructions levels[] = {Instructions::baseline, Instructions::neon, Instructions::neon_dotprod, Instructions::neon_i8mm};
#else
constexpr Instructions levels[] = {Instructions::baseline};
#endif

Instructions detect() noexcept {
#if defined(__x86_64__)
  // The compilers' builtins already include the operating system's support (XGETBV), which a bare CPUID bit does not. Half precision is tested
  // by such a bit: Clang 14 does not know its name, and an operating system that saves AVX2's registers saves all that it needs.
  unsigned int a = 0, b = 0, features = 0, d = 0;
  const bool halves = __get_cpuid(1, &a, &b, &features, &d) != 0 && (features & bit_F16C) != 0;
  const bool avx2 = halves && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vnni");
  if (avx2 && avx512) return Instructions::avx512;
  if (avx2) return Instructions::avx2;
#elif defined(__aarch64__)
#if defined(__linux__)
  // HWCAP_ASIMDDP and HWCAP2_I8MM of asm/hwcap.h, which older headers lack.
  const bool dotprod = (getauxval(AT_HWCAP) & (1UL << 20)) != 0;
  const bool i8mm = (getauxval(AT_HWCAP2) & (1UL << 13)) != 0;
  if (dotprod) return i8mm ? Instructions::neon_i8mm : Instructions::neon_dotprod;
#endif
  return Instructions::neon;
#endif
  return Instructions::baseline;
}

}  // namespace

std::span<const Instructions> instruction_levels() noexcept { return levels; }

Instructions available_instructions() noexcept {
  static const Instructions level = detect();
  return level;
}

std::string_view name_of(Instructions level) noexcept {
  switch (level) {
    case Instructions::neon_i8mm: return "neon-i8mm";
    case Instructions::neon_dotprod: return "neon-dotprod";
    case Instructions::neon: return "neon";
    case Instructions::avx512: return "avx512";
    case Instructions::avx2: return "avx2";
    case Instructions::baseline: break;
  }
  return "baseline";
}

}  // namespace lectern
