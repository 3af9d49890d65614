// Operators along axes: reductions, arg-extremes, running sums.
#include <algorithm>

#include "onnx/operator.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

/// The maximum of no elements is the smallest value of the type, the minimum of none the largest.
void plan_extreme_of_none(NodePlan& plan, Element element, bool largest, const Shape& shape) {
  plan.bound(element, shape);
  const int value = element == Element::boolean ? !largest : element == Element::u8 ? (largest ? 0 : 255) : largest ? -128 : 127;
  const std::vector<std::byte> bytes(static_cast<std::size_t>(shape.elements()), static_cast<std::byte>(value));
  plan.result(0, make_array(element, shape, bytes.data()));
}

void plan_reduction(NodePlan& plan, ReductionKind kind, const std::vector<std::int64_t>& list, bool keep, bool none_is_all) {
  plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32, Element::i8, Element::u8, Element::boolean});
  const Shape& x = plan.shape(0);
  std::array<bool, max_rank> reduced{};
  for (const std::int64_t axis : list) reduced[static_cast<std::size_t>(plan.axis_of(axis, x.rank))] = true;
  if (list.empty() && none_is_all) std::fill_n(reduced.begin(), x.rank, true);
  Reduction reduction{};
  reduction.kind = kind;
  Shape shape;
  // Neighbouring axes that are all reduced, or all kept, become one.
  const auto add = [](Shape& to, Strides& strides, std::int64_t size, std::int64_t stride) {
    const auto last = static_cast<std::size_t>(std::max(to.rank - 1, 0));
    if (to.rank > 0 && strides[last] == stride * size) {
      to[to.rank - 1] *= size;
      strides[last] = stride;
    } else {
      strides[static_cast<std::size_t>(to.rank)] = stride;
      to.push(size);
    }
  };
  const Strides strides = strides_of(x);
  for (int axis = 0; axis < x.rank; axis++) {
    const auto at = static_cast<std::size_t>(axis);
    if (reduced[at]) {
      add(reduction.reduced, reduction.reduced_strides, x[axis], strides[at]);
      if (keep) shape.push(1);
    } else {
      add(reduction.kept, reduction.kept_strides, x[axis], strides[at]);
      shape.push(x[axis]);
    }
  }
  const Element element = plan.element(0);
  // Small integers are rare and are converted to i32.
  const bool small = bytes_of(element) == 1;
  if (small && reduction.reduced.elements() == 0 && (kind == ReductionKind::maximum || kind == ReductionKind::minimum)) return plan_extreme_of_none(plan, element, kind == ReductionKind::maximum, shape);
  const Element inner = small ? Element::i32 : element;
  const Operand in = plan.in_as(0, inner);
  const Operand to = small ? plan.scratch(inner, shape) : Operand{};
  const Operand out = plan.out(0, element, shape);
  plan.step([=](const Call& call) {
    call.ops.reduce(reduction, inner, call.at<void>(in), call.at<void>(small ? to : out));
    if (small) call.ops.cast(inner, element, shape.elements(), call.at<void>(to), call.at<void>(out));
  });
}

/// Axes were an attribute first: for the sum until opset 13, for the others until 18.
template <ReductionKind kind>
Operator make_reduction(Attributes& a) {
  const bool keep = a.flag("keepdims", true);
  const std::int64_t since = kind == ReductionKind::sum ? 13 : 18;
  if (a.opset() < since) {
    const std::vector<std::int64_t> axes = a.integers("axes");
    return [=](NodePlan& plan) { plan_reduction(plan, kind, axes, keep, true); };
  }
  const bool none_is_none = a.flag("noop_with_empty_axes", false);
  return [=](NodePlan& plan) { plan_reduction(plan, kind, plan.has(1) ? plan.need_integers(1) : std::vector<std::int64_t>(), keep, !none_is_none); };
}

Operator make_extreme(Attributes& a, bool largest) {
  const std::int64_t along = a.integer("axis", 0);
  const bool keep = a.flag("keepdims", true);
  const bool last = a.flag("select_last_index", false);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32});
    const Shape& x = plan.shape(0);
    const int at = plan.axis_of(along, x.rank);
    Shape shape;
    for (int axis = 0; axis < x.rank; axis++) {
      if (axis != at) shape.push(x[axis]);
      else if (keep) shape.push(1);
    }
    const Axis axis = NodePlan::along(x, at);
    if (axis.size == 0 && shape.elements() > 0) plan.refuse("it looks for the extreme of nothing");
    const Element element = plan.element(0);
    const Operand in = plan.in(0);
    const Operand out = plan.out(0, Element::i64, shape);
    plan.step([=](const Call& call) { call.ops.find_extreme(axis, element, largest, last, call.at<void>(in), call.at<std::int64_t>(out)); });
  };
}

Operator make_arg_max(Attributes& a) { return make_extreme(a, true); }
Operator make_arg_min(Attributes& a) { return make_extreme(a, false); }

Operator make_cumulative_sum(Attributes& a) {
  const bool exclusive = a.flag("exclusive", false);
  const bool reverse = a.flag("reverse", false);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32});
    const Axis axis = NodePlan::along(plan.shape(0), plan.axis_of(plan.need_integer(1), plan.shape(0).rank));
    const Element element = plan.element(0);
    const Operand in = plan.in(0);
    const Operand out = plan.out(0, element, plan.shape(0));
    plan.step([=](const Call& call) { call.ops.cumulate(axis, element, exclusive, reverse, call.at<void>(in), call.at<void>(out)); });
  };
}

}  // namespace

void add_reduction_operators(OperatorTable& table) {
  table.insert({{"ReduceSum", make_reduction<ReductionKind::sum>}, {"ReduceMean", make_reduction<ReductionKind::mean>}, {"ReduceProd", make_reduction<ReductionKind::product>},
                {"ReduceMax", make_reduction<ReductionKind::maximum>}, {"ReduceMin", make_reduction<ReductionKind::minimum>}, {"ReduceL1", make_reduction<ReductionKind::l1>},
                {"ReduceL2", make_reduction<ReductionKind::l2>}, {"ReduceSumSquare", make_reduction<ReductionKind::sum_of_squares>},
                {"ReduceLogSum", make_reduction<ReductionKind::log_sum>}, {"ReduceLogSumExp", make_reduction<ReductionKind::log_sum_exp>}, {"ArgMax", make_arg_max},
                {"ArgMin", make_arg_min}, {"CumSum", make_cumulative_sum}});
}

}  // namespace lectern::onnx
