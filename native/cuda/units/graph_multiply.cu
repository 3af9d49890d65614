// Matrix products: the choice of operands.
#include <algorithm>

#include "cuda/graph/gemm_launch.cuh"
#include "tensor/half.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

const Factors* DeviceGraphOps::keep_factors(std::int64_t count, const float* constants) {
  if (!splits_) return nullptr;
  float most = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float size = std::fabs(constants[i]);
    if (size <= FLT_MAX) most = std::max(most, size);
  }
  // The largest value is scaled just below the largest f16, so that small ones keep their bits; products of scales stay finite.
  constexpr int last = 14;
  constexpr int most_exponent = 100;
  Factors factors;
  factors.scale = most > 0 ? std::ldexp(1.0F, std::min(last - std::ilogb(most), most_exponent)) : 1.0F;
  factors.single = true;
  for (std::int64_t i = 0; i < count && factors.single; ++i) {
    const float scaled = constants[i] * factors.scale;
    factors.single = float_from_f16(f16_from_float(scaled)) == scaled;
  }
  factors_.push_back(factors);
  return &factors_.back();
}

void DeviceGraphOps::multiply(const Product& p, const float* a, const float* b, const void* packed, const float* bias, float* out) {
  const Places<2> batches = places_of<2>(p.batches, {p.a_strides, p.b_strides});
  if (batches.count * p.rows * p.columns == 0) return;
  const int rows = counted(p.rows);
  const int columns = counted(p.columns);
  const int inner = counted(p.inner);
  const bool ends = ends_products(p.activation.kind);
  const Way way{splits_, multiprocessors_, {}, packed == nullptr ? Factors() : *static_cast<const Factors*>(packed)};
  const auto queue = [&](auto kernel, Grid grid, int threads, const auto& product) { blocks(kernel, grid, threads, 0, product); };
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const T* left = reinterpret_cast<const T*>(a);
    const T* right = reinterpret_cast<const T*>(b);
    T* to = reinterpret_cast<T*>(out);
    const MatrixEnd<T> end{to, reinterpret_cast<const T*>(bias), rows, columns, p.alpha, p.beta, p.bias_row_stride, p.bias_column_stride, ends ? p.activation : Unary{}, columns % 2 == 0};
    const auto with_b = [&](const auto& side) {
      if (p.b_transposed) multiply_sides(way, side, DenseLines<T>{right, columns, inner, in_vectors(right, inner, batches, 1)}, end, batches, queue);
      else multiply_sides(way, side, TurnedLines<T>{right, columns, inner, in_vectors(right, columns, batches, 1)}, end, batches, queue);
    };
    if (p.a_transposed) with_b(TurnedLines<T>{left, rows, inner, in_vectors(left, rows, batches, 0)});
    else with_b(DenseLines<T>{left, rows, inner, in_vectors(left, inner, batches, 0)});
  });
  if (!ends) unary(p.activation, Element::f32, batches.count * p.rows * p.columns, out, out);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
