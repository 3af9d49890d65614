// Operators that scale by mean, deviation or sum.
#include "onnx/operator.h"
#include "onnx/operators/activation.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

Operator make_softmax_of(Attributes& a, bool logarithm) {
  const bool flattens = a.opset() < 13;
  const std::int64_t along = a.integer("axis", flattens ? 1 : -1);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    const Shape& x = plan.shape(0);
    const int at = plan.axis_of(along, x.rank);
    // Before opset 13 all axes from this one on were one.
    const Axis axis = flattens ? Axis{x.product(0, at), x.product(at, x.rank), 1} : NodePlan::along(x, at);
    const Operand in = plan.in(0);
    const Operand out = plan.out(0, Element::f32, x);
    plan.may_reuse(out, in);
    plan.step([=](const Call& call) { call.ops.softmax(axis, logarithm, call.at(in), call.at(out)); });
  };
}

Operator make_softmax(Attributes& a) { return make_softmax_of(a, false); }
Operator make_log_softmax(Attributes& a) { return make_softmax_of(a, true); }

/// Inputs from `first` on are vectors of one number for each channel.
void demand_vectors(NodePlan& plan, int first, int last, std::int64_t size) {
  for (int i = first; i <= last; i++) {
    plan.demand(i, {Element::f32});
    if (plan.shape(i).elements() != size) plan.refuse("its input " + std::to_string(i) + " " + plan.shape(i).text() + " has not " + std::to_string(size) + " numbers");
  }
}

Operator make_batch_normalisation(Attributes& a) {
  const float epsilon = a.number("epsilon", 1e-5F);
  a.ignore("momentum");
  if (a.flag("training_mode", false)) a.unsupported("training_mode");
  if (a.opset() < 7) a.ignore("is_test");
  if (a.opset() < 9 && !a.flag("spatial", true)) a.unsupported("spatial 0");
  const Unary activation = read_activation(a);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    const Shape& x = plan.shape(0);
    if (x.rank < 1) plan.refuse("its input is a single number");
    const Axis axis = x.rank == 1 ? Axis{x[0], 1, 1} : NodePlan::along(x, 1);
    demand_vectors(plan, 1, 4, axis.size);
    for (int output = 1; output < plan.outputs(); output++) {
      if (plan.wants(output)) plan.refuse("its outputs of training are not supported");
    }
    const Operand in = plan.in(0);
    const Operand scale = plan.in(1);
    const Operand bias = plan.in(2);
    const Operand mean = plan.in(3);
    const Operand variance = plan.in(4);
    const Operand out = plan.out(0, Element::f32, x);
    plan.may_reuse(out, in);
    plan.step([=](const Call& call) { call.ops.batch_normalise(axis, epsilon, call.at(scale), call.at(bias), call.at(mean), call.at(variance), activation, call.at(in), call.at(out)); });
  };
}

Operator make_layer_normalisation(Attributes& a) {
  const std::int64_t along = a.integer("axis", -1);
  const float epsilon = a.number("epsilon", 1e-5F);
  if (a.integer("stash_type", 1) != 1) a.unsupported("stash_type " + std::to_string(a.integer("stash_type", 1)));
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    const Shape& x = plan.shape(0);
    const int at = plan.axis_of(along, x.rank);
    const std::int64_t rows = x.product(0, at);
    const std::int64_t columns = x.product(at, x.rank);
    demand_vectors(plan, 1, plan.has(2) ? 2 : 1, columns);
    Shape statistics = x;
    for (int axis = at; axis < x.rank; axis++) statistics[axis] = 1;
    const Operand in = plan.in(0);
    const Operand scale = plan.in(1);
    const Operand bias = plan.has(2) ? plan.in(2) : Operand{};
    const Operand out = plan.out(0, Element::f32, x);
    const Operand mean = plan.wants(1) ? plan.out(1, Element::f32, statistics) : Operand{};
    const Operand inverse_deviation = plan.wants(2) ? plan.out(2, Element::f32, statistics) : Operand{};
    plan.may_reuse(out, in);
    plan.step([=](const Call& call) { call.ops.layer_normalise(rows, columns, epsilon, call.at(scale), call.at(bias), call.at(in), call.at(out), call.at(mean), call.at(inverse_deviation)); });
  };
}

/// A layer norm that fusion found as means and differences. There a scale and a bias of several numbers also fit rows of one element, each of which is broadcast to a row.
Operator make_found_layer_normalisation(Attributes& a) {
  const float epsilon = a.number("epsilon", 1e-5F);
  return [epsilon, usual = make_layer_normalisation(a)](NodePlan& plan) {
    const Shape x = plan.shape(0);
    const Shape vector = plan.shape(1);
    if (x.rank == 0 || x[x.rank - 1] != 1 || vector.elements() == 1) return usual(plan);
    plan.demand(0, {Element::f32});
    const Shape wide = broadcast_shape(plan, x, vector);
    const Broadcast rows = walk(wide, {x, vector});
    const Broadcast same = walk(wide, {wide, vector});
    const float number = 1;
    const Operand one = plan.constant(make_array(Element::f32, Shape{1}, &number));
    const Operand in = plan.in(0);
    const Operand scale = plan.in(1);
    const Operand bias = plan.in(2);
    const Operand normal = plan.scratch(Element::f32, x);
    const Operand out = plan.out(0, Element::f32, wide);
    plan.step([=](const Call& call) {
      call.ops.layer_normalise(x.elements(), 1, epsilon, call.at(one), nullptr, call.at(in), call.at(normal), nullptr, nullptr);
      call.ops.binary(BinaryKind::multiply, Element::f32, rows, call.at(normal), call.at(scale), call.at(out));
      call.ops.binary(BinaryKind::add, Element::f32, same, call.at(out), call.at(bias), call.at(out));
    });
  };
}

/// groups 0: each channel by itself, as in instance normalisation.
Operator make_groups(std::int64_t groups, float epsilon) {
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    const Shape& x = plan.shape(0);
    if (x.rank < 2) plan.refuse("its input " + x.text() + " has no channels");
    const Axis axis = NodePlan::along(x, 1);
    const std::int64_t count = groups == 0 ? axis.size : groups;
    if (count == 0 || axis.size % count != 0) plan.refuse("its " + std::to_string(axis.size) + " channels do not come apart in " + std::to_string(count) + " groups");
    demand_vectors(plan, 1, 2, axis.size);
    const Operand in = plan.in(0);
    const Operand scale = plan.in(1);
    const Operand bias = plan.in(2);
    const Operand out = plan.out(0, Element::f32, x);
    plan.may_reuse(out, in);
    plan.step([=](const Call& call) { call.ops.group_normalise(axis, count, epsilon, call.at(scale), call.at(bias), call.at(in), call.at(out)); });
  };
}

Operator make_instance_normalisation(Attributes& a) { return make_groups(0, a.number("epsilon", 1e-5F)); }

/// Before opset 21 scale and bias had one value per group, which no exporter writes.
Operator make_group_normalisation(Attributes& a) {
  const std::int64_t groups = a.integer("num_groups", 0);
  if (groups < 1) a.unsupported("num_groups " + std::to_string(groups));
  if (a.integer("stash_type", 1) != 1) a.unsupported("another stash_type than 1");
  if (a.opset() < 21) a.unsupported("the form of opset " + std::to_string(a.opset()) + ", with scales of groups");
  return make_groups(groups, a.number("epsilon", 1e-5F));
}

}  // namespace

void add_normalisation_operators(OperatorTable& table) {
  table.insert({{"Softmax", make_softmax}, {"LogSoftmax", make_log_softmax}, {"BatchNormalization", make_batch_normalisation},
                {"lectern.BatchNormalization", make_batch_normalisation}, {"LayerNormalization", make_layer_normalisation},
                {"lectern.LayerNormalization", make_found_layer_normalisation}, {"InstanceNormalization", make_instance_normalisation},
                {"GroupNormalization", make_group_normalisation}});
}

}  // namespace lectern::onnx
