#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "cpu/graph/reference_graph_ops.h"
#include "cpu/graph/walk.h"
#include "error.h"
#include "tensor/half.h"

namespace lectern::cpu {
namespace {

/// 16-bit floats as a distinct type.
struct Half {
  std::uint16_t bits;
};

template <class To, class From>
To convert(From value) {
  if constexpr (std::is_same_v<From, Half>) {
    return convert<To>(float_from_f16(value.bits));
  } else if constexpr (std::is_same_v<To, Half>) {
    return {f16_from_float(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    const double wide = std::trunc(static_cast<double>(value));
    if (wide <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (wide >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(wide);
  } else {
    return static_cast<To>(value);
  }
}

/// Calls with(T()) for the type of the element. Bools are bytes that may have other values than 0 and 1.
template <class With>
void with_element(Element element, With&& with) {
  switch (element) {
    case Element::f32: return with(float());
    case Element::f16: return with(Half());
    case Element::f64: return with(double());
    case Element::i64: return with(std::int64_t());
    case Element::i32: return with(std::int32_t());
    case Element::i8: return with(std::int8_t());
    case Element::u8: return with(std::uint8_t());
    case Element::boolean: return with(bool());
  }
}

template <class From, class To>
void cast_all(std::int64_t count, const void* in, void* out) {
  using Stored = std::conditional_t<std::is_same_v<From, bool>, std::uint8_t, From>;
  const auto* from = static_cast<const Stored*>(in);
  auto* to = static_cast<To*>(out);
  for (std::int64_t i = 0; i < count; i++) {
    if constexpr (std::is_same_v<From, bool>) to[i] = convert<To>(static_cast<std::uint8_t>(from[i] != 0));
    else to[i] = convert<To>(from[i]);
  }
}

std::int64_t checked(std::int64_t index, std::int64_t size) {
  if (index < -size || index >= size) throw Error(ErrorCode::invalid_model, "The index " + std::to_string(index) + " is outside of an axis of " + std::to_string(size) + ".");
  return index < 0 ? index + size : index;
}

/// The begin of the slice that a tuple of indices selects, in slices.
std::int64_t place_of(const std::int64_t* tuple, const Shape& sizes) {
  std::int64_t place = 0;
  for (int axis = 0; axis < sizes.rank; axis++) place = place * sizes[axis] + checked(tuple[axis], sizes[axis]);
  return place;
}

template <class T>
T scattered(ScatterKind kind, T old, T update) {
  using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;  // wraps instead of overflowing
  switch (kind) {
    case ScatterKind::add: return static_cast<T>(static_cast<Wide>(old) + static_cast<Wide>(update));
    case ScatterKind::multiply: return static_cast<T>(static_cast<Wide>(old) * static_cast<Wide>(update));
    case ScatterKind::minimum: return std::min(old, update);
    case ScatterKind::maximum: return std::max(old, update);
    case ScatterKind::replace: break;
  }
  return update;
}

/// Types that support addition. The others support only replacement, as bytes.
template <class With>
void with_scattered(ScatterKind kind, Element element, With&& with) {
  if (kind == ScatterKind::replace) return with_bytes(bytes_of(element), with);
  switch (element) {
    case Element::f32: return with(float());
    case Element::f64: return with(double());
    case Element::i64: return with(std::int64_t());
    case Element::i32: return with(std::int32_t());
    default: throw Error(ErrorCode::invalid_model, "Scattering with a reduction is not supported for " + std::string(name_of(element)) + ".");
  }
}

}  // namespace

void ReferenceGraphOps::keep_floats(std::int64_t count, const float* in, void* out) { std::copy_n(in, count, static_cast<float*>(out)); }

void ReferenceGraphOps::give_floats(std::int64_t count, const void* in, float* out) { std::copy_n(static_cast<const float*>(in), count, out); }

void ReferenceGraphOps::move(const Move& move, Element element, const void* in, void* out) {
  with_bytes(bytes_of(element), [&](auto word) {
    using T = decltype(word);
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    each_row<2>(move.shape, {move.in_strides, move.out_strides}, {move.in_offset, move.out_offset}, [&](auto at, std::int64_t length, auto step) {
      if (step[0] == 1 && step[1] == 1) {
        std::memcpy(to + at[1], from + at[0], static_cast<std::size_t>(length) * sizeof(T));
        return;
      }
      for (std::int64_t i = 0; i < length; i++) to[at[1] + i * step[1]] = from[at[0] + i * step[0]];
    });
  });
}

void ReferenceGraphOps::fill(std::int64_t count, Element element, const std::byte* value, void* out) {
  with_bytes(bytes_of(element), [&](auto word) {
    std::memcpy(&word, value, sizeof word);
    std::fill_n(static_cast<decltype(word)*>(out), count, word);
  });
}

void ReferenceGraphOps::take(const Take& take, Element element, const void* in, void* out) {
  if (take.out.elements() == 0) return;
  with_bytes(bytes_of(element), [&](auto fill) {
    using T = decltype(fill);
    std::memcpy(&fill, take.fill.data(), sizeof fill);
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    const Strides strides = strides_of(take.in);
    Strides index{};
    for (std::int64_t i = 0; i < take.out.elements(); i++) {
      std::int64_t place = 0;
      bool inside = true;
      for (int axis = 0; axis < take.out.rank; axis++) {
        const auto at = static_cast<std::size_t>(axis);
        const std::int64_t where = take.tables[at] == nullptr ? index[at] : take.tables[at][index[at]];
        inside = inside && where >= 0;
        place += where * strides[at];
      }
      to[i] = inside ? from[place] : fill;
      for (int axis = take.out.rank - 1; axis >= 0 && ++index[static_cast<std::size_t>(axis)] == take.out[axis]; axis--) index[static_cast<std::size_t>(axis)] = 0;
    }
  });
}

void ReferenceGraphOps::cast(Element from, Element to, std::int64_t count, const void* in, void* out) {
  with_element(from, [&](auto source) {
    with_element(to, [&](auto target) { cast_all<decltype(source), decltype(target)>(count, in, out); });
  });
}

void ReferenceGraphOps::gather(Axis axis, Element element, std::int64_t count, const void* in, const std::int64_t* indices, void* out) {
  const std::size_t row = static_cast<std::size_t>(axis.inner) * bytes_of(element);
  for (std::int64_t i = 0; i < count; i++) {
    const std::int64_t index = checked(indices[i], axis.size);
    if (row == 0) continue;
    for (std::int64_t o = 0; o < axis.outer; o++) {
      std::memcpy(static_cast<std::byte*>(out) + static_cast<std::size_t>(o * count + i) * row, static_cast<const std::byte*>(in) + static_cast<std::size_t>(o * axis.size + index) * row, row);
    }
  }
}

void ReferenceGraphOps::gather_elements(const Shape& in, const Shape& out, int axis, Element element, const void* data, const std::int64_t* indices, void* to) {
  const auto at = static_cast<std::size_t>(axis);
  Strides from = strides_of(in);
  const std::int64_t stride = from[at];
  from[at] = 0;
  with_bytes(bytes_of(element), [&](auto word) {
    using T = decltype(word);
    each_row<2>(out, {from, strides_of(out)}, {0, 0}, [&](auto place, std::int64_t length, auto step) {
      for (std::int64_t i = 0; i < length; i++) {
        const std::int64_t target = place[1] + i * step[1];
        static_cast<T*>(to)[target] = static_cast<const T*>(data)[place[0] + i * step[0] + checked(indices[target], in[axis]) * stride];
      }
    });
  });
}

void ReferenceGraphOps::scatter_elements(ScatterKind kind, Element element, const Shape& to_shape, const Shape& updates_shape, int axis, const std::int64_t* indices, const void* updates,
                                     void* to) {
  const auto at = static_cast<std::size_t>(axis);
  Strides into = strides_of(to_shape);
  const std::int64_t stride = into[at];
  into[at] = 0;
  with_scattered(kind, element, [&](auto type) {
    using T = decltype(type);
    each_row<2>(updates_shape, {into, strides_of(updates_shape)}, {0, 0}, [&](auto place, std::int64_t length, auto step) {
      for (std::int64_t i = 0; i < length; i++) {
        const std::int64_t source = place[1] + i * step[1];
        T& target = static_cast<T*>(to)[place[0] + i * step[0] + checked(indices[source], to_shape[axis]) * stride];
        target = scattered(kind, target, static_cast<const T*>(updates)[source]);
      }
    });
  });
}

void ReferenceGraphOps::gather_nd(std::int64_t batches, const Shape& sizes, std::int64_t slice, std::int64_t tuples, Element element, const void* in, const std::int64_t* indices,
                              void* out) {
  const std::size_t bytes = static_cast<std::size_t>(slice) * bytes_of(element);
  const std::int64_t in_batch = sizes.elements();
  for (std::int64_t i = 0; i < tuples; i++) {
    const std::int64_t batch = i / (tuples / batches);
    const std::int64_t place = batch * in_batch + place_of(indices + i * sizes.rank, sizes);
    if (bytes > 0) std::memcpy(static_cast<std::byte*>(out) + static_cast<std::size_t>(i) * bytes, static_cast<const std::byte*>(in) + static_cast<std::size_t>(place) * bytes, bytes);
  }
}

void ReferenceGraphOps::scatter_nd(ScatterKind kind, Element element, const Shape& sizes, std::int64_t slice, std::int64_t tuples, const std::int64_t* indices, const void* updates, void* to) {
  with_scattered(kind, element, [&](auto type) {
    using T = decltype(type);
    for (std::int64_t i = 0; i < tuples; i++) {
      const std::int64_t place = place_of(indices + i * sizes.rank, sizes) * slice;
      for (std::int64_t k = 0; k < slice; k++) {
        T& target = static_cast<T*>(to)[place + k];
        target = scattered(kind, target, static_cast<const T*>(updates)[i * slice + k]);
      }
    }
  });
}

}  // namespace lectern::cpu
