// The choice of kernel and tile for a product.
#pragma once

#include "cuda/graph/gemm_f32.cuh"
#include "cuda/graph/gemm_f16.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

template <class Side>
constexpr bool is_unfolded = false;
template <class T>
constexpr bool is_unfolded<PixelLines<T>> = true;

inline int counted(std::int64_t count) {
  // Tiles reach beyond the last row.
  if (count > INT32_MAX - 256) throw Error(ErrorCode::too_large, "A product of " + std::to_string(count) + " lines is more than the GPU counts.");
  return static_cast<int>(count);
}

inline bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

/// Whether all chunks of eight elements of T along lines of `length` are aligned and whole, in every batch.
template <class T>
bool in_vectors(const T* data, std::int64_t length, const Places<2>& batches, int operand) {
  bool aligned = is_aligned(data) && length % 8 == 0;
  for (int axis = 0; axis < batches.rank; ++axis) aligned = aligned && batches.strides[operand][axis] % 8 == 0;
  return aligned;
}

/// How both operands of a product are multiplied.
struct Way {
  bool splits;  // floats are split into f16 for the tensor cores
  int multiprocessors;
  Factors a_factors{}, b_factors{};
};

/// Launches a kernel for all batches: as many at a time as a grid has.
template <class Kernel, class A, class B, class End, class Queue>
void queue_batches(Kernel kernel, int a_lines, int b_lines, int threads, const Way& way, const A& a, const B& b, const End& end, const Places<2>& batches, Queue&& queue) {
  constexpr Count most = 65535;
  const int a_tiles = (end.rows + a_lines - 1) / a_lines;
  const int b_tiles = (end.columns + b_lines - 1) / b_lines;
  const float unscale = 1.0F / way.a_factors.scale / way.b_factors.scale;
  for (Count first = 0; first < batches.count; first += most) {
    const Count rest = batches.count - first;
    const Grid grid{counted(Count{a_tiles} * b_tiles), 1, static_cast<int>(rest < most ? rest : most)};
    queue(kernel, grid, threads, TiledProduct<A, B, End>{a, b, end, batches, static_cast<int>(first), a_tiles, way.a_factors, way.b_factors, unscale});
  }
}

/// Launches the product of all batches; queue(kernel, grid, threads, product).
template <class A, class B, class End, class Queue>
void multiply_sides(const Way& way, const A& a, const B& b, const End& end, const Places<2>& batches, Queue&& queue) {
  constexpr bool floats = std::is_same<typename A::Element, float>::value;
  if constexpr (floats) {
    if (!way.splits) return queue_batches(multiply_by_floats<A, B, End>, float_side, float_side, float_threads, way, a, b, end, batches, queue);
  }
  const auto with_tile = [&](auto tile) {
    using Tile = decltype(tile);
    using Shape = ProductShape<Tile, typename A::Element>;
    queue_batches(multiply_by_tensor_cores<Tile, A, B, End>, Shape::a_lines, Shape::b_lines, Shape::threads, way, a, b, end, batches, queue);
  };
  // The tile does not change the sums. Large tiles where they leave no multiprocessor idle.
  using Large = typename std::conditional<floats, TallProductTile, LargeProductTile>::type;
  using LargeShape = ProductShape<Large, typename A::Element>;
  const Count large = Count{(end.rows + LargeShape::a_lines - 1) / LargeShape::a_lines} * ((end.columns + LargeShape::b_lines - 1) / LargeShape::b_lines) * batches.count;
  // Operands that are dense across k are rare: they have one tile, which keeps the device code small.
  constexpr bool usual = A::along_depth;
  if constexpr (usual) {
    if (end.rows > 64 && large >= way.multiprocessors) return with_tile(Large());
  }
  if constexpr (usual && is_unfolded<B>) {
    if (end.rows <= 32) return with_tile(WideProductTile());
  }
  with_tile(SmallProductTile());
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
