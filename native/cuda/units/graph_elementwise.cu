// Element-wise functions, binary operations, selection, batch normalisation.
#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

template <class T>
__device__ __forceinline__ T integer_function(UnaryKind kind, T x) {
  // The smallest integer has no negative in its type: it stays, as in two's complement.
  const T negative = static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
  switch (kind) {
    case UnaryKind::absolute: return is_negative(x) ? negative : x;
    case UnaryKind::negate: return negative;
    case UnaryKind::sign: return static_cast<T>((x > 0) - is_negative(x));
    case UnaryKind::relu: return x > 0 ? x : T(0);
    case UnaryKind::logical_not: return static_cast<T>(x == 0);
    default: return x;
  }
}

template <class T>
__global__ void apply_function(Unary op, Count count, const T* in, T* out) {
  for (Count i = first_element(); i < count; i += element_step()) {
    if constexpr (std::is_integral<T>::value) out[i] = integer_function(op.kind, in[i]);
    else out[i] = element_of<T>(applied<Counted<T>>(op, value_of(in[i])));
  }
}

/// By squaring, wrapping; with a negative exponent only 1 and -1 have results other than 0.
template <class T>
__device__ T integer_power(T base, T exponent) {
  if (is_negative(exponent)) return base == 1 ? T(1) : std::is_signed<T>::value && base == static_cast<T>(-1) ? static_cast<T>(exponent % 2 == 0 ? 1 : -1) : T(0);
  std::uint64_t result = 1;
  auto factor = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exponent); left > 0; left >>= 1) {
    if ((left & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

/// The kinds with a numeric result.
template <class T>
__device__ T combined(BinaryKind kind, T a, T b) {
  constexpr bool whole = std::is_integral<T>::value;
  using Wide = std::conditional_t<whole, std::uint64_t, T>;  // wraps instead of overflowing
  const bool by_minus_one = std::is_signed<T>::value && b == static_cast<T>(-1);
  switch (kind) {
    case BinaryKind::add: return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    case BinaryKind::subtract: return static_cast<T>(static_cast<Wide>(a) - static_cast<Wide>(b));
    case BinaryKind::multiply: return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case BinaryKind::divide:
      if constexpr (whole) {
        if (b == 0) return 0;
        // The smallest number divided by -1 does not fit its type.
        if (by_minus_one) return static_cast<T>(Wide{0} - static_cast<Wide>(a));
        return static_cast<T>(a / b);
      } else {
        return a / b;
      }
    case BinaryKind::power:
      if constexpr (whole) return integer_power(a, b);
      else return pow(a, b);
    case BinaryKind::modulo: {
      T rest;
      if constexpr (whole) {
        if (b == 0 || by_minus_one) return 0;
        rest = static_cast<T>(a % b);
      } else {
        rest = fmod(a, b);
      }
      return rest != 0 && is_negative(rest) != is_negative(b) ? static_cast<T>(rest + b) : rest;
    }
    case BinaryKind::remainder:
      if constexpr (whole) return b == 0 || by_minus_one ? T(0) : static_cast<T>(a % b);
      else return fmod(a, b);
    case BinaryKind::minimum: return a != a || a < b ? a : b;
    case BinaryKind::maximum: return a != a || a > b ? a : b;
    case BinaryKind::prelu: return is_negative(a) ? static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b)) : a;
    default: return a;
  }
}

template <class T>
__device__ __forceinline__ bool compared(BinaryKind kind, T a, T b) {
  switch (kind) {
    case BinaryKind::equal: return a == b;
    case BinaryKind::less: return a < b;
    case BinaryKind::less_or_equal: return a <= b;
    case BinaryKind::logical_and: return a != 0 && b != 0;
    case BinaryKind::logical_or: return a != 0 || b != 0;
    default: return (a != 0) != (b != 0);
  }
}

template <class T>
__global__ void combine_elements(BinaryKind kind, Places<2> places, const T* a, const T* b, T* out) {
  for (Count i = first_element(); i < places.count; i += element_step()) {
    Count at[2];
    places.find(i, at);
    out[i] = element_of<T>(combined<Counted<T>>(kind, value_of(a[at[0]]), value_of(b[at[1]])));
  }
}

/// bools: any byte but 0 is true.
template <class T>
__global__ void compare_elements(BinaryKind kind, bool bools, Places<2> places, const T* a, const T* b, std::uint8_t* out) {
  for (Count i = first_element(); i < places.count; i += element_step()) {
    Count at[2];
    places.find(i, at);
    const Counted<T> left = value_of(a[at[0]]);
    const Counted<T> right = value_of(b[at[1]]);
    out[i] = bools && kind == BinaryKind::equal ? (left != 0) == (right != 0) : compared(kind, left, right);
  }
}

template <class T>
__global__ void select_elements(Places<3> places, const std::uint8_t* condition, const T* a, const T* b, T* out) {
  for (Count i = first_element(); i < places.count; i += element_step()) {
    Count at[3];
    places.find(i, at);
    out[i] = condition[at[0]] != 0 ? a[at[1]] : b[at[2]];
  }
}

template <class T>
__global__ void normalise_channels(Count count, Count channels, Count inner, float epsilon, const T* scale, const T* bias, const T* mean, const T* variance, Unary activation, const T* in,
                                   T* out) {
  for (Count i = first_element(); i < count; i += element_step()) {
    const Count channel = i / inner % channels;
    const float factor = value_of(scale[channel]) / sqrtf(value_of(variance[channel]) + epsilon);
    out[i] = element_of<T>(applied<float>(activation, (value_of(in[i]) - value_of(mean[channel])) * factor + value_of(bias[channel])));
  }
}

/// Calls with(T()) for every numeric type.
template <class With>
void with_elements(bool halves, Element element, With&& with) {
  switch (element) {
    case Element::f32: return with_floats(halves, with);
    case Element::f64: return with(double());
    case Element::i64: return with(std::int64_t());
    case Element::i32: return with(std::int32_t());
    case Element::i8: return with(std::int8_t());
    case Element::u8:
    case Element::boolean: return with(std::uint8_t());
    case Element::f16: throw Error(ErrorCode::internal, "An operation on float16 was planned and does not exist.");
  }
}

}  // namespace

void DeviceGraphOps::unary(Unary op, Element element, std::int64_t count, const void* in, void* out) {
  with_elements(halves_, element, [&](auto type) {
    using T = decltype(type);
    each(apply_function<T>, count, op, count, static_cast<const T*>(in), static_cast<T*>(out));
  });
}

void DeviceGraphOps::binary(BinaryKind kind, Element element, const Broadcast& broadcast, const void* a, const void* b, void* out) {
  const Places<2> places = places_of<2>(broadcast.shape, {broadcast.strides[0], broadcast.strides[1]});
  with_elements(halves_, element, [&](auto type) {
    using T = decltype(type);
    if (kind < BinaryKind::equal) return each(combine_elements<T>, places.count, kind, places, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out));
    each(compare_elements<T>, places.count, kind, element == Element::boolean, places, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<std::uint8_t*>(out));
  });
}

void DeviceGraphOps::select(const Broadcast& broadcast, Element element, const std::uint8_t* condition, const void* a, const void* b, void* out) {
  const Places<3> places = places_of<3>(broadcast.shape, broadcast.strides);
  with_words(stored_bytes(element), [&](auto word) {
    using T = decltype(word);
    each(select_elements<T>, places.count, places, condition, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out));
  });
}

void DeviceGraphOps::batch_normalise(Axis axis, float epsilon, const float* scale, const float* bias, const float* mean, const float* variance, Unary activation, const float* in,
                                     float* out) {
  const Count count = axis.outer * axis.size * axis.inner;
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const auto kept = [](const float* tensor) { return reinterpret_cast<const T*>(tensor); };
    each(normalise_channels<T>, count, count, axis.size, axis.inner, epsilon, kept(scale), kept(bias), kept(mean), kept(variance), activation, kept(in), reinterpret_cast<T*>(out));
  });
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
