// Operators that make tensors from attributes and shapes, change types, or pass tensors on.
#include <algorithm>
#include <cmath>

#include "onnx/operator.h"
#include "onnx/operators/walks.h"
#include "onnx/tensor_reader.h"
#include "onnx/wire.h"

namespace lectern::onnx {
namespace {

Operator make_constant(Attributes& a) {
  Array array;
  if (const Array* value = a.array("value")) array = *value;
  else if (a.has("value_float")) array = make_scalar(a.number("value_float", 0));
  else if (a.has("value_int")) array = make_scalar(a.integer("value_int", 0));
  else if (a.has("value_floats")) {
    const std::vector<float> list = a.numbers("value_floats");
    array = make_array(Element::f32, Shape{static_cast<std::int64_t>(list.size())}, list.data());
  } else if (a.has("value_ints")) array = make_array(a.integers("value_ints"));
  else a.unsupported("a constant that is no tensor of numbers");
  return [array](NodePlan& plan) { plan.result(0, array); };
}

Operator make_constant_of_shape(Attributes& a) {
  const Array* value = a.array("value");
  const Array fill = value != nullptr ? *value : make_scalar(0.0F);
  if (fill.elements() != 1) a.unsupported("a value of more than one element");
  return [fill](NodePlan& plan) {
    Shape shape;
    for (const std::int64_t size : plan.need_integers(0)) {
      if (shape.rank == max_rank) plan.refuse("its output would have more than 8 axes");
      shape.push(size);
    }
    const Operand out = plan.out(0, fill.element, shape);
    plan.step([=](const Call& call) { call.ops.fill(shape.elements(), fill.element, fill.data(), call.at<void>(out)); });
  };
}

Operator make_shape(Attributes& a) {
  const std::int64_t start = a.integer("start", 0);
  const std::int64_t end = a.integer("end", max_rank);
  return [=](NodePlan& plan) {
    const Shape& shape = plan.shape(0);
    const auto place = [&](std::int64_t axis) { return std::clamp<std::int64_t>(axis < 0 ? axis + shape.rank : axis, 0, shape.rank); };
    std::vector<std::int64_t> sizes;
    for (std::int64_t axis = place(start); axis < place(end); axis++) sizes.push_back(shape[static_cast<int>(axis)]);
    plan.result(0, make_array(sizes));
  };
}

Operator make_size(Attributes&) {
  return [](NodePlan& plan) { plan.result(0, make_scalar(plan.shape(0).elements())); };
}

template <class T>
void plan_range(NodePlan& plan, Element element) {
  const T start = plan.need(0).as<T>()[0];
  const T limit = plan.need(1).as<T>()[0];
  const T delta = plan.need(2).as<T>()[0];
  const double steps = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
  constexpr double most = 1 << 26;
  if (!(steps <= most)) plan.refuse("its range has no end, or more than " + std::to_string(1 << 26) + " numbers");
  const auto count = static_cast<std::int64_t>(std::max(steps, 0.0));
  plan.bound(element, Shape{count});
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; i++) {
    // Wraps instead of overflowing.
    if constexpr (std::is_integral_v<T>) values.push_back(static_cast<T>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(delta)));
    else values.push_back(static_cast<T>(start + static_cast<T>(i) * delta));
  }
  plan.result(0, make_array(element, Shape{count}, values.data()));
}

Operator make_range(Attributes&) {
  return [](NodePlan& plan) {
    plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32});
    const Element element = plan.element(0);
    for (const int input : {0, 1, 2}) {
      plan.demand(input, {element});
      if (plan.shape(input).elements() != 1) plan.refuse("its limits are no single numbers");
    }
    switch (element) {
      case Element::f32: return plan_range<float>(plan, element);
      case Element::f64: return plan_range<double>(plan, element);
      case Element::i64: return plan_range<std::int64_t>(plan, element);
      default: return plan_range<std::int32_t>(plan, element);
    }
  };
}

void plan_cast(NodePlan& plan, Element to) {
  const Element from = plan.element(0);
  if (from == to) return plan.same(0, 0, plan.shape(0));
  const auto wide = [](Element element) { return element == Element::f32 || element == Element::f64; };
  if ((from == Element::f16 && !wide(to)) || (to == Element::f16 && !wide(from))) {
    plan.refuse("a cast from " + std::string(name_of(from)) + " to " + std::string(name_of(to)) + " is not supported");
  }
  const Operand in = plan.in(0);
  const Operand out = plan.out(0, to, plan.shape(0));
  const std::int64_t count = plan.shape(0).elements();
  plan.step([=](const Call& call) { call.ops.cast(from, to, count, call.at<void>(in), call.at<void>(out)); });
}

Operator make_cast(Attributes& a) {
  a.ignore("saturate");    // for 8-bit floats, which are refused
  a.ignore("round_mode");  // also for 8-bit floats
  const std::int64_t type = a.integer("to", 0);
  const Element* to = find_element(type);
  if (to == nullptr) a.unsupported("a cast to the type " + std::to_string(type));
  return [to = *to](NodePlan& plan) { plan_cast(plan, to); };
}

Operator make_cast_like(Attributes& a) {
  a.ignore("saturate");
  a.ignore("round_mode");
  return [](NodePlan& plan) { plan_cast(plan, plan.element(1)); };
}

Operator make_identity(Attributes&) {
  return [](NodePlan& plan) { plan.same(0, 0, plan.shape(0)); };
}

/// Passes its input on at inference; the mask is all ones.
Operator make_dropout(Attributes& a) {
  a.ignore("ratio");
  a.ignore("seed");
  return [](NodePlan& plan) {
    if (plan.has(2)) {
      plan.demand(2, {Element::boolean});
      const Array& training = plan.need(2);
      if (training.elements() != 1) plan.refuse("its training mode is no single truth value");
      // A ratio of 0 drops nothing, also in training mode.
      const bool drops = training.as<std::uint8_t>()[0] != 0 && !(plan.has(1) && plan.element(1) == Element::f32 && plan.need(1).elements() == 1 && plan.need(1).as<float>()[0] == 0);
      if (drops) plan.refuse("dropping at random, as in training, is not supported");
    }
    plan.same(0, 0, plan.shape(0));
    if (!plan.wants(1)) return;
    const std::int64_t count = plan.shape(0).elements();
    const Operand mask = plan.out(1, Element::boolean, plan.shape(0));
    plan.step([=](const Call& call) {
      const std::byte one{1};
      call.ops.fill(count, Element::boolean, &one, call.at<void>(mask));
    });
  };
}

}  // namespace

void add_constant_operators(OperatorTable& table) {
  table.insert({{"Constant", make_constant}, {"ConstantOfShape", make_constant_of_shape}, {"Shape", make_shape}, {"Size", make_size}, {"Range", make_range},
                {"Cast", make_cast}, {"CastLike", make_cast_like}, {"Identity", make_identity}, {"Dropout", make_dropout}});
}

}  // namespace lectern::onnx
