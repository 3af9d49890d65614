// A network as its file describes it: numbered values, nodes in an order in which they can run, constants. The meaning of its nodes is in
// operator.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "onnx/array.h"

namespace lectern::onnx {

struct Graph;

/// A value's place in Graph::names.
using ValueId = int;
constexpr ValueId absent = -1;

struct Attribute {
  std::string name;
  std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>, Array, std::shared_ptr<Graph>> value;
};

struct Node {
  std::string name;
  std::string op;
  std::string domain;  // "" is ONNX's own, "lectern" that of fused nodes
  std::vector<ValueId> inputs;   // absent for an optional one that is left out
  std::vector<ValueId> outputs;
  std::vector<ValueId> captured;  // values of this graph that its subgraphs read, in the order of their captures, one subgraph after the other
  std::vector<Attribute> attributes;

  const Attribute* find(std::string_view attribute) const {
    for (const Attribute& candidate : attributes) {
      if (candidate.name == attribute) return &candidate;
    }
    return nullptr;
  }
};

/// The file's declaration of an input or output.
struct Port {
  std::string name;
  ValueId value = absent;
  Element element = Element::f32;
  bool typed = false;               // false: the type is unknown (in subgraphs)
  bool shaped = false;              // false: the shape is unknown
  std::vector<std::int64_t> sizes;  // -1: free
};

struct Graph {
  std::vector<std::string> names;  // of values
  std::vector<Port> inputs;        // those that a caller must give, without the initialisers, which are constants
  std::vector<Port> outputs;
  std::vector<Node> nodes;  // each after the nodes whose outputs it reads
  std::unordered_map<ValueId, Array> constants;
  std::vector<ValueId> captures;  // values of the surrounding graph, by their names; none in the outermost

  ValueId add_value(std::string name) {
    names.push_back(std::move(name));
    return static_cast<ValueId>(names.size()) - 1;
  }
};

/// Removes nodes and constants whose values are never read.
void drop_unread(Graph& graph);

struct Model {
  Graph graph;
  std::int64_t opset = 0;  // of ONNX's own domain
  std::map<std::string, std::string> metadata;  // metadata_props
};

}  // namespace lectern::onnx
