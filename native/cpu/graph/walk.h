// Walks operands together, row by row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/shape.h"

namespace lectern::cpu {

using Strides = std::array<std::int64_t, max_rank>;

/// Calls row(offsets, length, steps) for every row along the last axis of `shape`: the begin of each operand's row and the stride of
/// its elements. A shape without axes is one row of one element.
template <std::size_t count, class Row>
void each_row(const Shape& shape, const std::array<Strides, count>& strides, std::array<std::int64_t, count> offsets, Row&& row) {
  if (shape.elements() == 0) return;
  std::array<std::int64_t, count> steps{};
  if (shape.rank == 0) return row(offsets, std::int64_t{1}, steps);
  const int last = shape.rank - 1;
  for (std::size_t i = 0; i < count; i++) steps[i] = strides[i][static_cast<std::size_t>(last)];
  Strides index{};
  for (;;) {
    row(offsets, shape[last], steps);
    int axis = last - 1;
    for (; axis >= 0; axis--) {
      const auto at = static_cast<std::size_t>(axis);
      for (std::size_t i = 0; i < count; i++) offsets[i] += strides[i][at];
      if (++index[at] < shape[axis]) break;
      for (std::size_t i = 0; i < count; i++) offsets[i] -= strides[i][at] * shape[axis];
      index[at] = 0;
    }
    if (axis < 0) return;
  }
}

/// Calls with(T()) for an unsigned type of that many bytes: code that moves elements does not depend on their type.
template <class With>
void with_bytes(std::size_t element_bytes, With&& with) {
  switch (element_bytes) {
    case 1: return with(std::uint8_t());
    case 2: return with(std::uint16_t());
    case 4: return with(std::uint32_t());
    default: return with(std::uint64_t());
  }
}

}  // namespace lectern::cpu
