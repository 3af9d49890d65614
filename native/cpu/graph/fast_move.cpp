// Data movement: boxes, transpositions, repeated rows.
#include <algorithm>
#include <cstring>

#include "cpu/graph/fast_graph_ops.h"
#include "cpu/graph/strided_walk.h"

namespace lectern::cpu {
namespace {

/// to[r * columns + c] = from[r + c * column_step]: adjacent columns become rows.
template <class T>
void turn(const T* from, std::int64_t column_step, std::int64_t rows, std::int64_t columns, T* to, std::int64_t row_step) {
  constexpr std::int64_t tile = 16;
  for (std::int64_t r0 = 0; r0 < rows; r0 += tile) {
    for (std::int64_t c0 = 0; c0 < columns; c0 += tile) {
      const std::int64_t r1 = std::min(rows, r0 + tile);
      const std::int64_t c1 = std::min(columns, c0 + tile);
      for (std::int64_t r = r0; r < r1; r++) {
        for (std::int64_t c = c0; c < c1; c++) to[r * row_step + c] = from[r + c * column_step];
      }
    }
  }
}

/// The axis along which the input's elements are contiguous; -1 for none.
int dense_axis(const Walk<2>& walk) {
  for (int axis = walk.shape().rank - 2; axis >= 0; axis--) {
    if (walk.strides(0)[static_cast<std::size_t>(axis)] == 1) return axis;
  }
  return -1;
}

}  // namespace

void FastGraphOps::move(const Move& move, Element element, const void* in, void* out) {
  const Walk<2> walk(move.shape, {move.in_strides, move.out_strides});
  const auto bytes = static_cast<std::int64_t>(bytes_of(element));
  const auto* from = static_cast<const std::byte*>(in) + move.in_offset * bytes;
  auto* to = static_cast<std::byte*>(out) + move.out_offset * bytes;
  if (move.shape.elements() == 0) return;
  if (walk.inner_steps()[0] == 1 && walk.inner_steps()[1] == 1) {
    const std::int64_t row_bytes = walk.inner() * bytes;
    return each_piece(walk.rows(), row_bytes / 8 + 4, [&](std::int64_t first, std::int64_t count) {
      walk.each(first, count, [&](std::int64_t, const std::array<std::int64_t, 2>& at) {
        std::memcpy(to + at[1] * bytes, from + at[0] * bytes, static_cast<std::size_t>(row_bytes));
      });
    });
  }
  const int dense = dense_axis(walk);
  if (walk.inner_steps()[1] != 1 || dense < 0 || bytes != sizeof(float)) return ReferenceGraphOps::move(move, element, in, out);

  // The last axis of the output against the contiguous one of the input: a transposition for every place along the others.
  Shape others;
  std::array<Strides, 2> strides{};
  for (int axis = 0; axis < walk.shape().rank - 1; axis++) {
    if (axis == dense) continue;
    for (std::size_t i = 0; i < 2; i++) strides[i][static_cast<std::size_t>(others.rank)] = walk.strides(i)[static_cast<std::size_t>(axis)];
    others.push(walk.shape()[axis]);
  }
  // Rows of one element each, so that every place is visited.
  others.push(1);
  const auto places = others.elements();
  const std::int64_t rows = walk.shape()[dense];
  const std::int64_t row_step = walk.strides(1)[static_cast<std::size_t>(dense)];
  const auto* floats = reinterpret_cast<const std::uint32_t*>(from);
  auto* out_floats = reinterpret_cast<std::uint32_t*>(to);
  const auto offset_of = [&](std::int64_t place, std::size_t operand) {
    std::int64_t offset = 0;
    for (int axis = others.rank - 2; axis >= 0; axis--) {
      offset += place % others[axis] * strides[operand][static_cast<std::size_t>(axis)];
      place /= others[axis];
    }
    return offset;
  };
  each_piece(places * rows, walk.inner(), [&](std::int64_t first, std::int64_t count) {
    while (count > 0) {
      const std::int64_t place = first / rows;
      const std::int64_t row = first % rows;
      const std::int64_t taken = std::min(count, rows - row);
      turn(floats + offset_of(place, 0) + row, walk.inner_steps()[0], taken, walk.inner(), out_floats + offset_of(place, 1) + row * row_step, row_step);
      first += taken;
      count -= taken;
    }
  });
}

void FastGraphOps::take(const Take& take, Element element, const void* in, void* out) {
  const int rank = take.out.rank;
  const bool picture = rank >= 2 && bytes_of(element) == sizeof(float) && take.out.elements() > 0;
  for (int axis = 0; axis < rank - 2; axis++) {
    if (take.tables[static_cast<std::size_t>(axis)] != nullptr) return ReferenceGraphOps::take(take, element, in, out);
  }
  if (!picture) return ReferenceGraphOps::take(take, element, in, out);
  const std::int32_t* down = take.tables[static_cast<std::size_t>(rank - 2)];
  const std::int32_t* across = take.tables[static_cast<std::size_t>(rank - 1)];
  const std::int64_t in_height = take.in[rank - 2];
  const std::int64_t in_width = take.in[rank - 1];
  const std::int64_t height = take.out[rank - 2];
  const std::int64_t width = take.out[rank - 1];
  std::uint32_t fill;
  std::memcpy(&fill, take.fill.data(), sizeof fill);
  each_piece(take.out.product(0, rank - 2), height * width, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t plane = first; plane < first + count; plane++) {
      const auto* from = static_cast<const std::uint32_t*>(in) + plane * in_height * in_width;
      auto* to = static_cast<std::uint32_t*>(out) + plane * height * width;
      for (std::int64_t y = 0; y < height; y++, to += width) {
        const std::int64_t row = down == nullptr ? y : down[y];
        if (y > 0 && down != nullptr && down[y] == down[y - 1]) {
          std::copy(to - width, to, to);
        } else if (row < 0) {
          std::fill(to, to + width, fill);
        } else if (across == nullptr) {
          std::copy(from + row * in_width, from + row * in_width + width, to);
        } else {
          for (std::int64_t x = 0; x < width; x++) to[x] = across[x] < 0 ? fill : from[row * in_width + across[x]];
        }
      }
    }
  });
}

}  // namespace lectern::cpu
