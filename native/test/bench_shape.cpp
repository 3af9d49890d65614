#include "bench_shape.h"

namespace lectern::test {
namespace {

constexpr DType q4 = DType::q4_k;
constexpr DType q5 = DType::q5_k;
constexpr DType q6 = DType::q6_k;
constexpr DType half = DType::f16;
constexpr LayerTypes all_halves{half, half, half, half, half, half, half};
constexpr LayerTypes more_bits{q4, q4, q6, q4, q4, q4, q6};
constexpr LayerTypes fewer_bits{q4, q4, q4, q4, q4, q4, q4};
/// Where eight heads share a value, its matrix is small enough for more.
constexpr LayerTypes fewer_bits_70b{q4, q4, q5, q4, q4, q4, q4};

}  // namespace

std::vector<BenchShape> bench_shapes(bool tiny) {
  if (tiny) return {{"tiny llama", 3, 256, 4, 2, 64, 512, 96, more_bits, fewer_bits_70b}, {"tiny bert", 2, 128, 2, 2, 64, 256, 0, all_halves, all_halves, true}};
  return {{"llama-3.3-70B Q4_K_M", 80, 8192, 64, 8, 128, 28672, 128256, more_bits, fewer_bits_70b},
          {"bge-m3 F16", 24, 1024, 16, 16, 64, 4096, 0, all_halves, all_halves, true},
          // The rows of its last matrix are no multiple of 256.
          {"qwen2.5-72B Q4_K_M", 80, 8192, 64, 8, 128, 29568, 152064, {q4, q4, q6, q4, q4, q4, DType::q8_0}, {q4, q4, q5, q4, q4, q4, DType::q5_0}},
          {"llama-3.1-8B Q4_K_M", 32, 4096, 32, 8, 128, 14336, 128256, more_bits, fewer_bits},
          {"llama-3.2-1B Q4_K_M", 16, 2048, 32, 8, 64, 8192, 128256, more_bits, fewer_bits}};
}

}  // namespace lectern::test
