// A vocabulary as two prefix trees, of its short tokens and of its long ones, laid out for walks.
#pragma once

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
  std::span<const TokenId> tokens(std::int32_t node) const {
    const Node* at = &nodes_[static_cast<std::size_t>(node)];
    return {ids_.data() + at[0].tokens, ids_.data() + at[1].tokens};
  }

  /// Steps `sets` from `from`, which is where `above` led (-1: the root), along all that is below it, and calls visit(node, set) for
  /// each node whose bytes the grammar allows.
  template <class Visit>
  void walk(StackSets& sets, StackSets::Set from, std::int32_t above, std::vector<StackSets::Set>& path, Visit visit) const {
    const std::uint32_t floor = above < 0 ? 0 : nodes_[static_cast<std::size_t>(above)].depth;
    const std::int32_t end = above < 0 ? size() : nodes_[static_cast<std::size_t>(above)].end;
    if (path.size() <= deepest_) path.resize(deepest_ + 1);
    path[floor] = from;
    for (std::int32_t i = above + 1; i < end;) {
      const Node& node = nodes_[static_cast<std::size_t>(i)];
      const StackSets::Set set = sets.step(path[node.depth - 1], static_cast<std::uint8_t>(node.byte));
      if (set == StackSets::dead) {
        i = node.end;
        continue;
      }
      path[node.depth] = set;
      visit(i, set);
      i++;
    }
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

  const TokenTree& short_tokens() const { return short_; }
  const TokenTree& long_tokens() const { return long_; }
  /// Empty for what no grammar allows: control tokens, and those that stand for no bytes.
  std::string_view bytes(TokenId id) const;
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }
  std::size_t mask_words() const { return (begins_.size() + 30) / 32; }

 private:
  std::string bytes_;
  std::vector<std::size_t> begins_;
  TokenTree short_;  // of at most short_token_bytes
  TokenTree long_;
  std::vector<TokenId> end_tokens_;
};

inline void allow(TokenMask& mask, std::span<const TokenId> ids) {
  for (const TokenId id : ids) mask[static_cast<std::size_t>(id) / 32] |= 1U << (static_cast<unsigned>(id) % 32);
}

}  // namespace lectern::llm
