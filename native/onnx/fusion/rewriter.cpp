#include "onnx/fusion/rewriter.h"

#include <utility>

namespace lectern::onnx {

Rewriter::Rewriter(Graph& graph)
    : graph_(graph), makers_(graph.names.size(), -1), reads_(graph.names.size(), 0), seen_outside_(graph.names.size(), false), dead_(graph.nodes.size(), false) {
  for (int index = 0; index < nodes(); index++) {
    const Node& each = node(index);
    count(each, 1);
    for (const ValueId id : each.outputs) {
      if (id != absent) makers_[static_cast<std::size_t>(id)] = index;
    }
    for (const ValueId id : each.captured) seen_outside_[static_cast<std::size_t>(id)] = true;
  }
  for (const Port& port : graph.outputs) seen_outside_[static_cast<std::size_t>(port.value)] = true;
}

void Rewriter::count(const Node& node, int by) {
  for (const ValueId id : node.inputs) {
    if (id != absent) reads_[static_cast<std::size_t>(id)] += by;
  }
}

int Rewriter::private_maker(ValueId id, int reads) const {
  if (id == absent) return -1;
  const auto at = static_cast<std::size_t>(id);
  return reads_[at] == reads && !seen_outside_[at] ? makers_[at] : -1;
}

const Array* Rewriter::constant(ValueId id) const {
  const auto entry = graph_.constants.find(id);
  return entry == graph_.constants.end() ? nullptr : &entry->second;
}

const float* Rewriter::number(ValueId id) const {
  const Array* array = constant(id);
  return array != nullptr && array->element == Element::f32 && array->elements() == 1 ? array->as<float>().data() : nullptr;
}

ValueId Rewriter::add_constant(Array array) {
  const ValueId id = graph_.add_value("");
  makers_.push_back(-1);
  reads_.push_back(0);
  seen_outside_.push_back(false);
  graph_.constants.emplace(id, std::move(array));
  return id;
}

void Rewriter::replace(int index, Node made, const std::vector<int>& merged) {
  made.outputs = node(index).outputs;
  count(node(index), -1);
  for (const int gone : merged) {
    count(node(gone), -1);
    dead_[static_cast<std::size_t>(gone)] = true;
  }
  count(made, 1);
  node(index) = std::move(made);
}

void Rewriter::finish() {
  std::vector<Node> kept;
  for (int index = 0; index < nodes(); index++) {
    if (alive(index)) kept.push_back(std::move(node(index)));
  }
  graph_.nodes = std::move(kept);
}

void fuse(Graph& graph) {
  Rewriter rewriter(graph);
  for (int index = 0; index < rewriter.nodes(); index++) (void)(rewriter.alive(index) && fuse_layer_norm(rewriter, index));
  for (int index = 0; index < rewriter.nodes(); index++) {
    while (rewriter.alive(index) && (fuse_linear(rewriter, index) || fuse_function(rewriter, index))) {
    }
  }
  rewriter.finish();
}

}  // namespace lectern::onnx
