// Walks operands together by rows, after neighbouring axes that are contiguous for all operands have been merged.
#pragma once

#include <array>
#include <cstdint>

#include "cpu/graph/walk.h"
#include "tensor/shape.h"

namespace lectern::cpu {

template <std::size_t count>
class Walk {
 public:
  Walk(const Shape& shape, const std::array<Strides, count>& strides) {
    for (int axis = 0; axis < shape.rank; axis++) {
      if (shape[axis] == 1) continue;
      if (shape_.rank > 0 && continues(strides, axis, shape[axis])) {
        shape_[shape_.rank - 1] *= shape[axis];
      } else {
        shape_.push(shape[axis]);
      }
      for (std::size_t i = 0; i < count; i++) strides_[i][static_cast<std::size_t>(shape_.rank - 1)] = strides[i][static_cast<std::size_t>(axis)];
    }
    if (shape_.rank == 0) shape_.push(1);
    for (std::size_t i = 0; i < count; i++) steps_[i] = strides_[i][static_cast<std::size_t>(shape_.rank - 1)];
    // A single element counts as a dense row.
    if (shape_.rank == 1 && shape_[0] == 1) steps_.fill(1);
    rows_ = shape_.product(0, shape_.rank - 1);
  }

  /// The remaining shape, and each operand's strides over it.
  const Shape& shape() const { return shape_; }
  const Strides& strides(std::size_t operand) const { return strides_[operand]; }
  /// Elements of a row, and each operand's stride between them.
  std::int64_t inner() const { return shape_[shape_.rank - 1]; }
  const std::array<std::int64_t, count>& inner_steps() const { return steps_; }
  std::int64_t rows() const { return rows_; }

  /// Calls row(index, offsets) for rows first .. first + number - 1.
  template <class Row>
  void each(std::int64_t first, std::int64_t number, Row&& row) const {
    Strides index{};
    std::array<std::int64_t, count> offsets{};
    std::int64_t rest = first;
    for (int axis = shape_.rank - 2; axis >= 0; axis--) {
      const auto at = static_cast<std::size_t>(axis);
      index[at] = rest % shape_[axis];
      rest /= shape_[axis];
      for (std::size_t i = 0; i < count; i++) offsets[i] += index[at] * strides_[i][at];
    }
    for (std::int64_t n = first; n < first + number; n++) {
      row(n, offsets);
      for (int axis = shape_.rank - 2; axis >= 0; axis--) {
        const auto at = static_cast<std::size_t>(axis);
        for (std::size_t i = 0; i < count; i++) offsets[i] += strides_[i][at];
        if (++index[at] < shape_[axis]) break;
        for (std::size_t i = 0; i < count; i++) offsets[i] -= strides_[i][at] * shape_[axis];
        index[at] = 0;
      }
    }
  }

 private:
  bool continues(const std::array<Strides, count>& strides, int axis, std::int64_t size) const {
    for (std::size_t i = 0; i < count; i++) {
      if (strides_[i][static_cast<std::size_t>(shape_.rank - 1)] != strides[i][static_cast<std::size_t>(axis)] * size) return false;
    }
    return true;
  }

  Shape shape_;
  std::array<Strides, count> strides_{};
  std::array<std::int64_t, count> steps_{};
  std::int64_t rows_ = 1;
};

}  // namespace lectern::cpu
