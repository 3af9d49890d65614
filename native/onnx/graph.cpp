#include "onnx/graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lectern::onnx {

void drop_unread(Graph& graph) {
  std::vector<bool> read(graph.names.size(), false);
  for (const Port& output : graph.outputs) read[static_cast<std::size_t>(output.value)] = true;
  std::vector<Node> alive;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(), [&](ValueId id) { return id != absent && read[static_cast<std::size_t>(id)]; })) continue;
    for (const auto* list : {&node->inputs, &node->captured}) {
      for (const ValueId id : *list) {
        if (id != absent) read[static_cast<std::size_t>(id)] = true;
      }
    }
    alive.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(alive.rbegin()), std::make_move_iterator(alive.rend()));
  std::erase_if(graph.constants, [&](const auto& constant) { return !read[static_cast<std::size_t>(constant.first)]; });
}

}  // namespace lectern::onnx
