// Copies, fills and casts.
#include <cstring>

#include "cuda/graph/elements.cuh"
#include "tensor/half.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

template <class From, class To>
__global__ void convert_floats(Count count, const From* in, To* out) {
  for (Count i = first_element(); i < count; i += element_step()) out[i] = element_of<To>(value_of(in[i]));
}

template <class T>
__global__ void move_elements(Places<2> places, const T* in, T* out) {
  for (Count i = first_element(); i < places.count; i += element_step()) {
    Count at[2];
    places.find(i, at);
    out[at[1]] = in[at[0]];
  }
}

/// Transposes the last two axes, by tiles in shared memory.
constexpr int turn_side = 32;
constexpr int turn_rows = 8;

template <class T>
__global__ void turn_tiles(Places<2> others, Count rows, Count columns, Count in_step, Count out_step, const T* in, T* out) {
  LECTERN_SHARED T tile[turn_side][turn_side + 1];
  const Count column_tiles = (columns + turn_side - 1) / turn_side;
  const Count first_row = block_x() / column_tiles * turn_side;
  const Count first_column = block_x() % column_tiles * turn_side;
  const int x = thread_number() % turn_side;
  const int y = thread_number() / turn_side;
  for (Count box = block_y(); box < others.count; box += 65535) {
    Count at[2];
    others.find(box, at);
    for (int i = y; i < turn_side; i += turn_rows) {
      // Neighbours in the input are rows of the output.
      if (first_row + x < rows && first_column + i < columns) tile[i][x] = in[at[0] + first_row + x + (first_column + i) * in_step];
    }
    synchronise_block();
    for (int i = y; i < turn_side; i += turn_rows) {
      if (first_row + i < rows && first_column + x < columns) out[at[1] + (first_row + i) * out_step + first_column + x] = tile[x][i];
    }
    synchronise_block();
  }
}

template <class T>
__global__ void fill_elements(Count count, T value, T* out) {
  for (Count i = first_element(); i < count; i += element_step()) out[i] = value;
}

struct Tables {
  int rank;
  Count count;
  Count sizes[max_rank];    // of the output
  Count strides[max_rank];  // of the input
  const std::int32_t* tables[max_rank];
};

template <class T>
__global__ void take_elements(Tables tables, T fill, const T* in, T* out) {
  for (Count i = first_element(); i < tables.count; i += element_step()) {
    Count rest = i;
    Count place = 0;
    bool inside = true;
    for (int axis = tables.rank - 1; axis >= 0; --axis) {
      const Count index = rest % tables.sizes[axis];
      rest /= tables.sizes[axis];
      const Count from = tables.tables[axis] == nullptr ? index : tables.tables[axis][index];
      inside = inside && from >= 0;
      place += from * tables.strides[axis];
    }
    out[i] = inside ? in[place] : fill;
  }
}

/// Converts an element.
struct Loose {
  bool whole;
  double real;
  std::int64_t integer;
};

template <class T>
__device__ __forceinline__ Loose loose(T value) {
  if constexpr (std::is_floating_point<T>::value) return {false, static_cast<double>(value), 0};
  else return {true, 0, static_cast<std::int64_t>(value)};
}

__device__ Loose load_loose(Element element, bool halves, const void* in, Count i) {
  switch (element) {
    case Element::f32: return halves ? loose(value_of(static_cast<const Half*>(in)[i])) : loose(static_cast<const float*>(in)[i]);
    case Element::f16: return loose(value_of(static_cast<const Half*>(in)[i]));
    case Element::f64: return loose(static_cast<const double*>(in)[i]);
    case Element::i64: return loose(static_cast<const std::int64_t*>(in)[i]);
    case Element::i32: return loose(static_cast<const std::int32_t*>(in)[i]);
    case Element::i8: return loose(static_cast<const std::int8_t*>(in)[i]);
    case Element::u8: return loose(static_cast<const std::uint8_t*>(in)[i]);
    case Element::boolean: return loose(static_cast<std::uint8_t>(static_cast<const std::uint8_t*>(in)[i] != 0));
  }
  return {};
}

/// Towards zero, saturated, NaN as 0; integers wrap.
template <class T>
__device__ __forceinline__ T whole_of(const Loose& value, T lowest, T highest) {
  if (value.whole) return static_cast<T>(value.integer);
  if (value.real != value.real) return 0;
  const double cut = trunc(value.real);
  if (cut <= static_cast<double>(lowest)) return lowest;
  if (cut >= static_cast<double>(highest)) return highest;
  return static_cast<T>(cut);
}

__device__ void store_loose(const Loose& value, Element element, bool halves, void* out, Count i) {
  const auto single = [&] { return value.whole ? static_cast<float>(value.integer) : static_cast<float>(value.real); };
  switch (element) {
    case Element::f32:
      if (halves) static_cast<Half*>(out)[i] = half_of(single());
      else static_cast<float*>(out)[i] = single();
      break;
    case Element::f16: static_cast<Half*>(out)[i] = {static_cast<std::uint16_t>(pack_f16(single(), 0.0F) & 0xFFFFU)}; break;
    case Element::f64: static_cast<double*>(out)[i] = value.whole ? static_cast<double>(value.integer) : value.real; break;
    case Element::i64: static_cast<std::int64_t*>(out)[i] = whole_of<std::int64_t>(value, INT64_MIN, INT64_MAX); break;
    case Element::i32: static_cast<std::int32_t*>(out)[i] = whole_of<std::int32_t>(value, INT32_MIN, INT32_MAX); break;
    case Element::i8: static_cast<std::int8_t*>(out)[i] = whole_of<std::int8_t>(value, INT8_MIN, INT8_MAX); break;
    case Element::u8: static_cast<std::uint8_t*>(out)[i] = whole_of<std::uint8_t>(value, 0, UINT8_MAX); break;
    case Element::boolean: static_cast<std::uint8_t*>(out)[i] = value.whole ? value.integer != 0 : value.real != 0; break;
  }
}

__global__ void cast_elements(Element from, Element to, bool halves, Count count, const void* in, void* out) {
  for (Count i = first_element(); i < count; i += element_step()) store_loose(load_loose(from, halves, in, i), to, halves, out, i);
}

/// Converts an element of the host to its storage type on the device.
std::uint64_t kept_value(Element element, bool halves, const std::byte* value) {
  std::uint64_t kept = 0;
  if (halves && element == Element::f32) {
    float number;
    std::memcpy(&number, value, sizeof number);
    if (std::isfinite(number)) number = std::fmin(std::fmax(number, -65504.0F), 65504.0F);
    const std::uint16_t bits = f16_from_float(number);
    std::memcpy(&kept, &bits, sizeof bits);
  } else {
    std::memcpy(&kept, value, bytes_of(element));
  }
  return kept;
}

}  // namespace

void DeviceGraphOps::keep_floats(std::int64_t count, const float* in, void* out) {
  with_floats(halves_, [&](auto type) { each(convert_floats<float, decltype(type)>, count, count, in, static_cast<decltype(type)*>(out)); });
}

void DeviceGraphOps::give_floats(std::int64_t count, const void* in, float* out) {
  with_floats(halves_, [&](auto type) { each(convert_floats<decltype(type), float>, count, count, static_cast<const decltype(type)*>(in), out); });
}

void DeviceGraphOps::move(const Move& move, Element element, const void* in, void* out) {
  const Places<2> places = places_of<2>(move.shape, {move.in_strides, move.out_strides});
  if (places.count == 0) return;
  const int last = places.rank - 1;
  with_words(stored_bytes(element), [&](auto word) {
    using T = decltype(word);
    const T* from = static_cast<const T*>(in) + move.in_offset;
    T* to = static_cast<T*>(out) + move.out_offset;
    if (places.rank <= 1 && (places.rank == 0 || (places.strides[0][0] == 1 && places.strides[1][0] == 1))) {
      return copy_on_device(stream_, to, from, static_cast<std::size_t>(places.count) * sizeof(T));
    }
    int dense = last - 1;
    while (dense >= 0 && places.strides[0][dense] != 1) --dense;
    constexpr Count worth_turning = 8;
    if (dense < 0 || places.strides[1][last] != 1 || places.strides[0][last] == 1 || places.sizes[dense] < worth_turning || places.sizes[last] < worth_turning) {
      return each(move_elements<T>, places.count, places, from, to);
    }
    Places<2> others;
    for (int axis = 0; axis < last; ++axis) {
      if (axis == dense) continue;
      others.sizes[others.rank] = places.sizes[axis];
      for (int k = 0; k < 2; ++k) others.strides[k][others.rank] = places.strides[k][axis];
      others.count *= places.sizes[axis];
      ++others.rank;
    }
    const Count rows = places.sizes[dense];
    const Count columns = places.sizes[last];
    const Count tiles = ((rows + turn_side - 1) / turn_side) * ((columns + turn_side - 1) / turn_side);
    blocks(turn_tiles<T>, Grid{static_cast<int>(tiles), static_cast<int>(others.count < 65535 ? others.count : 65535)}, turn_side * turn_rows, 0, others, rows, columns, places.strides[0][last],
           places.strides[1][dense], from, to);
  });
}

void DeviceGraphOps::fill(std::int64_t count, Element element, const std::byte* value, void* out) {
  const std::uint64_t kept = kept_value(element, halves_, value);
  with_words(stored_bytes(element), [&](auto word) { each(fill_elements<decltype(word)>, count, count, static_cast<decltype(word)>(kept), static_cast<decltype(word)*>(out)); });
}

void DeviceGraphOps::take(const Take& take, Element element, const void* in, void* out) {
  Tables tables{take.out.rank, take.out.elements(), {}, {}, {}};
  if (tables.count == 0) return;
  const Strides strides = strides_of(take.in);
  tables_.begin();
  for (int axis = 0; axis < take.out.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    tables.sizes[axis] = take.out[axis];
    tables.strides[axis] = strides[at];
    tables.tables[axis] = take.tables[at] == nullptr ? nullptr : tables_.find(take.tables[at], take.out[axis]);
  }
  const std::uint64_t kept = kept_value(element, halves_, take.fill.data());
  with_words(stored_bytes(element), [&](auto word) {
    using T = decltype(word);
    each(take_elements<T>, tables.count, tables, static_cast<T>(kept), static_cast<const T*>(in), static_cast<T*>(out));
  });
}

void DeviceGraphOps::cast(Element from, Element to, std::int64_t count, const void* in, void* out) { each(cast_elements, count, from, to, halves_, count, in, out); }

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
