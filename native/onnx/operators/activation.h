// The function that fusion puts at the end of another operator, as attributes of its node.
#pragma once

#include "backend/graph_ops.h"
#include "onnx/attributes.h"

namespace lectern::onnx {

/// Only in nodes of the domain "lectern"; in other nodes nothing is read.
inline Unary read_activation(Attributes& a) {
  if (a.node().domain != "lectern") return {};
  return {static_cast<UnaryKind>(a.integer("activation", 0)), a.number("activation_a", 0), a.number("activation_b", 0), a.number("activation_scale", 1),
          a.number("activation_shift", 0)};
}

/// Instead of what the node has.
inline void write_activation(Node& node, Unary activation) {
  std::erase_if(node.attributes, [](const Attribute& attribute) { return attribute.name.starts_with("activation"); });
  node.attributes.push_back({"activation", static_cast<std::int64_t>(activation.kind)});
  node.attributes.push_back({"activation_a", activation.a});
  node.attributes.push_back({"activation_b", activation.b});
  node.attributes.push_back({"activation_scale", activation.scale});
  node.attributes.push_back({"activation_shift", activation.shift});
}

}  // namespace lectern::onnx
