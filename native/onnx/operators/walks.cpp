#include "onnx/operators/walks.h"

#include <algorithm>

namespace lectern::onnx {

Shape broadcast_shape(const NodePlan& plan, const Shape& a, const Shape& b) {
  Shape out;
  const int rank = std::max(a.rank, b.rank);
  for (int axis = 0; axis < rank; axis++) {
    const int in_a = axis - rank + a.rank;
    const int in_b = axis - rank + b.rank;
    const std::int64_t size_a = in_a >= 0 ? a[in_a] : 1;
    const std::int64_t size_b = in_b >= 0 ? b[in_b] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) plan.refuse("the shapes " + a.text() + " and " + b.text() + " do not fit");
    out.push(size_a == 1 ? size_b : size_a);
  }
  return out;
}

Broadcast walk(const Shape& out, const std::vector<Shape>& shapes) {
  std::vector<Strides> strides;
  for (const Shape& shape : shapes) {
    Strides own = strides_of(shape);
    Strides aligned{};
    for (int axis = 0; axis < shape.rank; axis++) {
      const auto at = static_cast<std::size_t>(axis - shape.rank + out.rank);
      aligned[at] = shape[axis] == 1 ? 0 : own[static_cast<std::size_t>(axis)];
    }
    strides.push_back(aligned);
  }
  Broadcast together{};
  for (int axis = 0; axis < out.rank; axis++) {
    const auto at = static_cast<std::size_t>(axis);
    if (out[axis] == 1) continue;
    const int last = together.shape.rank - 1;
    const auto end = static_cast<std::size_t>(std::max(last, 0));
    bool joins = last >= 0;
    for (std::size_t i = 0; i < strides.size() && joins; i++) joins = together.strides[i][end] == strides[i][at] * out[axis];
    if (joins) {
      together.shape[last] *= out[axis];
    } else {
      together.shape.push(out[axis]);
    }
    for (std::size_t i = 0; i < strides.size(); i++) together.strides[i][static_cast<std::size_t>(together.shape.rank - 1)] = strides[i][at];
  }
  return together;
}

Move simplified(const Move& move) {
  Move simple;
  simple.in_offset = move.in_offset;
  simple.out_offset = move.out_offset;
  for (int axis = 0; axis < move.shape.rank; axis++) {
    const auto at = static_cast<std::size_t>(axis);
    if (move.shape[axis] == 1) continue;
    const int last = simple.shape.rank - 1;
    const auto end = static_cast<std::size_t>(std::max(last, 0));
    if (last >= 0 && simple.in_strides[end] == move.in_strides[at] * move.shape[axis] && simple.out_strides[end] == move.out_strides[at] * move.shape[axis]) {
      simple.shape[last] *= move.shape[axis];
    } else {
      simple.shape.push(move.shape[axis]);
    }
    const auto now = static_cast<std::size_t>(simple.shape.rank - 1);
    simple.in_strides[now] = move.in_strides[at];
    simple.out_strides[now] = move.out_strides[at];
  }
  return simple;
}

void add_move(NodePlan& plan, const Move& move, Element element, Operand from, Operand to) {
  const Move simple = simplified(move);
  plan.step([=](const Call& call) { call.ops.move(simple, element, call.at<void>(from), call.at<void>(to)); });
}

}  // namespace lectern::onnx
