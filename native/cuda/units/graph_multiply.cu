// Matrix products: which sides.
#include "cuda/graph_product.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

void DeviceGraphOps::multiply(const Product& p, const float* a, const float* b, const void*, const float* bias, float* out) {
  const Places<2> batches = places_of<2>(p.batches, {p.a_strides, p.b_strides});
  if (batches.count * p.rows * p.columns == 0) return;
  const int rows = counted(p.rows);
  const int columns = counted(p.columns);
  const int inner = counted(p.inner);
  const bool ends = ends_products(p.activation.kind);
  const auto queue = [&](auto kernel, Grid grid, int threads, const auto& product) { blocks(kernel, grid, threads, 0, product); };
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const T* left = reinterpret_cast<const T*>(a);
    const T* right = reinterpret_cast<const T*>(b);
    T* to = reinterpret_cast<T*>(out);
    const MatrixEnd<T> end{to, reinterpret_cast<const T*>(bias), rows, columns, p.alpha, p.beta, p.bias_row_stride, p.bias_column_stride, ends ? p.activation : Unary{}, columns % 2 == 0};
    const auto with_b = [&](const auto& side) {
      if (p.b_transposed) multiply_sides(multiprocessors_, side, DenseLines<T>{right, columns, inner, in_vectors(right, inner, batches, 1)}, end, batches, queue);
      else multiply_sides(multiprocessors_, side, TurnedLines<T>{right, columns, inner, in_vectors(right, columns, batches, 1)}, end, batches, queue);
    };
    if (p.a_transposed) with_b(TurnedLines<T>{left, rows, inner, in_vectors(left, rows, batches, 0)});
    else with_b(DenseLines<T>{left, rows, inner, in_vectors(left, inner, batches, 0)});
  });
  if (!ends) unary(p.activation, Element::f32, batches.count * p.rows * p.columns, out, out);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
