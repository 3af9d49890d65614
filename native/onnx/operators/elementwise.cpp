// Operators that work element by element.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "onnx/operator.h"
#include "onnx/operators/activation.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

constexpr std::initializer_list<Element> floats = {Element::f32, Element::f64};
constexpr std::initializer_list<Element> numbers = {Element::f32, Element::f64, Element::i64, Element::i32, Element::i8, Element::u8};
constexpr std::initializer_list<Element> anything = {Element::f32, Element::f16, Element::f64, Element::i64, Element::i32, Element::i8, Element::u8, Element::boolean};

/// The output has at least `rank` axes.
void plan_unary(NodePlan& plan, Unary op, std::initializer_list<Element> elements, int rank = 0) {
  plan.demand(0, elements);
  const Element element = plan.element(0);
  const Operand in = plan.in(0);
  Shape shape;
  for (int axis = plan.shape(0).rank; axis < rank; axis++) shape.push(1);
  for (int axis = 0; axis < plan.shape(0).rank; axis++) shape.push(plan.shape(0)[axis]);
  const Operand out = plan.out(0, element, shape);
  const std::int64_t count = plan.shape(0).elements();
  plan.may_reuse(out, in);
  plan.step([=](const Call& call) { call.ops.unary(op, element, count, call.at<void>(in), call.at<void>(out)); });
}

template <UnaryKind kind>
Operator make_float(Attributes&) {
  return [](NodePlan& plan) { plan_unary(plan, {kind, 1}, floats); };
}

template <UnaryKind kind>
Operator make_number(Attributes&) {
  return [](NodePlan& plan) { plan_unary(plan, {kind}, {Element::f32, Element::f64, Element::i64, Element::i32, Element::i8}); };
}

Operator make_not(Attributes&) {
  return [](NodePlan& plan) { plan_unary(plan, {UnaryKind::logical_not}, {Element::boolean}); };
}

Operator of_floats(Unary op) {
  return [op](NodePlan& plan) { plan_unary(plan, op, floats); };
}

/// A fused function, or a fused sum or product with a number. A constant of one axis gives a single number one axis.
Operator make_function(Attributes& a) {
  const Unary op = read_activation(a);
  const std::int64_t rank = a.integer("rank", 0);
  return [=](NodePlan& plan) {
    plan_unary(plan, op, floats, static_cast<int>(rank));
  };
}

Operator make_hard_swish(Attributes&) { return of_floats({UnaryKind::hard_swish, 1.0F / 6, 0.5F}); }
Operator make_leaky_relu(Attributes& a) { return of_floats({UnaryKind::leaky_relu, a.number("alpha", 0.01F)}); }
Operator make_elu(Attributes& a) { return of_floats({UnaryKind::elu, a.number("alpha", 1.0F)}); }
Operator make_hard_sigmoid(Attributes& a) { return of_floats({UnaryKind::hard_sigmoid, a.number("alpha", 0.2F), a.number("beta", 0.5F)}); }
Operator make_silu(Attributes& a) { return of_floats({UnaryKind::silu, a.number("alpha", 1.0F)}); }
Operator make_gelu(Attributes& a) {
  const std::string approximate = a.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") a.unsupported("approximate " + approximate);
  return of_floats({approximate == "tanh" ? UnaryKind::gelu_tanh : UnaryKind::gelu});
}

/// out = kind(in(a), in(b)), both of `element`; `seen_b`: the shape in which b is broadcast, if it differs from its own.
void plan_binary(NodePlan& plan, BinaryKind kind, Element element, Element result, int a = 0, int b = 1, const std::optional<Shape>& seen_b = std::nullopt) {
  const Shape of_b = seen_b.value_or(plan.shape(b));
  const Shape shape = broadcast_shape(plan, plan.shape(a), of_b);
  const Operand left = plan.in_as(a, element);
  const Operand right = plan.in_as(b, element);
  const Operand out = plan.out(0, result, shape);
  const Broadcast broadcast = walk(shape, {plan.shape(a), of_b});
  if (bytes_of(element) == bytes_of(result)) {
    if (plan.shape(a) == shape) plan.may_reuse(out, left);
    if (of_b == shape) plan.may_reuse(out, right);
  }
  plan.step([=](const Call& call) { call.ops.binary(kind, element, broadcast, call.at<void>(left), call.at<void>(right), call.at<void>(out)); });
}

void demand_one_type(NodePlan& plan, int a, int b) {
  if (plan.element(a) != plan.element(b)) plan.refuse("its inputs are of different types");
}

/// Opset 6 had an attribute and an axis for broadcasting, which is implicit since 7. The axis is not supported.
void take_old_broadcast(Attributes& a) {
  if (a.opset() >= 7) return;
  a.ignore("broadcast");
  if (a.has("axis")) a.unsupported("broadcasting along an axis");
}

template <BinaryKind kind>
Operator make_arithmetic(Attributes& a) {
  take_old_broadcast(a);
  return [](NodePlan& plan) {
    plan.demand(0, numbers);
    plan.demand(1, numbers);
    demand_one_type(plan, 0, 1);
    plan_binary(plan, kind, plan.element(0), plan.element(0));
  };
}

template <BinaryKind kind, bool turned>
Operator make_comparison(Attributes& a) {
  take_old_broadcast(a);
  return [](NodePlan& plan) {
    if (kind != BinaryKind::equal || !plan.has(0) || plan.element(0) != Element::boolean) plan.demand(0, numbers);
    plan.demand(1, {plan.element(0)});
    plan_binary(plan, kind, plan.element(0), Element::boolean, turned ? 1 : 0, turned ? 0 : 1);
  };
}

template <BinaryKind kind>
Operator make_logical(Attributes& a) {
  take_old_broadcast(a);
  return [](NodePlan& plan) {
    plan.demand(0, {Element::boolean});
    plan.demand(1, {Element::boolean});
    plan_binary(plan, kind, Element::boolean, Element::boolean);
  };
}

Operator make_mod(Attributes& a) {
  const BinaryKind kind = a.flag("fmod", false) ? BinaryKind::remainder : BinaryKind::modulo;
  return [kind](NodePlan& plan) {
    plan.demand(0, numbers);
    plan.demand(1, numbers);
    demand_one_type(plan, 0, 1);
    plan_binary(plan, kind, plan.element(0), plan.element(0));
  };
}

/// The result has the base's type. With an exponent of another type it is computed in floats (f64 if integers are large).
Operator make_pow(Attributes& a) {
  take_old_broadcast(a);
  return [](NodePlan& plan) {
    plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32});
    plan.demand(1, numbers);
    const Element base = plan.element(0);
    if (is_float(base) || plan.element(1) == base) return plan_binary(plan, BinaryKind::power, base, base);
    const Shape shape = broadcast_shape(plan, plan.shape(0), plan.shape(1));
    const Operand left = plan.in_as(0, Element::f64);
    const Operand right = plan.in_as(1, Element::f64);
    const Operand wide = plan.scratch(Element::f64, shape);
    const Operand out = plan.out(0, base, shape);
    const Broadcast broadcast = walk(shape, {plan.shape(0), plan.shape(1)});
    plan.step([=](const Call& call) {
      call.ops.binary(BinaryKind::power, Element::f64, broadcast, call.at<void>(left), call.at<void>(right), call.at<void>(wide));
      call.ops.cast(Element::f64, base, shape.elements(), call.at<void>(wide), call.at<void>(out));
    });
  };
}

/// Folds any number of inputs; the mean divides at the end.
Operator make_variadic(BinaryKind kind, bool mean) {
  return [=](NodePlan& plan) {
    if (plan.inputs() == 0) plan.refuse("it has no inputs");
    plan.demand(0, numbers);
    const Element element = plan.element(0);
    Shape shape = plan.shape(0);
    for (int i = 1; i < plan.inputs(); i++) {
      plan.demand(i, {element});
      shape = broadcast_shape(plan, shape, plan.shape(i));
    }
    if (mean && !is_float(element)) plan.refuse("the mean of integers is not supported");
    const Operand out = plan.out(0, element, shape);
    std::vector<Operand> operands;
    std::vector<Broadcast> walks;
    for (int i = 0; i < plan.inputs(); i++) {
      operands.push_back(plan.in(i));
      walks.push_back(walk(shape, {shape, plan.shape(i)}));
    }
    const Move spread = [&] {
      Move move;
      const Broadcast first = walk(shape, {shape, plan.shape(0)});
      move.shape = first.shape;
      move.out_strides = first.strides[0];
      move.in_strides = first.strides[1];
      return move;
    }();
    const Unary divide{UnaryKind::identity, 0, 0, 1.0F / static_cast<float>(plan.inputs()), 0};
    const std::int64_t count = shape.elements();
    plan.step([=](const Call& call) {
      void* to = call.at<void>(out);
      call.ops.move(spread, element, call.at<void>(operands[0]), to);
      for (std::size_t i = 1; i < operands.size(); i++) call.ops.binary(kind, element, walks[i], to, call.at<void>(operands[i]), to);
      if (mean) call.ops.unary(divide, element, count, to, to);
    });
  };
}

template <BinaryKind kind, bool mean>
Operator make_variadic_of(Attributes&) {
  return make_variadic(kind, mean);
}

/// If the limits are known, a function of one number; otherwise a maximum and a minimum.
Operator make_clip(Attributes& a) {
  if (a.opset() < 11) {
    return of_floats({UnaryKind::clip, a.number("min", std::numeric_limits<float>::lowest()), a.number("max", std::numeric_limits<float>::max())});
  }
  return [](NodePlan& plan) {
    plan.demand(0, numbers);
    const Element element = plan.element(0);
    for (const int limit : {1, 2}) {
      if (!plan.has(limit)) continue;
      plan.demand(limit, {element});
      if (plan.shape(limit).elements() != 1) plan.refuse("a limit is no single number");
    }
    const bool known = element == Element::f32 && (!plan.has(1) || plan.known(1) != nullptr) && (!plan.has(2) || plan.known(2) != nullptr);
    if (known) {
      constexpr float infinity = std::numeric_limits<float>::infinity();
      return plan_unary(plan, {UnaryKind::clip, plan.has(1) ? plan.known(1)->as<float>()[0] : -infinity, plan.has(2) ? plan.known(2)->as<float>()[0] : infinity}, floats);
    }
    const Operand in = plan.in(0);
    const Operand low = plan.has(1) ? plan.in(1) : Operand{};
    const Operand high = plan.has(2) ? plan.in(2) : Operand{};
    const Operand out = plan.out(0, element, plan.shape(0));
    const Broadcast each = walk(plan.shape(0), {plan.shape(0), Shape{}});
    const std::int64_t count = plan.shape(0).elements();
    plan.step([=](const Call& call) {
      void* to = call.at<void>(out);
      const void* from = call.at<void>(in);
      if (low.slot >= 0) {
        call.ops.binary(BinaryKind::maximum, element, each, from, call.at<void>(low), to);
        from = to;
      }
      if (high.slot >= 0) {
        call.ops.binary(BinaryKind::minimum, element, each, from, call.at<void>(high), to);
      } else if (low.slot < 0) {
        call.ops.cast(element, element, count, from, to);
      }
    });
  };
}

Operator make_prelu(Attributes& a) {
  // Before opset 7 slopes belonged to channels; since then they are broadcast like numbers.
  const bool of_channels = a.opset() < 7;
  return [of_channels](NodePlan& plan) {
    plan.demand(0, {Element::f32, Element::f64, Element::i64, Element::i32});
    plan.demand(1, {plan.element(0)});
    const Shape& x = plan.shape(0);
    Shape slope = plan.shape(1);
    if (of_channels && slope.rank == 1 && x.rank > 1 && slope[0] == x[1]) {
      for (int axis = 2; axis < x.rank; axis++) slope.push(1);
    }
    if (broadcast_shape(plan, x, slope) != x) plan.refuse("the slope " + plan.shape(1).text() + " does not fit " + x.text());
    plan_binary(plan, BinaryKind::prelu, plan.element(0), plan.element(0), 0, 1, slope);
  };
}

Operator make_where(Attributes&) {
  return [](NodePlan& plan) {
    plan.demand(0, {Element::boolean});
    plan.demand(1, anything);
    plan.demand(2, {plan.element(1)});
    const Element element = plan.element(1);
    const Shape shape = broadcast_shape(plan, broadcast_shape(plan, plan.shape(0), plan.shape(1)), plan.shape(2));
    const Operand condition = plan.in(0);
    const Operand a = plan.in(1);
    const Operand b = plan.in(2);
    const Operand out = plan.out(0, element, shape);
    const Broadcast broadcast = walk(shape, {plan.shape(0), plan.shape(1), plan.shape(2)});
    plan.step([=](const Call& call) { call.ops.select(broadcast, element, call.at<std::uint8_t>(condition), call.at<void>(a), call.at<void>(b), call.at<void>(out)); });
  };
}

/// NaN is the value that does not equal itself.
Operator make_is_nan(Attributes&) {
  return [](NodePlan& plan) {
    plan.demand(0, floats);
    const Element element = plan.element(0);
    const Operand in = plan.in(0);
    const Operand out = plan.out(0, Element::boolean, plan.shape(0));
    const Broadcast each = walk(plan.shape(0), {plan.shape(0), plan.shape(0)});
    const std::int64_t count = plan.shape(0).elements();
    plan.step([=](const Call& call) {
      call.ops.binary(BinaryKind::equal, element, each, call.at<void>(in), call.at<void>(in), call.at<void>(out));
      call.ops.unary({UnaryKind::logical_not}, Element::boolean, count, call.at<void>(out), call.at<void>(out));
    });
  };
}

}  // namespace

void add_elementwise_operators(OperatorTable& table) {
  table.insert({
      {"Abs", make_number<UnaryKind::absolute>}, {"Neg", make_number<UnaryKind::negate>}, {"Sign", make_number<UnaryKind::sign>},
      {"Exp", make_float<UnaryKind::exp>}, {"Log", make_float<UnaryKind::log>}, {"Sqrt", make_float<UnaryKind::sqrt>},
      {"Reciprocal", make_float<UnaryKind::reciprocal>}, {"Floor", make_float<UnaryKind::floor>}, {"Ceil", make_float<UnaryKind::ceil>},
      {"Round", make_float<UnaryKind::round>}, {"Sin", make_float<UnaryKind::sin>}, {"Cos", make_float<UnaryKind::cos>},
      {"Erf", make_float<UnaryKind::erf>}, {"Sigmoid", make_float<UnaryKind::sigmoid>}, {"Tanh", make_float<UnaryKind::tanh>},
      {"Relu", make_number<UnaryKind::relu>}, {"HardSwish", make_hard_swish}, {"lectern.Unary", make_function}, {"Softplus", make_float<UnaryKind::softplus>},
      {"Softsign", make_float<UnaryKind::softsign>}, {"Mish", make_float<UnaryKind::mish>}, {"Not", make_not},
      {"LeakyRelu", make_leaky_relu}, {"Elu", make_elu}, {"HardSigmoid", make_hard_sigmoid}, {"Gelu", make_gelu}, {"Swish", make_silu},
      {"Add", make_arithmetic<BinaryKind::add>}, {"Sub", make_arithmetic<BinaryKind::subtract>}, {"Mul", make_arithmetic<BinaryKind::multiply>},
      {"Div", make_arithmetic<BinaryKind::divide>}, {"Mod", make_mod}, {"Pow", make_pow}, {"PRelu", make_prelu},
      {"Equal", make_comparison<BinaryKind::equal, false>}, {"Less", make_comparison<BinaryKind::less, false>},
      {"Greater", make_comparison<BinaryKind::less, true>}, {"LessOrEqual", make_comparison<BinaryKind::less_or_equal, false>},
      {"GreaterOrEqual", make_comparison<BinaryKind::less_or_equal, true>},
      {"And", make_logical<BinaryKind::logical_and>}, {"Or", make_logical<BinaryKind::logical_or>}, {"Xor", make_logical<BinaryKind::logical_xor>},
      {"Sum", make_variadic_of<BinaryKind::add, false>}, {"Mean", make_variadic_of<BinaryKind::add, true>},
      {"Max", make_variadic_of<BinaryKind::maximum, false>}, {"Min", make_variadic_of<BinaryKind::minimum, false>},
      {"Clip", make_clip}, {"Where", make_where}, {"IsNaN", make_is_nan},
  });
}

}  // namespace lectern::onnx
