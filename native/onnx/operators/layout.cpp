// Operators that move elements without a change: reshape, transpose, slice, concatenate.
#include <algorithm>
#include <numeric>
#include <utility>

#include "onnx/operator.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

Operator make_reshape(Attributes& a) {
  const bool allow_zero = a.flag("allowzero", false);
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    const std::vector<std::int64_t> wanted = plan.need_integers(1);
    if (wanted.size() > max_rank) plan.refuse("its output would have more than 8 axes");
    Shape shape;
    int open = -1;
    for (std::size_t i = 0; i < wanted.size(); i++) {
      std::int64_t size = wanted[i];
      if (size == 0 && !allow_zero) {
        if (static_cast<int>(i) >= from.rank) plan.refuse("it copies a size that " + from.text() + " does not have");
        size = from[static_cast<int>(i)];
      }
      if (size < -1 || (size == -1 && open >= 0)) plan.refuse("a size is negative, or more than one is left open");
      if (size == -1) open = static_cast<int>(i);
      shape.push(size == -1 ? 1 : size);
    }
    if (open >= 0) {
      const std::int64_t others = shape.elements();
      if (others == 0 || from.elements() % others != 0) plan.refuse("the open size of " + shape.text() + " cannot be told from " + from.text());
      shape[open] = from.elements() / others;
    }
    plan.same(0, 0, shape);
  };
}

Operator make_flatten(Attributes& a) {
  const std::int64_t axis = a.integer("axis", 1);
  return [=](NodePlan& plan) {
    const Shape& shape = plan.shape(0);
    if (axis < -shape.rank || axis > shape.rank) plan.refuse("the axis " + std::to_string(axis) + " is outside of " + shape.text());
    const int split = static_cast<int>(axis < 0 ? axis + shape.rank : axis);
    plan.same(0, 0, Shape{shape.product(0, split), shape.product(split, shape.rank)});
  };
}

/// The axes of an attribute (before opset 13) or of input 1.
std::vector<int> axes_of(NodePlan& plan, const std::vector<std::int64_t>& attribute, int rank) {
  const std::vector<std::int64_t> list = plan.has(1) ? plan.need_integers(1) : attribute;
  std::vector<int> axes;
  for (const std::int64_t axis : list) {
    axes.push_back(plan.axis_of(axis, rank));
    if (std::count(axes.begin(), axes.end(), axes.back()) > 1) plan.refuse("an axis stands twice");
  }
  return axes;
}

Operator make_squeeze(Attributes& a) {
  const std::vector<std::int64_t> attribute = a.opset() < 13 ? a.integers("axes") : std::vector<std::int64_t>();
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    const std::vector<int> axes = axes_of(plan, attribute, from.rank);
    Shape shape;
    for (int axis = 0; axis < from.rank; axis++) {
      const bool named = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (named && from[axis] != 1) plan.refuse("axis " + std::to_string(axis) + " of " + from.text() + " is not 1");
      if (!(named || (axes.empty() && from[axis] == 1))) shape.push(from[axis]);
    }
    plan.same(0, 0, shape);
  };
}

Operator make_unsqueeze(Attributes& a) {
  const std::vector<std::int64_t> attribute = a.opset() < 13 ? a.integers("axes") : std::vector<std::int64_t>();
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    const std::size_t added = plan.has(1) ? plan.need_integers(1).size() : attribute.size();
    if (added + static_cast<std::size_t>(from.rank) > max_rank) plan.refuse("its output would have more than 8 axes");
    const int rank = from.rank + static_cast<int>(added);
    const std::vector<int> axes = axes_of(plan, attribute, rank);
    Shape shape;
    int next = 0;
    for (int axis = 0; axis < rank; axis++) shape.push(std::find(axes.begin(), axes.end(), axis) != axes.end() ? 1 : from[next++]);
    plan.same(0, 0, shape);
  };
}

Operator make_transpose(Attributes& a) {
  const std::vector<std::int64_t> attribute = a.integers("perm");
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    std::vector<int> order(static_cast<std::size_t>(from.rank));
    std::iota(order.rbegin(), order.rend(), 0);
    if (!attribute.empty()) {
      if (attribute.size() != order.size()) plan.refuse("its order of axes does not fit " + from.text());
      for (std::size_t i = 0; i < order.size(); i++) order[i] = plan.axis_of(attribute[i], from.rank);
      std::vector<int> sorted = order;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < sorted.size(); i++) {
        if (sorted[i] != static_cast<int>(i)) plan.refuse("its order of axes names one twice");
      }
    }
    Move move;
    const Strides strides = strides_of(from);
    // An order that only moves axes of size 1 moves no element.
    bool still = true;
    int last = -1;
    for (const int axis : order) {
      if (from[axis] != 1) {
        still = still && axis > last;
        last = axis;
      }
      move.in_strides[static_cast<std::size_t>(move.shape.rank)] = strides[static_cast<std::size_t>(axis)];
      move.shape.push(from[axis]);
    }
    if (still) return plan.same(0, 0, move.shape);
    move.out_strides = strides_of(move.shape);
    const Operand in = plan.in(0);
    add_move(plan, move, plan.element(0), in, plan.out(0, plan.element(0), move.shape));
  };
}

struct Cut {
  std::int64_t start, count, step;
};

/// numpy's rules: ranges are clipped; a start or end below 0 counts from the end.
Cut cut(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size) {
  const auto place = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
    if (at < 0) at = at < -size ? -1 : at + size;
    return std::clamp(at, low, high);
  };
  if (step > 0) {
    const std::int64_t first = start < -size ? 0 : place(start, 0, size);
    const std::int64_t last = end < -size ? 0 : place(end, 0, size);
    return {first, last > first ? (last - first - 1) / step + 1 : 0, step};
  }
  const std::int64_t first = start < -size ? -1 : place(start, -1, size - 1);
  const std::int64_t last = end < -size ? -1 : place(end, -1, size - 1);
  // -step overflows for the smallest number: it selects one element, as any step beyond the size does.
  const std::int64_t back = step < -size ? size + 1 : -step;
  return {first, first > last ? (first - last - 1) / back + 1 : 0, step < -size ? -(size + 1) : step};
}

void plan_slice(NodePlan& plan, const std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& ends, const std::vector<std::int64_t>& axes, const std::vector<std::int64_t>& steps) {
  const Shape& from = plan.shape(0);
  if (ends.size() != starts.size() || (!axes.empty() && axes.size() != starts.size()) || (!steps.empty() && steps.size() != starts.size()) ||
      (axes.empty() && starts.size() > static_cast<std::size_t>(from.rank))) {
    plan.refuse("its starts, ends, axes and steps are not of one length");
  }
  Move move;
  move.shape = from;
  move.in_strides = strides_of(from);
  std::array<bool, max_rank> seen{};
  for (std::size_t i = 0; i < starts.size(); i++) {
    const int axis = axes.empty() ? static_cast<int>(i) : plan.axis_of(axes[i], from.rank);
    const auto at = static_cast<std::size_t>(axis);
    if (seen[at]) plan.refuse("an axis stands twice");
    seen[at] = true;
    const std::int64_t step = steps.empty() ? 1 : steps[i];
    if (step == 0) plan.refuse("a step is 0");
    const Cut part = cut(starts[i], ends[i], step, from[axis]);
    move.shape[axis] = part.count;
    move.in_offset += part.count > 0 ? part.start * move.in_strides[at] : 0;
    // The step matters only if there is a second element. It is then no larger than the axis.
    move.in_strides[at] = part.count > 1 ? move.in_strides[at] * part.step : 0;
  }
  if (move.shape == from && move.in_strides == strides_of(from)) return plan.same(0, 0, from);
  move.out_strides = strides_of(move.shape);
  const Operand in = plan.in(0);
  add_move(plan, move, plan.element(0), in, plan.out(0, plan.element(0), move.shape));
}

Operator make_slice(Attributes& a) {
  if (a.opset() < 10) {
    const std::vector<std::int64_t> starts = a.integers("starts");
    const std::vector<std::int64_t> ends = a.integers("ends");
    const std::vector<std::int64_t> axes = a.integers("axes");
    return [=](NodePlan& plan) { plan_slice(plan, starts, ends, axes, {}); };
  }
  return [](NodePlan& plan) {
    const auto list = [&](int input) { return plan.has(input) ? plan.need_integers(input) : std::vector<std::int64_t>(); };
    plan_slice(plan, plan.need_integers(1), plan.need_integers(2), list(3), list(4));
  };
}

Operator make_split(Attributes& a) {
  const std::int64_t along = a.integer("axis", 0);
  const std::vector<std::int64_t> attribute = a.opset() < 13 ? a.integers("split") : std::vector<std::int64_t>();
  if (a.opset() >= 18) a.ignore("num_outputs");  // equals the number of the node's outputs
  const bool uneven = a.opset() >= 18;
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    const int axis = plan.axis_of(along, from.rank);
    std::vector<std::int64_t> parts = plan.has(1) ? plan.need_integers(1) : attribute;
    if (parts.empty()) {
      const std::int64_t count = plan.outputs();
      if (count == 0) plan.refuse("it has no outputs");
      const std::int64_t each = (from[axis] + count - 1) / count;
      if (!uneven && from[axis] % count != 0) plan.refuse("axis " + std::to_string(axis) + " of " + from.text() + " does not split into " + std::to_string(count));
      for (std::int64_t i = 0; i < count; i++) parts.push_back(std::clamp<std::int64_t>(from[axis] - i * each, 0, each));
    }
    std::int64_t total = 0;
    for (const std::int64_t part : parts) {
      if (part < 0 || part > from[axis] - total) plan.refuse("its parts do not add up to axis " + std::to_string(axis) + " of " + from.text());
      total += part;
    }
    if (total != from[axis] || parts.size() != static_cast<std::size_t>(plan.outputs())) plan.refuse("its parts do not add up to axis " + std::to_string(axis) + " of " + from.text());
    const Operand in = plan.in(0);
    Move move;
    move.in_strides = strides_of(from);
    for (int output = 0; output < plan.outputs(); output++) {
      move.shape = from;
      move.shape[axis] = parts[static_cast<std::size_t>(output)];
      move.out_strides = strides_of(move.shape);
      if (plan.wants(output)) add_move(plan, move, plan.element(0), in, plan.out(output, plan.element(0), move.shape));
      move.in_offset += parts[static_cast<std::size_t>(output)] * move.in_strides[static_cast<std::size_t>(axis)];
    }
  };
}

Operator make_concat(Attributes& a) {
  if (!a.has("axis")) a.unsupported("no axis");
  const std::int64_t along = a.integer("axis", 0);
  return [=](NodePlan& plan) {
    if (plan.inputs() == 0) plan.refuse("it has no inputs");
    Shape shape = plan.shape(0);
    const int axis = plan.axis_of(along, shape.rank);
    shape[axis] = 0;
    for (int i = 0; i < plan.inputs(); i++) {
      Shape other = plan.shape(i);
      if (plan.element(i) != plan.element(0)) plan.refuse("its inputs are of different types");
      if (other.rank != shape.rank) plan.refuse("the shapes " + plan.shape(0).text() + " and " + other.text() + " do not fit");
      const std::int64_t size = std::exchange(other[axis], shape[axis]);
      if (other != shape) plan.refuse("the shapes " + plan.shape(0).text() + " and " + plan.shape(i).text() + " do not fit");
      if (size > INT64_MAX / 2 - shape[axis]) plan.refuse("its inputs are too large");
      shape[axis] += size;
    }
    if (plan.inputs() == 1) return plan.same(0, 0, shape);
    const Operand out = plan.out(0, plan.element(0), shape);
    Move move;
    move.out_strides = strides_of(shape);
    for (int i = 0; i < plan.inputs(); i++) {
      move.shape = plan.shape(i);
      move.in_strides = strides_of(move.shape);
      if (move.shape.elements() > 0) add_move(plan, move, plan.element(0), plan.in(i), out);
      move.out_offset += move.shape[axis] * move.out_strides[static_cast<std::size_t>(axis)];
    }
  };
}

}  // namespace

void add_layout_operators(OperatorTable& table) {
  table.insert({{"Reshape", make_reshape}, {"Flatten", make_flatten}, {"Squeeze", make_squeeze}, {"Unsqueeze", make_unsqueeze}, {"Transpose", make_transpose}, {"Slice", make_slice},
                {"Split", make_split}, {"Concat", make_concat}});
}

}  // namespace lectern::onnx
