#include "cpu/kernels/kernels.h"
#include "cpu/kernels/network.h"

namespace lectern::cpu {

const Kernels* kernels_of(Instructions level) {
  switch (level) {
    case Instructions::baseline: return &baseline_kernels();
#if defined(__x86_64__)
    case Instructions::avx2: return &avx2_kernels();
    case Instructions::avx512: return &avx512_kernels();
#else
    case Instructions::avx2:
    case Instructions::avx512: break;
#endif
  }
  return nullptr;
}

const NetworkKernels* network_kernels_of(Instructions level) {
  switch (level) {
    case Instructions::baseline: return &baseline_network_kernels();
#if defined(__x86_64__)
    case Instructions::avx2: return &avx2_network_kernels();
    case Instructions::avx512: return &avx512_network_kernels();
#else
    case Instructions::avx2:
    case Instructions::avx512: break;
#endif
  }
  return nullptr;
}

}  // namespace lectern::cpu
