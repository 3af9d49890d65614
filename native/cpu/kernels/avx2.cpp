// The inner loops for the level `avx2`; CMakeLists.txt gives this file alone that level's flags.
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/simd_avx2.h"

namespace lectern::cpu {
namespace {

// The register budget: what is summed in registers at once.
constexpr int dot_rows = 8;           // rows of integer sums
constexpr int float_sums = 16;        // rows of float sums, times groups
constexpr int attention_rows = 8;     // queries
constexpr int attention_vectors = 2;  // vectors of each query
constexpr int exercise_chains = 12;

}  // namespace
}  // namespace lectern::cpu

#include "cpu/kernels/matmul.inc"
#include "cpu/kernels/matmul_floats.inc"
#include "cpu/kernels/attention.inc"
#include "cpu/kernels/rows.inc"
#include "cpu/kernels/table.inc"

namespace lectern::cpu {

const Kernels& avx2_kernels() {
  static constexpr Kernels kernels = table();
  return kernels;
}

}  // namespace lectern::cpu
