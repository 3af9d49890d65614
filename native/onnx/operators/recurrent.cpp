// LSTM and GRU.
#include <cmath>

#include "onnx/operator.h"

namespace lectern::onnx {
namespace {

Unary function_of(Attributes& a, const std::string& name, float alpha, float beta) {
  const auto is = [&](const char* other) {
    // Names are case-insensitive.
    std::string lower;
    for (const char letter : name) lower += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    return lower == other;
  };
  const auto with = [](float given, float otherwise) { return std::isnan(given) ? otherwise : given; };
  if (is("sigmoid")) return {UnaryKind::sigmoid};
  if (is("tanh")) return {UnaryKind::tanh};
  if (is("relu")) return {UnaryKind::relu};
  if (is("leakyrelu")) return {UnaryKind::leaky_relu, with(alpha, 0.01F)};
  if (is("elu")) return {UnaryKind::elu, with(alpha, 1)};
  if (is("hardsigmoid")) return {UnaryKind::hard_sigmoid, with(alpha, 0.2F), with(beta, 0.5F)};
  if (is("softplus")) return {UnaryKind::softplus};
  if (is("softsign")) return {UnaryKind::softsign};
  if (is("affine")) return {UnaryKind::identity, 0, 0, with(alpha, 1), with(beta, 0)};
  a.unsupported("the activation " + name);
}

void read_activations(Attributes& a, Recurrent& recurrent) {
  const std::vector<std::string> names = a.texts("activations");
  const std::vector<float> alphas = a.numbers("activation_alpha");
  const std::vector<float> betas = a.numbers("activation_beta");
  const std::size_t each = recurrent.gru ? 2 : 3;
  const std::size_t count = each * static_cast<std::size_t>(recurrent.directions);
  if (!names.empty() && names.size() != count) a.unsupported(std::to_string(names.size()) + " activations");
  const char* const usual[] = {"Sigmoid", "Tanh", "Tanh"};
  for (std::size_t i = 0; i < count; i++) {
    const std::string name = names.empty() ? usual[i % each] : names[i];
    recurrent.activations[i / each * 3 + i % each] = function_of(a, name, i < alphas.size() ? alphas[i] : NAN, i < betas.size() ? betas[i] : NAN);
  }
}

Operator make_recurrent(Attributes& a, bool gru) {
  Recurrent settled{};
  settled.gru = gru;
  const std::string direction = a.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") a.unsupported("direction " + direction);
  settled.directions = direction == "bidirectional" ? 2 : 1;
  settled.reverse = direction == "reverse";
  settled.clip = a.number("clip", 0);
  if (!(settled.clip >= 0)) a.unsupported("a clip below 0");
  settled.hidden = a.integer("hidden_size", 0);
  if (gru) settled.linear_before_reset = a.flag("linear_before_reset", false);
  else settled.input_forget = a.flag("input_forget", false);
  if (a.integer("layout", 0) != 0) a.unsupported("layout " + std::to_string(a.integer("layout", 0)));
  if (a.opset() < 7) a.ignore("output_sequence");
  read_activations(a, settled);
  return [=](NodePlan& plan) {
    for (const int input : {0, 1, 2}) plan.demand(input, {Element::f32});
    Recurrent r = settled;
    const Shape& x = plan.shape(0);
    const Shape& recurrence = plan.shape(2);
    const std::int64_t gates = gru ? 3 : 4;
    if (x.rank != 3 || plan.shape(1).rank != 3 || recurrence.rank != 3) plan.refuse("its inputs have not three axes");
    r.steps = x[0];
    r.batch = x[1];
    r.inputs = x[2];
    if (r.hidden == 0) r.hidden = recurrence[2];
    if (r.hidden < 1 || r.hidden > (1 << 24)) plan.refuse("its hidden size is " + std::to_string(r.hidden));
    const auto expect = [&](int input, const Shape& shape) {
      if (!plan.has(input)) return;
      plan.demand(input, {Element::f32});
      if (plan.shape(input) != shape) plan.refuse("its input " + std::to_string(input) + " is of shape " + plan.shape(input).text() + ", not " + shape.text());
    };
    const Shape state{r.directions, r.batch, r.hidden};
    expect(1, Shape{r.directions, gates * r.hidden, r.inputs});
    expect(2, Shape{r.directions, gates * r.hidden, r.hidden});
    expect(3, Shape{r.directions, 2 * gates * r.hidden});
    expect(5, state);
    if (!gru) {
      expect(6, state);
      expect(7, Shape{r.directions, 3 * r.hidden});
    }
    if (plan.has(4)) {
      plan.demand(4, {Element::i32});
      if (plan.shape(4) != Shape{r.batch}) plan.refuse("its lengths do not fit its batch");
    }
    const auto operand = [&](int input) { return plan.has(input) ? plan.in(input) : Operand{}; };
    const std::array<Operand, 8> in = {plan.in(0), plan.in(1), plan.in(2), operand(3), operand(4), operand(5), gru ? Operand{} : operand(6), gru ? Operand{} : operand(7)};
    const Operand y = plan.wants(0) ? plan.out(0, Element::f32, Shape{r.steps, r.directions, r.batch, r.hidden}) : Operand{};
    const Operand last_hidden = plan.wants(1) ? plan.out(1, Element::f32, state) : Operand{};
    const Operand last_cell = !gru && plan.wants(2) ? plan.out(2, Element::f32, state) : Operand{};
    // The contributions of the inputs to all steps at once; the memory counts like that of every tensor.
    const Operand sums = gru ? Operand{} : plan.scratch(Element::f32, Shape{r.directions, r.steps, r.batch, gates * r.hidden});
    const void* packed = plan.packed_recurrent(r);
    plan.step([=](const Call& call) {
      call.ops.recur(r, {call.at(in[0]), call.at(in[1]), call.at(in[2]), call.at(in[3]), call.at(in[5]), call.at(in[6]), call.at(in[7]), call.at<std::int32_t>(in[4]), call.at(y),
                         call.at(last_hidden), call.at(last_cell), packed, call.at(sums), call.cancel});
    });
  };
}

Operator make_lstm(Attributes& a) { return make_recurrent(a, false); }
Operator make_gru(Attributes& a) { return make_recurrent(a, true); }

}  // namespace

void add_recurrent_operators(OperatorTable& table) { table.insert({{"LSTM", make_lstm}, {"GRU", make_gru}}); }

}  // namespace lectern::onnx
