// A graph during rewriting. It keeps the producer and the readers of each value up to date while nodes merge.
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
  /// The same, if the caller's `reads` are all the reads of the value: no graph output and no subgraph reads it.
  int private_maker(ValueId id, int reads = 1) const;
  /// Null if the value is not a constant.
  const Array* constant(ValueId id) const;
  /// A constant float of one element.
  const float* number(ValueId id) const;
  ValueId add_constant(Array array);

  /// Replaces node `index` by `node`, which keeps its outputs, and removes each of `merged`.
  void replace(int index, Node node, const std::vector<int>& merged);

  /// Removes the merged nodes. The rest of the graph is unchanged.
  void finish();

 private:
  void count(const Node& node, int by);

  Graph& graph_;
  std::vector<int> makers_;
  std::vector<int> reads_;
  std::vector<bool> seen_outside_;  // outputs of the graph, and values that subgraphs read
  std::vector<bool> dead_;
};

/// The patterns, in the order in which they are tried. None throws: nodes that do not fit stay unchanged.
void fuse(Graph& graph);

/// Finds LayerNormalization that is written as means, differences and a root and ends at node `index`.
bool fuse_layer_norm(Rewriter& rewriter, int index);
/// Merges a function of one number into the operator that computes it, x f(x) into one function, and constant factors and terms into weights.
bool fuse_function(Rewriter& rewriter, int index);
/// Merges batch normalisation and constants for each channel into the weights before them, and bias and residual into the operator that they are added to.
bool fuse_linear(Rewriter& rewriter, int index);

}  // namespace lectern::onnx
