// The inner loops for the level `baseline`; CMakeLists.txt gives this file alone that level's flags.
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/simd_baseline.h"

#include "cpu/kernels/matmul.inc"
#include "cpu/kernels/matmul_floats.inc"
#include "cpu/kernels/attention.inc"
#include "cpu/kernels/rows.inc"
#include "cpu/kernels/table.inc"

namespace lectern::cpu {

const Kernels& baseline_kernels() {
  static constexpr Kernels kernels = table();
  return kernels;
}

}  // namespace lectern::cpu
