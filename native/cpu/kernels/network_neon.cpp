// The inner loops of networks for the level `neon`; CMakeLists.txt gives this file alone that level's flags.
#include "cpu/kernels/network.h"
#include "cpu/kernels/simd_neon.h"

namespace lectern::cpu {
namespace {

// The register budget: rows and vectors of a product, vectors of a window.
constexpr int block_rows = 4;
constexpr int block_vectors = 1;
constexpr int window_vectors = 4;

}  // namespace
}  // namespace lectern::cpu

#include "cpu/kernels/network_product.inc"
#include "cpu/kernels/network_finish.inc"
#include "cpu/kernels/network_rows.inc"

namespace lectern::cpu {

const NetworkKernels& neon_network_kernels() {
  static constexpr NetworkKernels kernels = network_table();
  return kernels;
}

}  // namespace lectern::cpu
