#include <algorithm>

#include "onnx/fusion/rewriter.h"

namespace lectern::onnx {
namespace {

bool is(const Node& node, const char* op) { return node.domain.empty() && node.op == op; }

/// A mean over the last axis that keeps the axis.
bool is_row_mean(Rewriter& rewriter, const Node& node) {
  if (!is(node, "ReduceMean")) return false;
  const Attribute* keep = node.find("keepdims");
  if (keep != nullptr && std::get_if<std::int64_t>(&keep->value) != nullptr && std::get<std::int64_t>(keep->value) == 0) return false;
  std::vector<std::int64_t> axes;
  if (const Attribute* attribute = node.find("axes")) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute->value)) axes = *list;
  } else if (node.inputs.size() > 1) {
    const Array* array = rewriter.constant(node.inputs[1]);
    if (array != nullptr && array->element == Element::i64) axes.assign(array->as<std::int64_t>().begin(), array->as<std::int64_t>().end());
  }
  return axes.size() == 1 && axes[0] == -1;
}

/// The inputs of a node of two: a constant vector of more than one float, and the other input.
bool take_vector(Rewriter& rewriter, const Node& node, ValueId& vector, ValueId& other) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const Array* array = node.inputs.size() == 2 ? rewriter.constant(node.inputs[at]) : nullptr;
    if (array == nullptr || array->element != Element::f32 || array->shape.rank != 1 || array->elements() < 2) continue;
    vector = node.inputs[at];
    other = node.inputs[1 - at];
    return true;
  }
  return false;
}

}  // namespace

bool fuse_layer_norm(Rewriter& rewriter, int index) {
  // From the end: Add(Mul(Div(d, Sqrt(Add(Mean(d^2), epsilon))), scale), bias), d = Sub(x, Mean(x)).
  const auto step = [&](ValueId id, int reads, const char* op) {
    const int made = rewriter.private_maker(id, reads);
    return made >= 0 && is(rewriter.node(made), op) ? made : -1;
  };
  ValueId bias = absent;
  ValueId scaled = absent;
  if (!is(rewriter.node(index), "Add") || !take_vector(rewriter, rewriter.node(index), bias, scaled)) return false;
  ValueId scale = absent;
  ValueId normal = absent;
  const int mul = step(scaled, 1, "Mul");
  if (mul < 0 || !take_vector(rewriter, rewriter.node(mul), scale, normal)) return false;
  if (rewriter.constant(scale)->shape != rewriter.constant(bias)->shape) return false;
  const int div = step(normal, 1, "Div");
  if (div < 0 || rewriter.node(div).inputs.size() != 2) return false;
  const ValueId difference = rewriter.node(div).inputs[0];
  const int root = step(rewriter.node(div).inputs[1], 1, "Sqrt");
  const int add = root < 0 ? -1 : step(rewriter.node(root).inputs[0], 1, "Add");
  if (add < 0 || rewriter.node(add).inputs.size() != 2) return false;
  const bool turned = rewriter.number(rewriter.node(add).inputs[0]) != nullptr;
  const float* epsilon = rewriter.number(rewriter.node(add).inputs[turned ? 0 : 1]);
  const int variance = epsilon == nullptr ? -1 : step(rewriter.node(add).inputs[turned ? 1 : 0], 1, "ReduceMean");
  if (variance < 0 || !is_row_mean(rewriter, rewriter.node(variance))) return false;
  const int square = rewriter.private_maker(rewriter.node(variance).inputs[0]);
  if (square < 0 || rewriter.node(square).inputs.size() != 2 || rewriter.node(square).inputs[0] != difference) return false;
  const float* power = is(rewriter.node(square), "Pow") ? rewriter.number(rewriter.node(square).inputs[1]) : nullptr;
  const bool multiplied = is(rewriter.node(square), "Mul") && rewriter.node(square).inputs[1] == difference;
  if (!multiplied && (power == nullptr || *power != 2)) return false;
  const int sub = step(difference, multiplied ? 3 : 2, "Sub");
  if (sub < 0 || rewriter.node(sub).inputs.size() != 2) return false;
  const ValueId x = rewriter.node(sub).inputs[0];
  const int mean = step(rewriter.node(sub).inputs[1], 1, "ReduceMean");
  if (mean < 0 || !is_row_mean(rewriter, rewriter.node(mean)) || rewriter.node(mean).inputs[0] != x) return false;
  Node made;
  made.name = rewriter.node(index).name;
  made.op = "LayerNormalization";
  made.domain = "lectern";
  made.inputs = {x, scale, bias};
  made.attributes.push_back({"epsilon", *epsilon});
  rewriter.replace(index, std::move(made), {mul, div, root, add, variance, square, sub, mean});
  return true;
}

}  // namespace lectern::onnx
