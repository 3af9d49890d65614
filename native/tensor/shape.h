// The shape of a dense tensor in a network, sizes[0] the slowest, as ONNX counts. C++17: the CUDA sources see this file.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

namespace lectern {

constexpr int max_rank = 8;

struct Shape {
  int rank = 0;
  std::array<std::int64_t, max_rank> sizes{};  // 0 beyond the rank

  Shape() = default;
  /// At most max_rank sizes.
  Shape(std::initializer_list<std::int64_t> list) {
    for (const std::int64_t size : list) push(size);
  }

  /// The caller has checked that there is room.
  void push(std::int64_t size) { sizes[static_cast<std::size_t>(rank++)] = size; }

  std::int64_t operator[](int axis) const { return sizes[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return sizes[static_cast<std::size_t>(axis)]; }

  /// The product of the sizes first .. last - 1: 1 for none. The largest number where it does not fit or a size is negative.
  std::int64_t product(int first, int last) const {
    std::int64_t product = 1;
    bool empty = false;
    for (int axis = first; axis < last; axis++) {
      const std::int64_t size = (*this)[axis];
      if (size < 0) return std::numeric_limits<std::int64_t>::max();
      if (size == 0) empty = true;
      else if (product > std::numeric_limits<std::int64_t>::max() / size) product = std::numeric_limits<std::int64_t>::max();
      else product *= size;
    }
    return empty ? 0 : product;
  }
  std::int64_t elements() const { return product(0, rank); }

  /// No size is negative, and no stride or product of sizes overflows, also where a size is 0.
  bool is_sane() const {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t product = 1;
    for (int axis = 0; axis < rank; axis++) {
      const std::int64_t size = (*this)[axis];
      if (size < 0 || size > most / product) return false;
      product *= size == 0 ? 1 : size;
    }
    return true;
  }

  friend bool operator==(const Shape& a, const Shape& b) { return a.rank == b.rank && a.sizes == b.sizes; }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

  /// As [1,3,48,320].
  std::string text() const {
    std::string text = "[";
    for (int axis = 0; axis < rank; axis++) text += (axis > 0 ? "," : "") + std::to_string((*this)[axis]);
    return text + "]";
  }
};

/// How many elements apart neighbours along each axis of a dense tensor are.
inline std::array<std::int64_t, max_rank> strides_of(const Shape& shape) {
  std::array<std::int64_t, max_rank> strides{};
  std::int64_t stride = 1;
  for (int axis = shape.rank - 1; axis >= 0; axis--) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  return strides;
}

}  // namespace lectern
