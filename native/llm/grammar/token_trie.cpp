#include "llm/grammar/token_trie.h"

#include <algorithm>
#include <numeric>

#include "llm/grammar/grammar.h"

namespace lectern::llm {
namespace {

/// The field of a node; a vocabulary with such a token is none.
constexpr std::size_t max_token_bytes = (1 << 24) - 1;

}  // namespace

void TokenTree::close_to(std::size_t depth) {
  for (; open_.size() > depth; open_.pop_back()) nodes_[static_cast<std::size_t>(open_.back())].end = static_cast<std::int32_t>(nodes_.size());
}

void TokenTree::add(std::string_view bytes, TokenId id) {
  const auto differs = std::mismatch(bytes.begin(), bytes.end(), last_.begin(), last_.end()).first;
  close_to(static_cast<std::size_t>(differs - bytes.begin()));
  for (std::size_t i = open_.size(); i < bytes.size(); i++) {
    open_.push_back(static_cast<std::int32_t>(nodes_.size()));
    Node node{};
    node.tokens = static_cast<std::int32_t>(ids_.size());
    node.byte = static_cast<std::uint8_t>(bytes[i]);
    node.depth = static_cast<std::uint32_t>(i + 1) & 0xFFFFFFU;
    nodes_.push_back(node);
  }
  ids_.push_back(id);
  last_ = bytes;
  deepest_ = std::max(deepest_, bytes.size());
}

void TokenTree::finish() {
  close_to(0);
  Node end{};
  end.tokens = static_cast<std::int32_t>(ids_.size());
  nodes_.push_back(end);
}

TokenTrie::TokenTrie(const Tokenizer& tokenizer) : begins_{0}, end_tokens_(tokenizer.vocabulary().end_tokens()) {
  const TokenId vocabulary = tokenizer.vocabulary().size();
  for (TokenId id = 0; id < vocabulary; id++) {
    const bool ends = std::find(end_tokens_.begin(), end_tokens_.end(), id) != end_tokens_.end();
    if (!ends) tokenizer.append_bytes(id, false, bytes_);
    if (bytes_.size() - begins_.back() > max_token_bytes) bytes_.resize(begins_.back());
    begins_.push_back(bytes_.size());
  }
  std::vector<TokenId> order(static_cast<std::size_t>(vocabulary));
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](TokenId id) { return bytes(id).empty(); });
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return bytes(a) < bytes(b); });
  for (const TokenId id : order) {
    const auto within = [&](int bound) { return bytes(id).size() <= static_cast<std::size_t>(bound); };
    const auto bound = std::find_if(short_token_bytes.begin(), short_token_bytes.end(), within);
    trees_[static_cast<std::size_t>(bound - short_token_bytes.begin())].add(bytes(id), id);
  }
  for (TokenTree& tree : trees_) tree.finish();
}

std::string_view TokenTrie::bytes(TokenId id) const {
  const auto i = static_cast<std::size_t>(id);
  return std::string_view(bytes_).substr(begins_[i], begins_[i + 1] - begins_[i]);
}

std::shared_ptr<const TokenTrie> make_token_trie(const Tokenizer& tokenizer) { return std::make_shared<const TokenTrie>(tokenizer); }

}  // namespace lectern::llm
