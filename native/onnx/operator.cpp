#include "onnx/operator.h"

#include "error.h"

namespace lectern::onnx {
namespace {

const OperatorTable& operators() {
  static const OperatorTable table = [] {
    OperatorTable made;
    add_constant_operators(made);
    add_convolution_operators(made);
    add_elementwise_operators(made);
    add_indexing_operators(made);
    add_layout_operators(made);
    add_matrix_operators(made);
    add_normalisation_operators(made);
    add_quantisation_operators(made);
    add_recurrent_operators(made);
    add_reduction_operators(made);
    add_resize_operators(made);
    add_selection_operators(made);
    add_spreading_operators(made);
    return made;
  }();
  return table;
}

}  // namespace

bool is_control(const Node& node) { return node.domain.empty() && (node.op == "Loop" || node.op == "If"); }

Operator make_operator(const Node& node, std::int64_t opset) {
  const std::string name = node.domain.empty() ? node.op : node.domain + "." + node.op;
  const auto entry = operators().find(name);
  if (entry == operators().end()) {
    throw Error(ErrorCode::invalid_model, "The network's " + title_of(node) + " is of an operator that is not supported (opset " + std::to_string(opset) + ").");
  }
  Attributes attributes(node, opset);
  Operator made = entry->second(attributes);
  attributes.refuse_unread();
  return made;
}

void NodePlan::demand(int input, std::initializer_list<Element> elements) const {
  if (!has(input)) refuse("input " + std::to_string(input) + " is missing");
  for (const Element allowed : elements) {
    if (element(input) == allowed) return;
  }
  refuse("input " + std::to_string(input) + " of type " + std::string(name_of(element(input))) + " is not supported");
}

std::vector<std::int64_t> NodePlan::need_integers(int input) const {
  demand(input, {Element::i64, Element::i32});
  if (shape(input).rank > 1) refuse("input " + std::to_string(input) + " has more than one axis");
  const Array& array = need(input);
  if (array.element == Element::i64) return {array.as<std::int64_t>().begin(), array.as<std::int64_t>().end()};
  return {array.as<std::int32_t>().begin(), array.as<std::int32_t>().end()};
}

std::int64_t NodePlan::need_integer(int input) const {
  const std::vector<std::int64_t> integers = need_integers(input);
  if (integers.size() != 1) refuse("input " + std::to_string(input) + " is no single number");
  return integers.front();
}

Operand NodePlan::in_as(int input, Element wanted) {
  const Operand from = in(input);
  const Element is = element(input);
  if (is == wanted) return from;
  const Operand to = scratch(wanted, shape(input));
  const std::int64_t count = shape(input).elements();
  step([=](const Call& call) { call.ops.cast(is, wanted, count, call.at<void>(from), call.at<void>(to)); });
  return to;
}

int NodePlan::axis_of(std::int64_t axis, int rank) const {
  if (axis < -rank || axis >= rank) refuse("the axis " + std::to_string(axis) + " is outside of a tensor of " + std::to_string(rank) + " axes");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace lectern::onnx
