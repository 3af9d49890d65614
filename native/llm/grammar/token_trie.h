// A vocabulary as prefix trees, of its short tokens and of its long ones, laid out for walks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llm/grammar/rule_edges.h"
#include "llm/grammar/stack_sets.h"
#include "llm/sampler.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

/// Nodes depth first: those below a node follow it, and `end` is the first that is not below it.
class TokenTree {
 public:
  struct Node {
    std::int32_t end;
    std::int32_t tokens;  // the first of those that end here; the next node's is behind the last
    std::uint32_t byte : 8;
    std::uint32_t depth : 24;  // 1: the first byte of a token
  };

  /// Of tokens in the order of their bytes.
  void add(std::string_view bytes, TokenId id);
  void finish();

  std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()) - 1; }
  bool is_leaf(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)].end == node + 1; }

  /// Steps `sets` from `from`, which is where `above` led (-1: the root), along all that is below it. Calls visit(node, set) for each
  /// node whose bytes the grammar allows, and allow(tokens) with the tokens of them all, in contiguous ranges.
  template <class Visit, class Allow>
  void walk(StackSets& sets, StackSets::Set from, std::int32_t above, std::vector<StackSets::Set>& path, Visit visit, Allow allow) const {
    const std::uint32_t floor = above < 0 ? 0 : nodes_[static_cast<std::size_t>(above)].depth;
    const std::int32_t end = above < 0 ? size() : nodes_[static_cast<std::size_t>(above)].end;
    if (path.size() <= deepest_) path.resize(deepest_ + 1);
    path[floor] = from;
    const auto tokens_from = [&](std::int32_t node) { return ids_.data() + nodes_[static_cast<std::size_t>(node)].tokens; };
    std::int32_t allowed_from = above + 1;
    for (std::int32_t i = above + 1; i < end;) {
      const Node& node = nodes_[static_cast<std::size_t>(i)];
      const StackSets::Set set = sets.step(path[node.depth - 1], static_cast<std::uint8_t>(node.byte));
      if (set == StackSets::dead) {
        if (i > allowed_from) allow(std::span<const TokenId>(tokens_from(allowed_from), tokens_from(i)));
        allowed_from = i = node.end;
        continue;
      }
      path[node.depth] = set;
      visit(i, set);
      i++;
    }
    if (end > allowed_from) allow(std::span<const TokenId>(tokens_from(allowed_from), tokens_from(end)));
  }

 private:
  void close_to(std::size_t depth);

  std::vector<Node> nodes_;
  std::vector<TokenId> ids_;
  std::vector<std::int32_t> open_;  // while it is made: the nodes on the way to the last token
  std::string last_;
  std::size_t deepest_ = 0;
};

class TokenTrie {
 public:
  explicit TokenTrie(const Tokenizer& tokenizer);

  /// Of the tokens within each bound of short_token_bytes and beyond the one before; the last, of those beyond all.
  static constexpr std::size_t trees = short_token_bytes.size() + 1;
  const TokenTree& tree(std::size_t number) const { return trees_[number]; }
  /// Empty for what no grammar allows: control tokens, and those that stand for no bytes.
  std::string_view bytes(TokenId id) const;
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }
  std::size_t mask_words() const { return (begins_.size() + 30) / 32; }

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
  std::array<TokenTree, trees> trees_;
  std::vector<TokenId> end_tokens_;
};

inline void allow(TokenMask& mask, std::span<const TokenId> ids) {
  for (const TokenId id : ids) mask[static_cast<std::size_t>(id) / 32] |= 1U << (static_cast<unsigned>(id) % 32);
}

}  // namespace lectern::llm
