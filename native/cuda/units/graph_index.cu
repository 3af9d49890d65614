// Gather and scatter by indices in device memory.
#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

/// Negative indices count from the end; an index outside becomes the nearest inside. -1 for an axis without elements.
__device__ __forceinline__ Count inside(std::int64_t index, Count size) {
  if (index < 0) index += size;
  return index < 0 ? (size > 0 ? 0 : -1) : index >= size ? size - 1 : index;
}

__device__ __forceinline__ bool is_inside(std::int64_t index, Count size) { return index >= -size && index < size; }

template <class T>
__global__ void gather_rows(Count outer, Count size, Count inner, Count indices_count, const T* in, const std::int64_t* indices, T* out) {
  const Count count = outer * indices_count * inner;
  for (Count i = first_element(); i < count; i += element_step()) {
    const Count row = i / inner;
    const Count from = inside(indices[row % indices_count], size);
    if (from >= 0) out[i] = in[(row / indices_count * size + from) * inner + i % inner];
  }
}

/// offsets: of the data without the axis, and of the output, which has the axes of the indices
template <class T>
__global__ void gather_each(Places<2> places, Count size, Count stride, const T* in, const std::int64_t* indices, T* out) {
  for (Count i = first_element(); i < places.count; i += element_step()) {
    Count at[2];
    places.find(i, at);
    const Count from = inside(indices[at[1]], size);
    if (from >= 0) out[at[1]] = in[at[0] + from * stride];
  }
}

template <class T>
__device__ __forceinline__ Counted<T> scattered(ScatterKind kind, Counted<T> old, Counted<T> update) {
  using Number = Counted<T>;
  using Wide = std::conditional_t<std::is_integral<Number>::value, std::uint64_t, Number>;  // wraps instead of overflowing
  switch (kind) {
    case ScatterKind::add: return static_cast<Number>(static_cast<Wide>(old) + static_cast<Wide>(update));
    case ScatterKind::multiply: return static_cast<Number>(static_cast<Wide>(old) * static_cast<Wide>(update));
    case ScatterKind::minimum: return update < old ? update : old;
    case ScatterKind::maximum: return old < update ? update : old;
    case ScatterKind::replace: break;
  }
  return update;
}

/// A thread for each line along the axis: updates of one element happen in their order.
template <class T>
__global__ void scatter_lines(ScatterKind kind, Places<2> lines, Count length, Count update_stride, Count size, Count stride, const std::int64_t* indices, const T* updates, T* to) {
  for (Count i = first_element(); i < lines.count; i += element_step()) {
    Count at[2];
    lines.find(i, at);
    for (Count k = 0; k < length; ++k) {
      const Count source = at[1] + k * update_stride;
      if (!is_inside(indices[source], size)) continue;
      T& target = to[at[0] + inside(indices[source], size) * stride];
      target = element_of<T>(scattered<T>(kind, value_of(target), value_of(updates[source])));
    }
  }
}

struct Tuples {
  int rank;
  Count sizes[max_rank];
  Count count, slice;
};

/// The offset of the slice that a tuple selects, in slices; -1 where an index is outside and must not be clamped.
__device__ __forceinline__ Count place_of(const Tuples& tuples, const std::int64_t* tuple, bool nearest) {
  Count place = 0;
  for (int axis = 0; axis < tuples.rank; ++axis) {
    if (!nearest && !is_inside(tuple[axis], tuples.sizes[axis])) return -1;
    const Count index = inside(tuple[axis], tuples.sizes[axis]);
    if (index < 0) return -1;
    place = place * tuples.sizes[axis] + index;
  }
  return place;
}

template <class T>
__global__ void gather_slices(Tuples tuples, Count batch_tuples, Count batch_slices, const T* in, const std::int64_t* indices, T* out) {
  for (Count i = first_element(); i < tuples.count * tuples.slice; i += element_step()) {
    const Count tuple = i / tuples.slice;
    const Count place = place_of(tuples, indices + tuple * tuples.rank, true);
    if (place >= 0) out[i] = in[(tuple / batch_tuples * batch_slices + place) * tuples.slice + i % tuples.slice];
  }
}

/// Every thread owns the elements with its number modulo the number of threads, and goes through all tuples in order.
template <class T>
__global__ void scatter_slices(ScatterKind kind, Tuples tuples, Count threads, const std::int64_t* indices, const T* updates, T* to) {
  for (Count own = first_element(); own < threads; own += element_step()) {
    for (Count tuple = 0; tuple < tuples.count; ++tuple) {
      const Count place = place_of(tuples, indices + tuple * tuples.rank, false);
      if (place < 0) continue;
      const Count begin = place * tuples.slice;
      for (Count k = ((own - begin) % threads + threads) % threads; k < tuples.slice; k += threads) {
        T& target = to[begin + k];
        target = element_of<T>(scattered<T>(kind, value_of(target), value_of(updates[tuple * tuples.slice + k])));
      }
    }
  }
}

/// Types that can be added; others are only replaced, as words.
template <class With>
void with_scattered(ScatterKind kind, bool halves, Element element, std::size_t bytes, With&& with) {
  if (kind == ScatterKind::replace) return with_words(bytes, with);
  if (element != Element::f32 && element != Element::f64 && element != Element::i64 && element != Element::i32) {
    throw Error(ErrorCode::invalid_model, "Scattering with a reduction is not supported for " + std::string(name_of(element)) + ".");
  }
  with_numbers(halves, element, with);
}

Tuples tuples_of(const Shape& sizes, std::int64_t slice, std::int64_t count) {
  Tuples tuples{sizes.rank, {}, count, slice};
  for (int axis = 0; axis < sizes.rank; ++axis) tuples.sizes[axis] = sizes[axis];
  return tuples;
}

}  // namespace

void DeviceGraphOps::gather(Axis axis, Element element, std::int64_t count, const void* in, const std::int64_t* indices, void* out) {
  with_words(stored_bytes(element), [&](auto word) {
    using T = decltype(word);
    each(gather_rows<T>, axis.outer * count * axis.inner, axis.outer, axis.size, axis.inner, count, static_cast<const T*>(in), indices, static_cast<T*>(out));
  });
}

void DeviceGraphOps::gather_elements(const Shape& in, const Shape& out, int axis, Element element, const void* data, const std::int64_t* indices, void* to) {
  Strides from = strides_of(in);
  const Count stride = from[static_cast<std::size_t>(axis)];
  from[static_cast<std::size_t>(axis)] = 0;
  const Places<2> places = places_of<2>(out, {from, strides_of(out)});
  with_words(stored_bytes(element), [&](auto word) {
    using T = decltype(word);
    each(gather_each<T>, places.count, places, in[axis], stride, static_cast<const T*>(data), indices, static_cast<T*>(to));
  });
}

void DeviceGraphOps::scatter_elements(ScatterKind kind, Element element, const Shape& to_shape, const Shape& updates_shape, int axis, const std::int64_t* indices, const void* updates,
                                      void* to) {
  if (updates_shape.elements() == 0) return;
  const auto at = static_cast<std::size_t>(axis);
  const Strides into = strides_of(to_shape);
  const Strides from = strides_of(updates_shape);
  Shape others = updates_shape;
  others[axis] = 1;
  const Places<2> lines = places_of<2>(others, {into, from});
  with_scattered(kind, halves_, element, stored_bytes(element), [&](auto type) {
    using T = decltype(type);
    each(scatter_lines<T>, lines.count, kind, lines, updates_shape[axis], from[at], to_shape[axis], into[at], indices, static_cast<const T*>(updates), static_cast<T*>(to));
  });
}

void DeviceGraphOps::gather_nd(std::int64_t batches, const Shape& sizes, std::int64_t slice, std::int64_t tuples, Element element, const void* in, const std::int64_t* indices, void* out) {
  if (tuples == 0 || batches == 0) return;
  with_words(stored_bytes(element), [&](auto word) {
    using T = decltype(word);
    each(gather_slices<T>, tuples * slice, tuples_of(sizes, slice, tuples), tuples / batches, sizes.elements(), static_cast<const T*>(in), indices, static_cast<T*>(out));
  });
}

void DeviceGraphOps::scatter_nd(ScatterKind kind, Element element, const Shape& sizes, std::int64_t slice, std::int64_t tuples, const std::int64_t* indices, const void* updates, void* to) {
  if (tuples * slice == 0) return;
  constexpr Count threads = 1024;
  with_scattered(kind, halves_, element, stored_bytes(element), [&](auto type) {
    using T = decltype(type);
    each(scatter_slices<T>, threads, kind, tuples_of(sizes, slice, tuples), threads, indices, static_cast<const T*>(updates), static_cast<T*>(to));
  });
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
