#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "onnx/fusion/rewriter.h"
#include "onnx/operators/activation.h"

namespace lectern::onnx {
namespace {

/// A node as a function of one of its inputs.
struct Function {
  ValueId x;
  Unary op;
  std::int64_t rank = 0;  // of its constant
};

float attribute_of(const Node& node, const char* name, float otherwise) {
  const Attribute* attribute = node.find(name);
  const float* value = attribute == nullptr ? nullptr : std::get_if<float>(&attribute->value);
  return value == nullptr ? otherwise : *value;
}

std::optional<Unary> named_function(const Node& node) {
  if (node.op == "Relu") return Unary{UnaryKind::relu};
  if (node.op == "Sigmoid") return Unary{UnaryKind::sigmoid};
  if (node.op == "Tanh") return Unary{UnaryKind::tanh};
  if (node.op == "Erf") return Unary{UnaryKind::erf, 1};
  if (node.op == "HardSwish") return Unary{UnaryKind::hard_swish, 1.0F / 6, 0.5F};
  if (node.op == "HardSigmoid") return Unary{UnaryKind::hard_sigmoid, attribute_of(node, "alpha", 0.2F), attribute_of(node, "beta", 0.5F)};
  if (node.op == "LeakyRelu") return Unary{UnaryKind::leaky_relu, attribute_of(node, "alpha", 0.01F)};
  if (node.op == "Elu") return Unary{UnaryKind::elu, attribute_of(node, "alpha", 1)};
  if (node.op == "Softplus") return Unary{UnaryKind::softplus};
  if (node.op == "Mish") return Unary{UnaryKind::mish};
  return std::nullopt;
}

std::optional<Function> clip_of(Rewriter& rewriter, const Node& node) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Unary op{UnaryKind::clip, attribute_of(node, "min", -infinity), attribute_of(node, "max", infinity)};
  for (const std::size_t limit : {std::size_t{1}, std::size_t{2}}) {
    if (node.inputs.size() <= limit || node.inputs[limit] == absent) continue;
    const float* value = rewriter.number(node.inputs[limit]);
    if (value == nullptr) return std::nullopt;
    (limit == 1 ? op.a : op.b) = *value;
  }
  return Function{node.inputs[0], op};
}

/// A sum, difference, product or quotient with a constant number.
std::optional<Function> arithmetic_of(Rewriter& rewriter, const Node& node) {
  if (node.inputs.size() != 2) return std::nullopt;
  const float* left = rewriter.number(node.inputs[0]);
  const float* right = rewriter.number(node.inputs[1]);
  const float* constant = right != nullptr ? right : left;
  if (constant == nullptr || !std::isfinite(*constant)) return std::nullopt;
  Function function{node.inputs[right != nullptr ? 0 : 1], {}, rewriter.constant(node.inputs[right != nullptr ? 1 : 0])->shape.rank};
  if (node.op == "Add") function.op.shift = *constant;
  else if (node.op == "Mul") function.op.scale = *constant;
  else if (node.op == "Sub" && right != nullptr) function.op.shift = -*constant;
  else if (node.op == "Sub") function.op.scale = -1, function.op.shift = *constant;
  else if (node.op == "Div" && right != nullptr && std::isnormal(*constant)) function.op.scale = 1 / *constant;
  else return std::nullopt;
  return function;
}

Unary activation_of(const Node& node) {
  if (node.domain != "lectern") return {};
  const Attribute* kind = node.find("activation");
  if (kind == nullptr) return {};
  return {static_cast<UnaryKind>(std::get<std::int64_t>(kind->value)), attribute_of(node, "activation_a", 0), attribute_of(node, "activation_b", 0), attribute_of(node, "activation_scale", 1),
          attribute_of(node, "activation_shift", 0)};
}

std::optional<Function> function_of(Rewriter& rewriter, const Node& node) {
  if (node.outputs.size() != 1 || node.inputs.empty() || node.inputs[0] == absent) return std::nullopt;
  if (node.domain == "lectern") {
    if (node.op != "Unary") return std::nullopt;
    return Function{node.inputs[0], activation_of(node), std::get<std::int64_t>(node.find("rank")->value)};
  }
  if (!node.domain.empty()) return std::nullopt;
  if (const auto op = named_function(node)) return Function{node.inputs[0], *op};
  if (node.op == "Clip") return clip_of(rewriter, node);
  return arithmetic_of(rewriter, node);
}

bool is_pure(Unary op) { return op.scale == 1 && op.shift == 0; }

/// The function second(first(x)), if one exists.
std::optional<Unary> compose(Unary first, Unary second) {
  if (first.kind == UnaryKind::identity && is_pure(first)) return second;
  if (second.kind == UnaryKind::identity) {
    first.scale *= second.scale;
    first.shift = first.shift * second.scale + second.shift;
    return first;
  }
  if (first.kind == UnaryKind::relu && is_pure(first) && second.kind == UnaryKind::clip && second.b >= 0) {
    second.a = std::max(second.a, 0.0F);
    return second;
  }
  if (first.kind != UnaryKind::identity) return std::nullopt;
  if (second.kind == UnaryKind::clip && second.a == 0 && second.b > 0 && std::isfinite(second.b)) {
    return Unary{UnaryKind::hard_sigmoid, first.scale / second.b, first.shift / second.b, second.scale * second.b, second.shift};
  }
  if (second.kind == UnaryKind::hard_sigmoid) {
    second.b += second.a * first.shift;
    second.a *= first.scale;
    return second;
  }
  if (second.kind == UnaryKind::erf && first.shift == 0) {
    second.a *= first.scale;
    return second;
  }
  return std::nullopt;
}

/// The function factor x times gate(x), if one exists.
std::optional<Unary> gated(float factor, Unary gate) {
  const auto scaled = [&](Unary op, float scale) {
    op.scale = factor * scale;
    return op;
  };
  if (gate.kind == UnaryKind::sigmoid && gate.shift == 0) return scaled({UnaryKind::silu, 1}, gate.scale);
  if (gate.kind == UnaryKind::hard_sigmoid && gate.shift == 0) return scaled({UnaryKind::hard_swish, gate.a, gate.b}, gate.scale);
  const bool half = gate.kind == UnaryKind::erf && std::abs(gate.a - 0.70710678F) < 1e-6F && gate.scale == gate.shift;
  if (half) return scaled({UnaryKind::gelu}, 2 * gate.scale);
  return std::nullopt;
}

Node function_node(const Node& like, const Function& function) {
  Node made;
  made.name = like.name;
  made.op = "Unary";
  made.domain = "lectern";
  made.inputs = {function.x};
  made.attributes.push_back({"rank", function.rank});
  write_activation(made, function.op);
  return made;
}

/// Mul(factor x, gate(x)), each without another reader.
bool fuse_gate(Rewriter& rewriter, int index) {
  const Node& node = rewriter.node(index);
  if (!node.domain.empty() || node.op != "Mul" || node.inputs.size() != 2) return false;
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const int gate_maker = rewriter.private_maker(node.inputs[at]);
    const auto gate = gate_maker < 0 ? std::nullopt : function_of(rewriter, rewriter.node(gate_maker));
    if (!gate) continue;
    const ValueId other = node.inputs[1 - at];
    std::optional<Unary> together;
    std::vector<int> merged{gate_maker};
    std::int64_t rank = gate->rank;
    if (other == gate->x) {
      together = gated(1, gate->op);
    } else {
      const int factor_maker = rewriter.private_maker(other);
      const auto factor = factor_maker < 0 ? std::nullopt : function_of(rewriter, rewriter.node(factor_maker));
      if (!factor || factor->x != gate->x || factor->op.kind != UnaryKind::identity || factor->op.shift != 0) continue;
      together = gated(factor->op.scale, gate->op);
      merged.push_back(factor_maker);
      rank = std::max(rank, factor->rank);
    }
    if (!together) continue;
    rewriter.replace(index, function_node(node, {gate->x, *together, rank}), merged);
    return true;
  }
  return false;
}

bool takes_activation(const Node& node) {
  constexpr std::array<const char*, 5> ops = {"Conv", "ConvTranspose", "MatMul", "Gemm", "BatchNormalization"};
  const bool known = std::any_of(ops.begin(), ops.end(), [&](const char* op) { return node.op == op; });
  return node.outputs.size() == 1 && ((known && (node.domain.empty() || node.domain == "lectern")) || (node.domain == "lectern" && node.op == "Unary"));
}

}  // namespace

bool fuse_function(Rewriter& rewriter, int index) {
  if (fuse_gate(rewriter, index)) return true;
  const auto function = function_of(rewriter, rewriter.node(index));
  if (!function) return false;
  const int maker = rewriter.private_maker(function->x);
  if (maker >= 0) {
    // A composed function begins as the node of the inner one.
    const auto inner = function_of(rewriter, rewriter.node(maker));
    const bool merges = inner || takes_activation(rewriter.node(maker));
    const auto together = merges ? compose(inner ? inner->op : activation_of(rewriter.node(maker)), function->op) : std::nullopt;
    if (together) {
      if (inner) {
        rewriter.replace(index, function_node(rewriter.node(index), {inner->x, *together, std::max(inner->rank, function->rank)}), {maker});
        return true;
      }
      // Other operators return at least one axis, so that any constant of one axis fits.
      if (function->rank <= 1) {
        Node made = rewriter.node(maker);
        made.domain = "lectern";
        write_activation(made, *together);
        rewriter.replace(index, std::move(made), {maker});
        return true;
      }
    }
  }
  const Node& node = rewriter.node(index);
  const bool arithmetic = node.domain.empty() && (node.op == "Add" || node.op == "Sub" || node.op == "Mul" || node.op == "Div");
  if (!arithmetic) return false;
  rewriter.replace(index, function_node(node, *function), {});
  return true;
}

}  // namespace lectern::onnx
