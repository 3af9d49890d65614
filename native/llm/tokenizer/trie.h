// A prefix tree over bytes: finds the words that begin at a position of a text.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace lectern::llm {

/// Children as a sorted list per node: vocabularies have hundreds of thousands of nodes, most with one child.
class Trie {
 public:
  static constexpr std::int32_t none = -1;

  Trie() { nodes_.emplace_back(); }

  /// A word that is there already keeps its value.
  void insert(std::string_view word, std::int32_t value);

  std::int32_t root() const { return 0; }
  /// The node after one more byte, or none.
  std::int32_t step(std::int32_t node, char byte) const;
  /// The value of the word that ends at this node, or none.
  std::int32_t value(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)].value; }

 private:
  struct Node {
    std::int32_t value = none;
    std::vector<std::pair<std::uint8_t, std::int32_t>> children;
  };
  std::vector<Node> nodes_;
};

}  // namespace lectern::llm
