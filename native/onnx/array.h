// A tensor in host memory that owns its bytes; all its readers share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "tensor/element.h"
#include "tensor/shape.h"

namespace lectern::onnx {

/// The alignment of a tensor's first byte: kernels load whole vectors from there.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

using Bytes = std::vector<std::byte, AlignedAllocator<std::byte>>;

struct Array {
  Element element = Element::f32;
  Shape shape;
  std::shared_ptr<const Bytes> bytes;  // elements * bytes_of(element)

  std::int64_t elements() const { return shape.elements(); }
  const std::byte* data() const { return bytes->data(); }

  /// The caller guarantees the type.
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes->data()), bytes->size() / sizeof(T)};
  }
};

inline Array make_array(Element element, const Shape& shape, Bytes bytes) {
  return {element, shape, std::make_shared<const Bytes>(std::move(bytes))};
}

inline Array make_array(Element element, const Shape& shape, const void* data) {
  Bytes bytes(static_cast<std::size_t>(shape.elements()) * bytes_of(element));
  if (!bytes.empty()) std::memcpy(bytes.data(), data, bytes.size());
  return make_array(element, shape, std::move(bytes));
}

/// A shape of one axis.
inline Array make_array(std::span<const std::int64_t> integers) {
  return make_array(Element::i64, Shape{static_cast<std::int64_t>(integers.size())}, integers.data());
}
inline Array make_scalar(std::int64_t integer) { return make_array(Element::i64, Shape{}, &integer); }
inline Array make_scalar(float number) { return make_array(Element::f32, Shape{}, &number); }

}  // namespace lectern::onnx
