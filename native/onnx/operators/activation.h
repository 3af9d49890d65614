// The activation that fusion appends to another operator, as attributes of its node.
#pragma once

#include "backend/graph_ops.h"
#include "onnx/attributes.h"

namespace lectern::onnx {

/// Reads it only in nodes of the domain "lectern"; other nodes have none.
inline Unary read_activation(Attributes& a) {
  if (a.node().domain != "lectern") return {};
  return {static_cast<UnaryKind>(a.integer("activation", 0)), a.number("activation_a", 0), a.number("activation_b", 0), a.number("activation_scale", 1),
          a.number("activation_shift", 0)};
}

/// Replaces the activation of the node.
inline void write_activation(Node& node, Unary activation) {
  std::erase_if(node.attributes, [](const Attribute& attribute) { return attribute.name.starts_with("activation"); });
  node.attributes.push_back({"activation", static_cast<std::int64_t>(activation.kind)});
  node.attributes.push_back({"activation_a", activation.a});
  node.attributes.push_back({"activation_b", activation.b});
  node.attributes.push_back({"activation_scale", activation.scale});
  node.attributes.push_back({"activation_shift", activation.shift});
}

}  // namespace lectern::onnx
