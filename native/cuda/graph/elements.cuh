// What kernels of ONNX networks share: storage types, strided operands, element-wise functions.
#pragma once

#include <cfloat>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/graph_ops.h"
#include "cuda/graph/graph_ops.h"
#include "cuda/simt/tensor_cores.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

using Count = std::int64_t;

/// An f16 as 16 bits.
struct Half {
  std::uint16_t bits;
};

/// Rounded to nearest even; finite values stay finite, infinities and NaN are kept.
__device__ __forceinline__ Half half_of(float value) {
  const float kept = fabsf(value) <= FLT_MAX ? fminf(fmaxf(value, -65504.0F), 65504.0F) : value;
  return {static_cast<std::uint16_t>(pack_f16(kept, 0.0F) & 0xFFFFU)};
}

/// The type of computation: float for f16, every other type itself.
template <class T>
struct CountedAs {
  using Type = T;
};
template <>
struct CountedAs<Half> {
  using Type = float;
};
template <class T>
using Counted = typename CountedAs<T>::Type;

template <class T>
__device__ __forceinline__ Counted<T> value_of(T element) {
  return element;
}
template <>
__device__ __forceinline__ float value_of(Half element) {
  return half_to_float(element.bits);
}
template <class T>
__device__ __forceinline__ T element_of(Counted<T> value) {
  return value;
}
template <>
__device__ __forceinline__ Half element_of<Half>(float value) {
  return half_of(value);
}

template <class T>
__device__ __forceinline__ bool is_negative(T x) {
  if constexpr (std::is_signed<T>::value) return x < 0;
  else return false;
}

__device__ __forceinline__ Count first_element() { return static_cast<Count>(block_x()) * thread_count() + thread_number(); }
__device__ __forceinline__ Count element_step() { return static_cast<Count>(grid_x()) * thread_count(); }

/// Operands that are traversed together, in the integer type of the device.
template <int operands>
struct Places {
  int rank = 0;
  Count count = 1;
  Count sizes[max_rank];
  Count strides[operands][max_rank];

  /// The offset of element i (row-major) in each operand.
  __device__ __forceinline__ void find(Count i, Count (&at)[operands]) const {
    for (int k = 0; k < operands; ++k) at[k] = 0;
    if (count <= 0x7FFFFFFF) {
      // A 64-bit division is a subroutine.
      auto rest = static_cast<std::uint32_t>(i);
      for (int axis = rank - 1; axis >= 0; --axis) {
        const auto size = static_cast<std::uint32_t>(sizes[axis]);
        const std::uint32_t left = rest / size;
        const Count index = rest - left * size;
        for (int k = 0; k < operands; ++k) at[k] += index * strides[k][axis];
        rest = left;
      }
      return;
    }
    for (int axis = rank - 1; axis >= 0; --axis) {
      const Count index = i % sizes[axis];
      i /= sizes[axis];
      for (int k = 0; k < operands; ++k) at[k] += index * strides[k][axis];
    }
  }
};

/// Joins axes that are contiguous in all operands.
template <int operands>
Places<operands> places_of(const Shape& shape, const std::array<Strides, operands>& strides) {
  Places<operands> places;
  places.count = shape.elements();
  for (int axis = 0; axis < shape.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (shape[axis] == 1) continue;
    const int last = places.rank - 1;
    bool joins = last >= 0;
    for (int k = 0; joins && k < operands; ++k) joins = places.strides[k][last] == strides[static_cast<std::size_t>(k)][at] * shape[axis];
    const int to = joins ? last : places.rank++;
    places.sizes[to] = (joins ? places.sizes[to] : 1) * shape[axis];
    for (int k = 0; k < operands; ++k) places.strides[k][to] = strides[static_cast<std::size_t>(k)][at];
  }
  return places;
}

/// As backend/graph_ops.h defines, of one float; erf, exp and similar functions to a few units in the last place.
__device__ __forceinline__ float clamped(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

template <class T>
__device__ T function_of(UnaryKind kind, T a, T b, T x) {
  switch (kind) {
    case UnaryKind::identity: return x;
    case UnaryKind::absolute: return fabs(x);
    case UnaryKind::negate: return -x;
    case UnaryKind::sign: return x > 0 ? T(1) : x < 0 ? T(-1) : x;
    case UnaryKind::exp: return exp(x);
    case UnaryKind::log: return log(x);
    case UnaryKind::sqrt: return sqrt(x);
    case UnaryKind::reciprocal: return T(1) / x;
    case UnaryKind::floor: return floor(x);
    case UnaryKind::ceil: return ceil(x);
    case UnaryKind::round: return rint(x);  // halves to even
    case UnaryKind::sin: return sin(x);
    case UnaryKind::cos: return cos(x);
    case UnaryKind::logical_not: return x == 0 ? T(1) : T(0);
    case UnaryKind::erf: return erf(a * x);
    case UnaryKind::sigmoid: return T(1) / (T(1) + exp(-x));
    case UnaryKind::tanh: return tanh(x);
    case UnaryKind::relu: return x < 0 ? T(0) : x;
    case UnaryKind::leaky_relu: return x < 0 ? a * x : x;
    case UnaryKind::elu: return x < 0 ? a * expm1(x) : x;
    case UnaryKind::hard_sigmoid: {
      const T y = a * x + b;
      return y < 0 ? T(0) : y > 1 ? T(1) : y;
    }
    case UnaryKind::hard_swish: {
      const T y = a * x + b;
      return x * (y < 0 ? T(0) : y > 1 ? T(1) : y);
    }
    case UnaryKind::silu: return x / (T(1) + exp(-a * x));
    case UnaryKind::gelu: return x / T(2) * (T(1) + erf(x * T(0.70710678118654752)));
    case UnaryKind::gelu_tanh: return x / T(2) * (T(1) + tanh(T(0.79788456080286536) * (x + T(0.044715) * x * x * x)));
    case UnaryKind::softplus: return (x > 0 ? x : T(0)) + log1p(exp(-fabs(x)));
    case UnaryKind::softsign: return x / (T(1) + fabs(x));
    case UnaryKind::mish: return x * tanh((x > 0 ? x : T(0)) + log1p(exp(-fabs(x))));
    case UnaryKind::clip: return x < a ? a : x > b ? b : x;
  }
  return x;
}

/// scale f(x) + shift.
template <class T>
__device__ __forceinline__ T applied(const Unary& op, T x) {
  return static_cast<T>(op.scale) * function_of<T>(op.kind, static_cast<T>(op.a), static_cast<T>(op.b), x) + static_cast<T>(op.shift);
}

/// Calls with(T()) for the storage type of floats.
template <class With>
void with_floats(bool halves, With&& with) {
  if (halves) with(Half());
  else with(float());
}

/// Calls with(T()) for a type of the size of an element: moving elements needs nothing else.
template <class With>
void with_words(std::size_t bytes, With&& with) {
  switch (bytes) {
    case 1: return with(std::uint8_t());
    case 2: return with(std::uint16_t());
    case 4: return with(std::uint32_t());
    default: return with(std::uint64_t());
  }
}

/// Calls with(T()) for the four types of reductions.
template <class With>
void with_numbers(bool halves, Element element, With&& with) {
  switch (element) {
    case Element::f32: return with_floats(halves, with);
    case Element::f64: return with(double());
    case Element::i64: return with(std::int64_t());
    case Element::i32: return with(std::int32_t());
    default: throw Error(ErrorCode::internal, "An operation on " + std::string(name_of(element)) + " was planned and does not exist.");
  }
}

constexpr int element_threads = 256;

#if defined(__CUDACC__)
template <class... Parameters, class... Arguments>
void launch_apart(Stream stream, void (*kernel)(Parameters...), Grid grid, int threads, Arguments... arguments) {
  launch(stream, kernel, grid, threads, arguments...);
}
#else
/// For threads that do not wait for each other: the emulation needs no fibers.
template <class... Parameters, class... Arguments>
void launch_apart(Stream, void (*kernel)(Parameters...), Grid grid, int threads, Arguments... arguments) {
  cuda::emulation::run_apart({static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y), static_cast<unsigned>(grid.z)}, threads, [&] { kernel(arguments...); });
}
#endif

template <class... Parameters, class... Arguments>
void DeviceGraphOps::each(void (*kernel)(Parameters...), std::int64_t count, Arguments... arguments) {
  if (count <= 0) return;
  // Sixteen blocks of 256 fill a multiprocessor twice; more would only start and end.
  const Count most = Count{16} * multiprocessors_;
  const Count wanted = (count + element_threads - 1) / element_threads;
  launch_apart(stream_, kernel, Grid{static_cast<int>(wanted < most ? wanted : most)}, element_threads, arguments...);
  check_launches();
}

template <class... Parameters, class... Arguments>
void DeviceGraphOps::blocks(void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
  launch_shared(stream_, kernel, grid, threads, shared_bytes, arguments...);
  check_launches();
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
