#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cpu/graph/reference_graph_ops.h"
#include "cpu/graph/walk.h"
#include "error.h"

namespace lectern::cpu {
namespace {

template <class T>
T clamp_of(T x, T low, T high) {
  // NaN is kept: every comparison with it is false.
  if (x < low) return low;
  return x > high ? high : x;
}

template <class T>
T function_of(Unary op, T x) {
  const T a = static_cast<T>(op.a);
  const T b = static_cast<T>(op.b);
  switch (op.kind) {
    case UnaryKind::identity: return x;
    case UnaryKind::absolute: return std::abs(x);
    case UnaryKind::negate: return -x;
    case UnaryKind::sign: return x > 0 ? T{1} : x < 0 ? T{-1} : x;
    case UnaryKind::exp: return std::exp(x);
    case UnaryKind::log: return std::log(x);
    case UnaryKind::sqrt: return std::sqrt(x);
    case UnaryKind::reciprocal: return T{1} / x;
    case UnaryKind::floor: return std::floor(x);
    case UnaryKind::ceil: return std::ceil(x);
    case UnaryKind::round: return std::nearbyint(x);  // ties to even
    case UnaryKind::sin: return std::sin(x);
    case UnaryKind::cos: return std::cos(x);
    case UnaryKind::erf: return std::erf(a * x);
    case UnaryKind::logical_not: return x == 0 ? T{1} : T{0};
    case UnaryKind::sigmoid: return T{1} / (T{1} + std::exp(-x));
    case UnaryKind::tanh: return std::tanh(x);
    case UnaryKind::relu: return x < 0 ? T{0} : x;
    case UnaryKind::leaky_relu: return x < 0 ? a * x : x;
    case UnaryKind::elu: return x < 0 ? a * std::expm1(x) : x;
    case UnaryKind::hard_sigmoid: return clamp_of(a * x + b, T{0}, T{1});
    case UnaryKind::hard_swish: return x * clamp_of(a * x + b, T{0}, T{1});
    case UnaryKind::silu: return x / (T{1} + std::exp(-a * x));
    case UnaryKind::gelu: return x / T{2} * (T{1} + std::erf(x * static_cast<T>(0.70710678118654752)));
    case UnaryKind::gelu_tanh: return x / T{2} * (T{1} + std::tanh(static_cast<T>(0.79788456080286536) * (x + static_cast<T>(0.044715) * x * x * x)));
    case UnaryKind::softplus: return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
    case UnaryKind::softsign: return x / (T{1} + std::abs(x));
    case UnaryKind::mish: return x * std::tanh(std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x))));
    case UnaryKind::clip: return clamp_of(x, a, b);
  }
  return x;
}

template <class T>
T apply_float(Unary op, T x) {
  return static_cast<T>(op.scale) * function_of(op, x) + static_cast<T>(op.shift);
}

template <class T>
T apply_integer(UnaryKind kind, T x) {
  // The negative of the smallest number does not fit its type: the number is kept, as in two's complement.
  using U = std::make_unsigned_t<T>;
  const auto negative = static_cast<T>(static_cast<U>(U{0} - static_cast<U>(x)));
  switch (kind) {
    case UnaryKind::absolute: return x < 0 ? negative : x;
    case UnaryKind::negate: return negative;
    case UnaryKind::sign: return static_cast<T>((x > 0) - (x < 0));
    case UnaryKind::relu: return std::max(x, T{0});
    case UnaryKind::logical_not: return x == 0;
    default: return x;
  }
}

/// Has the sign of the divisor.
template <class T>
T modulo_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1))) return 0;
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  }
}

/// By squaring, with wrapping. For a negative exponent only 1 and -1 have a non-zero result.
template <class T>
T integer_power(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if constexpr (std::is_signed_v<T>) {
      if (base == -1) return exponent % 2 == 0 ? T{1} : T{-1};
    }
    return 0;
  }
  std::uint64_t result = 1;
  auto factor = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exponent); left > 0; left >>= 1) {
    if ((left & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

template <BinaryKind kind, class T>
auto combine(T a, T b) {
  constexpr bool is_integer = std::is_integral_v<T>;
  using Wide = std::conditional_t<is_integer, std::uint64_t, T>;  // wraps instead of overflowing
  if constexpr (kind == BinaryKind::add) return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  else if constexpr (kind == BinaryKind::subtract) return static_cast<T>(static_cast<Wide>(a) - static_cast<Wide>(b));
  else if constexpr (kind == BinaryKind::multiply) return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  else if constexpr (kind == BinaryKind::divide) {
    if constexpr (is_integer) {
      if (b == 0) return T{0};
      // The smallest number divided by -1 does not fit its type.
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(Wide{0} - static_cast<Wide>(a));
      return static_cast<T>(a / b);
    } else {
      return a / b;
    }
  } else if constexpr (kind == BinaryKind::power) {
    if constexpr (is_integer) return integer_power(a, b);
    else return static_cast<T>(std::pow(a, b));
  } else if constexpr (kind == BinaryKind::modulo) return modulo_of(a, b);
  else if constexpr (kind == BinaryKind::remainder) {
    if constexpr (is_integer) return b == 0 || (std::is_signed_v<T> && b == static_cast<T>(-1)) ? T{0} : static_cast<T>(a % b);
    else return static_cast<T>(std::fmod(a, b));
  } else if constexpr (kind == BinaryKind::minimum) return a != a || a < b ? a : b;
  else if constexpr (kind == BinaryKind::maximum) return a != a || a > b ? a : b;
  else if constexpr (kind == BinaryKind::prelu) return a < 0 ? static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b)) : a;
  else if constexpr (kind == BinaryKind::equal) return static_cast<std::uint8_t>(a == b);
  else if constexpr (kind == BinaryKind::less) return static_cast<std::uint8_t>(a < b);
  else if constexpr (kind == BinaryKind::less_or_equal) return static_cast<std::uint8_t>(a <= b);
  else if constexpr (kind == BinaryKind::logical_and) return static_cast<std::uint8_t>(a != 0 && b != 0);
  else if constexpr (kind == BinaryKind::logical_or) return static_cast<std::uint8_t>(a != 0 || b != 0);
  else return static_cast<std::uint8_t>((a != 0) != (b != 0));
}

template <BinaryKind kind, class T>
void combine_all(const Broadcast& broadcast, const void* left, const void* right, void* out) {
  using Result = decltype(combine<kind, T>(T(), T()));
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  auto* to = static_cast<Result*>(out);
  each_row<2>(broadcast.shape, {broadcast.strides[0], broadcast.strides[1]}, {0, 0}, [&](auto at, std::int64_t length, auto step) {
    for (std::int64_t i = 0; i < length; i++) to[i] = combine<kind, T>(a[at[0] + i * step[0]], b[at[1] + i * step[1]]);
    to += length;
  });
}

template <class T>
void combine_kind(BinaryKind kind, const Broadcast& w, const void* a, const void* b, void* out) {
  switch (kind) {
    case BinaryKind::add: return combine_all<BinaryKind::add, T>(w, a, b, out);
    case BinaryKind::subtract: return combine_all<BinaryKind::subtract, T>(w, a, b, out);
    case BinaryKind::multiply: return combine_all<BinaryKind::multiply, T>(w, a, b, out);
    case BinaryKind::divide: return combine_all<BinaryKind::divide, T>(w, a, b, out);
    case BinaryKind::power: return combine_all<BinaryKind::power, T>(w, a, b, out);
    case BinaryKind::modulo: return combine_all<BinaryKind::modulo, T>(w, a, b, out);
    case BinaryKind::remainder: return combine_all<BinaryKind::remainder, T>(w, a, b, out);
    case BinaryKind::minimum: return combine_all<BinaryKind::minimum, T>(w, a, b, out);
    case BinaryKind::maximum: return combine_all<BinaryKind::maximum, T>(w, a, b, out);
    case BinaryKind::prelu: return combine_all<BinaryKind::prelu, T>(w, a, b, out);
    case BinaryKind::equal: return combine_all<BinaryKind::equal, T>(w, a, b, out);
    case BinaryKind::less: return combine_all<BinaryKind::less, T>(w, a, b, out);
    case BinaryKind::less_or_equal: return combine_all<BinaryKind::less_or_equal, T>(w, a, b, out);
    case BinaryKind::logical_and: return combine_all<BinaryKind::logical_and, T>(w, a, b, out);
    case BinaryKind::logical_or: return combine_all<BinaryKind::logical_or, T>(w, a, b, out);
    case BinaryKind::logical_xor: return combine_all<BinaryKind::logical_xor, T>(w, a, b, out);
  }
}

template <class T, class Function>
void each(std::int64_t count, const void* in, void* out, Function&& function) {
  const T* from = static_cast<const T*>(in);
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < count; i++) to[i] = function(from[i]);
}

[[noreturn]] void refuse(const char* what, Element element) {
  throw Error(ErrorCode::internal, std::string(what) + " of " + std::string(name_of(element)) + " was planned and does not exist.");
}

}  // namespace

float activate(Unary op, float x) { return apply_float(op, x); }

void ReferenceGraphOps::unary(Unary op, Element element, std::int64_t count, const void* in, void* out) {
  switch (element) {
    case Element::f32: return each<float>(count, in, out, [&](float x) { return apply_float(op, x); });
    case Element::f64: return each<double>(count, in, out, [&](double x) { return apply_float(op, x); });
    case Element::i64: return each<std::int64_t>(count, in, out, [&](std::int64_t x) { return apply_integer(op.kind, x); });
    case Element::i32: return each<std::int32_t>(count, in, out, [&](std::int32_t x) { return apply_integer(op.kind, x); });
    case Element::i8: return each<std::int8_t>(count, in, out, [&](std::int8_t x) { return apply_integer(op.kind, x); });
    case Element::u8:
    case Element::boolean: return each<std::uint8_t>(count, in, out, [&](std::uint8_t x) { return apply_integer(op.kind, x); });
    case Element::f16: refuse("A function", element);
  }
}

void ReferenceGraphOps::binary(BinaryKind kind, Element element, const Broadcast& broadcast, const void* a, const void* b, void* out) {
  switch (element) {
    case Element::f32: return combine_kind<float>(kind, broadcast, a, b, out);
    case Element::f64: return combine_kind<double>(kind, broadcast, a, b, out);
    case Element::i64: return combine_kind<std::int64_t>(kind, broadcast, a, b, out);
    case Element::i32: return combine_kind<std::int32_t>(kind, broadcast, a, b, out);
    case Element::i8: return combine_kind<std::int8_t>(kind, broadcast, a, b, out);
    case Element::boolean:
      // A bool is true for any byte except 0.
      if (kind == BinaryKind::equal) {
        combine_kind<std::uint8_t>(BinaryKind::logical_xor, broadcast, a, b, out);
        return unary({UnaryKind::logical_not}, element, broadcast.shape.elements(), out, out);
      }
      [[fallthrough]];
    case Element::u8: return combine_kind<std::uint8_t>(kind, broadcast, a, b, out);
    case Element::f16: refuse("A combination", element);
  }
}

void ReferenceGraphOps::select(const Broadcast& broadcast, Element element, const std::uint8_t* condition, const void* a, const void* b, void* out) {
  with_bytes(bytes_of(element), [&](auto word) {
    using T = decltype(word);
    T* to = static_cast<T*>(out);
    each_row<3>(broadcast.shape, broadcast.strides, {0, 0, 0}, [&](auto at, std::int64_t length, auto step) {
      for (std::int64_t i = 0; i < length; i++) {
        *to++ = condition[at[0] + i * step[0]] != 0 ? static_cast<const T*>(a)[at[1] + i * step[1]] : static_cast<const T*>(b)[at[2] + i * step[2]];
      }
    });
  });
}

void ReferenceGraphOps::batch_normalise(Axis axis, float epsilon, const float* scale, const float* bias, const float* mean, const float* variance, Unary activation, const float* in,
                                    float* out) {
  for (std::int64_t row = 0; row < axis.outer * axis.size; row++) {
    const std::int64_t channel = row % axis.size;
    const double factor = scale[channel] / std::sqrt(static_cast<double>(variance[channel]) + static_cast<double>(epsilon));
    const float* from = in + row * axis.inner;
    float* to = out + row * axis.inner;
    for (std::int64_t i = 0; i < axis.inner; i++) {
      to[i] = activate(activation, static_cast<float>((static_cast<double>(from[i]) - static_cast<double>(mean[channel])) * factor + static_cast<double>(bias[channel])));
    }
  }
}

}  // namespace lectern::cpu
