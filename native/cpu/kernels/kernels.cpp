#include "cpu/kernels/kernels.h"
#include "cpu/kernels/network.h"

namespace lectern::cpu {

const Kernels* kernels_of(Instructions level) {
  switch (level) {
    case Instructions::baseline: return &baseline_kernels();
#if defined(__x86_64__)
    case Instructions::avx2: return &avx2_kernels();
    case Instructions::avx512: return &avx512_kernels();
#elif defined(__aarch64__)
    case Instructions::neon: return &neon_kernels();
    case Instructions::neon_dotprod: return &neon_dotprod_kernels();
    case Instructions::neon_i8mm: return &neon_i8mm_kernels();
#endif
    default: return nullptr;
  }
}

const NetworkKernels* network_kernels_of(Instructions level) {
  switch (level) {
    case Instructions::baseline: return &baseline_network_kernels();
#if defined(__x86_64__)
    case Instructions::avx2: return &avx2_network_kernels();
    case Instructions::avx512: return &avx512_network_kernels();
#elif defined(__aarch64__)
    case Instructions::neon:
    case Instructions::neon_dotprod:
    case Instructions::neon_i8mm: return &neon_network_kernels();  // no products of bytes
#endif
    default: return nullptr;
  }
}

}  // namespace lectern::cpu
