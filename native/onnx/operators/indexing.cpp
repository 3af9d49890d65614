// Operators that read or write at the places of indices.
#include <algorithm>

#include "onnx/operator.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

void demand_indices(NodePlan& plan, int input) { plan.demand(input, {Element::i64, Element::i32}); }

Operator make_gather(Attributes& a) {
  const std::int64_t along = a.integer("axis", 0);
  return [=](NodePlan& plan) {
    demand_indices(plan, 1);
    const Shape& x = plan.shape(0);
    const Shape& indices = plan.shape(1);
    const int at = plan.axis_of(along, x.rank);
    if (x.rank - 1 + indices.rank > max_rank) plan.refuse("its output would have more than 8 axes");
    Shape shape;
    for (int axis = 0; axis < at; axis++) shape.push(x[axis]);
    for (int axis = 0; axis < indices.rank; axis++) shape.push(indices[axis]);
    for (int axis = at + 1; axis < x.rank; axis++) shape.push(x[axis]);
    const Axis axis = NodePlan::along(x, at);
    const std::int64_t count = indices.elements();
    const Element element = plan.element(0);
    const Operand in = plan.in(0);
    const Operand where = plan.in_as(1, Element::i64);
    const Operand out = plan.out(0, plan.element(0), shape);
    plan.step([=](const Call& call) { call.ops.gather(axis, element, count, call.at<void>(in), call.at<std::int64_t>(where), call.at<void>(out)); });
  };
}

/// All sizes except that of the axis must be at most those of `x`.
void demand_within(NodePlan& plan, const Shape& indices, const Shape& x, int at) {
  bool fits = indices.rank == x.rank;
  for (int axis = 0; fits && axis < x.rank; axis++) fits = axis == at || indices[axis] <= x[axis];
  if (!fits) plan.refuse("its indices " + indices.text() + " do not fit " + x.text());
}

Operator make_gather_elements(Attributes& a) {
  const std::int64_t along = a.integer("axis", 0);
  return [=](NodePlan& plan) {
    demand_indices(plan, 1);
    const Shape x = plan.shape(0);
    const Shape indices = plan.shape(1);
    const int at = plan.axis_of(along, x.rank);
    demand_within(plan, indices, x, at);
    const Element element = plan.element(0);
    const Operand in = plan.in(0);
    const Operand where = plan.in_as(1, Element::i64);
    const Operand out = plan.out(0, plan.element(0), indices);
    plan.step([=](const Call& call) { call.ops.gather_elements(x, indices, at, element, call.at<void>(in), call.at<std::int64_t>(where), call.at<void>(out)); });
  };
}

ScatterKind read_scatter_kind(Attributes& a) {
  const std::string name = a.text("reduction", "none");
  if (name == "none") return ScatterKind::replace;
  if (name == "add") return ScatterKind::add;
  if (name == "mul") return ScatterKind::multiply;
  if (name == "min") return ScatterKind::minimum;
  if (name == "max") return ScatterKind::maximum;
  a.unsupported("reduction " + name);
}

/// Copies input 0 to the output, to which a later step writes.
Operand add_copy(NodePlan& plan) {
  const Operand in = plan.in(0);
  const Operand out = plan.out(0, plan.element(0), plan.shape(0));
  Move move;
  move.shape = Shape{plan.shape(0).elements()};
  move.in_strides[0] = move.out_strides[0] = 1;
  add_move(plan, move, plan.element(0), in, out);
  return out;
}

void demand_scatter(NodePlan& plan, ScatterKind kind) {
  demand_indices(plan, 1);
  plan.demand(2, {plan.element(0)});
  if (kind != ScatterKind::replace) plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32});
}

Operator make_scatter_elements(Attributes& a) {
  const std::int64_t along = a.integer("axis", 0);
  const ScatterKind kind = read_scatter_kind(a);
  return [=](NodePlan& plan) {
    demand_scatter(plan, kind);
    const Shape x = plan.shape(0);
    const Shape updates = plan.shape(2);
    const int at = plan.axis_of(along, x.rank);
    demand_within(plan, updates, x, at);
    if (plan.shape(1) != updates) plan.refuse("its indices " + plan.shape(1).text() + " do not fit its updates " + updates.text());
    const Element element = plan.element(0);
    const Operand out = add_copy(plan);
    const Operand where = plan.in_as(1, Element::i64);
    const Operand values = plan.in(2);
    plan.step([=](const Call& call) { call.ops.scatter_elements(kind, element, x, updates, at, call.at<std::int64_t>(where), call.at<void>(values), call.at<void>(out)); });
  };
}

/// The range that a tuple of `depth` indices selects: the sizes of its axes, and the number of elements behind each tuple.
struct Tuples {
  Shape sizes;
  std::int64_t slice, count;
  int depth;
};

Tuples read_tuples(NodePlan& plan, int batch_axes) {
  demand_indices(plan, 1);
  const Shape& x = plan.shape(0);
  const Shape& indices = plan.shape(1);
  if (indices.rank <= batch_axes || x.rank < batch_axes || x.rank == 0) plan.refuse("its indices " + indices.text() + " do not fit " + x.text());
  const std::int64_t depth = indices[indices.rank - 1];
  if (depth < 1 || depth > x.rank - batch_axes) plan.refuse("its indices " + indices.text() + " do not fit " + x.text());
  for (int axis = 0; axis < batch_axes; axis++) {
    if (x[axis] != indices[axis]) plan.refuse("its indices " + indices.text() + " do not fit " + x.text());
  }
  Tuples tuples{};
  tuples.depth = static_cast<int>(depth);
  for (int axis = 0; axis < tuples.depth; axis++) tuples.sizes.push(x[batch_axes + axis]);
  tuples.slice = x.product(batch_axes + tuples.depth, x.rank);
  tuples.count = indices.product(0, indices.rank - 1);
  return tuples;
}

Operator make_gather_nd(Attributes& a) {
  const std::int64_t batch_axes = a.integer("batch_dims", 0);
  if (batch_axes < 0 || batch_axes >= max_rank) a.unsupported("batch_dims " + std::to_string(batch_axes));
  return [batches = static_cast<int>(batch_axes)](NodePlan& plan) {
    const Tuples tuples = read_tuples(plan, batches);
    const Shape& x = plan.shape(0);
    const Shape& indices = plan.shape(1);
    if (indices.rank - 1 + x.rank - batches - tuples.depth > max_rank) plan.refuse("its output would have more than 8 axes");
    Shape shape;
    for (int axis = 0; axis < indices.rank - 1; axis++) shape.push(indices[axis]);
    for (int axis = batches + tuples.depth; axis < x.rank; axis++) shape.push(x[axis]);
    const std::int64_t count = x.product(0, batches);
    const Element element = plan.element(0);
    const Operand in = plan.in(0);
    const Operand where = plan.in_as(1, Element::i64);
    const Operand out = plan.out(0, plan.element(0), shape);
    plan.step([=](const Call& call) { call.ops.gather_nd(count, tuples.sizes, tuples.slice, tuples.count, element, call.at<void>(in), call.at<std::int64_t>(where), call.at<void>(out)); });
  };
}

Operator make_scatter_nd(Attributes& a) {
  const ScatterKind kind = read_scatter_kind(a);
  return [=](NodePlan& plan) {
    demand_scatter(plan, kind);
    const Tuples tuples = read_tuples(plan, 0);
    const Shape& x = plan.shape(0);
    const Shape& indices = plan.shape(1);
    Shape shape;
    for (int axis = 0; axis < indices.rank - 1; axis++) shape.push(indices[axis]);
    if (shape.rank + x.rank - tuples.depth > max_rank) plan.refuse("its updates have more than 8 axes");
    for (int axis = tuples.depth; axis < x.rank; axis++) shape.push(x[axis]);
    if (plan.shape(2) != shape) plan.refuse("its updates are of shape " + plan.shape(2).text() + ", not " + shape.text());
    const Element element = plan.element(0);
    const Operand out = add_copy(plan);
    const Operand where = plan.in_as(1, Element::i64);
    const Operand values = plan.in(2);
    plan.step([=](const Call& call) { call.ops.scatter_nd(kind, element, tuples.sizes, tuples.slice, tuples.count, call.at<std::int64_t>(where), call.at<void>(values), call.at<void>(out)); });
  };
}

/// Instead of rows of an identity matrix: sets off everywhere, then on where the indices point. An index out of range selects nothing.
Operator make_one_hot(Attributes& a) {
  const std::int64_t along = a.integer("axis", -1);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::i64, Element::i32, Element::f32});
    plan.demand(1, {Element::i64, Element::i32, Element::f32});
    const Array& depths = plan.need(1);
    if (depths.elements() != 1) plan.refuse("its depth is no single number");
    const double depth = depths.element == Element::i64   ? static_cast<double>(depths.as<std::int64_t>()[0])
                         : depths.element == Element::i32 ? static_cast<double>(depths.as<std::int32_t>()[0])
                                                          : static_cast<double>(depths.as<float>()[0]);
    if (!(depth >= 1 && depth <= (1 << 26))) plan.refuse("its depth is " + std::to_string(depth));
    if (plan.shape(2).elements() != 2) plan.refuse("it has not two values");
    const Shape& indices = plan.shape(0);
    if (indices.rank == max_rank) plan.refuse("its output would have more than 8 axes");
    const int at = plan.axis_of(along, indices.rank + 1);
    const auto count = static_cast<std::int64_t>(depth);
    Shape shape;
    for (int axis = 0; axis < at; axis++) shape.push(indices[axis]);
    shape.push(count);
    for (int axis = at; axis < indices.rank; axis++) shape.push(indices[axis]);
    plan.bound(Element::i64, shape);
    Shape spread = shape;  // the indices with an additional axis of 1
    spread[at] = 1;
    // index mod depth == place, for -depth <= index < depth; otherwise nowhere. Two comparisons suffice.
    Shape line;
    for (int axis = 0; axis < shape.rank; axis++) line.push(axis == at ? count : 1);
    std::vector<std::int64_t> places(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < places.size(); i++) places[i] = static_cast<std::int64_t>(i);
    std::vector<std::int64_t> negative(places);
    for (std::int64_t& place : negative) place -= count;
    const Operand where = plan.in_as(0, Element::i64);
    const Operand from_start = plan.constant(make_array(Element::i64, line, places.data()));
    const Operand from_end = plan.constant(make_array(Element::i64, line, negative.data()));
    const Operand values = plan.in(2);
    const Operand first = plan.scratch(Element::boolean, shape);
    const Operand second = plan.scratch(Element::boolean, shape);
    const Operand out = plan.out(0, plan.element(2), shape);
    const Broadcast compare = walk(shape, {spread, line});
    const Broadcast both = walk(shape, {shape, shape});
    const Broadcast choose = walk(shape, {shape, Shape{}, Shape{}});
    const Element element = plan.element(2);
    plan.step([=](const Call& call) {
      call.ops.binary(BinaryKind::equal, Element::i64, compare, call.at<void>(where), call.at<void>(from_start), call.at<void>(first));
      call.ops.binary(BinaryKind::equal, Element::i64, compare, call.at<void>(where), call.at<void>(from_end), call.at<void>(second));
      call.ops.binary(BinaryKind::logical_or, Element::boolean, both, call.at<void>(first), call.at<void>(second), call.at<void>(first));
      const auto* off = call.at<std::byte>(values);
      call.ops.select(choose, element, call.at<std::uint8_t>(first), off + call.ops.stored_bytes(element), off, call.at<void>(out));
    });
  };
}

}  // namespace

void add_indexing_operators(OperatorTable& table) {
  table.insert({{"Gather", make_gather}, {"GatherElements", make_gather_elements}, {"GatherND", make_gather_nd}, {"ScatterElements", make_scatter_elements},
                {"Scatter", make_scatter_elements}, {"ScatterND", make_scatter_nd}, {"OneHot", make_one_hot}});
}

}  // namespace lectern::onnx
