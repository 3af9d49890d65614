// A graph during rewriting: the producer and the readers of each value, kept up to date while nodes merge.
#pragma once

#include <string>
#include <vector>

#include "onnx/graph.h"

namespace lectern::onnx {

class Rewriter {
 public:
  explicit Rewriter(Graph& graph);

  int nodes() const { return static_cast<int>(graph_.nodes.size()); }
  Node& node(int index) { return graph_.nodes[static_cast<std::size_t>(index)]; }
  bool alive(int index) const { return !dead_[static_cast<std::size_t>(index)]; }

  /// The node that makes the value, -1 for inputs and constants.
  int maker(ValueId id) const { return id == absent ? -1 : makers_[static_cast<std::size_t>(id)]; }
  /// The same, where the caller's `reads` are all the reads of the value: no graph output and no subgraph reads it.
  int private_maker(ValueId id, int reads = 1) const;
  /// Null where the value is no constant.
  const Array* constant(ValueId id) const;
  /// A constant float of one element.
  const float* number(ValueId id) const;
  ValueId add_constant(Array array);

  /// `index` becomes `node`, whose outputs it keeps; each of `merged` goes.
  void replace(int index, Node node, const std::vector<int>& merged);

  /// Takes the dead ones out. The graph is as it was, but for what was replaced.
  void finish();

 private:
  void count(const Node& node, int by);

  Graph& graph_;
  std::vector<int> makers_;
  std::vector<int> reads_;
  std::vector<bool> seen_outside_;  // outputs of the graph, and what graphs within read
  std::vector<bool> dead_;
};

/// The patterns, in the order in which they are tried. All throw nothing: what does not fit stays as it is.
void fuse(Graph& graph);

/// LayerNormalization written as means, differences and a root, ending at node `index`.
bool fuse_layer_norm(Rewriter& rewriter, int index);
/// A function of one number into the one that makes it; x f(x) into one; constant factors and terms into weights.
bool fuse_function(Rewriter& rewriter, int index);
/// Batch normalisation and constants for each channel into the weights before them; bias and residual into what they are added to.
bool fuse_linear(Rewriter& rewriter, int index);

}  // namespace lectern::onnx
