// The strings across which DRY finds no repetition, as tokens of one vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

/// A token breaks a sequence if its text contains a breaker, or if its text ends with the beginning of one and the tokens behind it are the remainder of
/// that breaker, as the tokenizer cuts it. Immutable.
class SequenceBreakers {
 public:
  /// Throws as check() does. Takes a pass over the texts of the vocabulary.
  SequenceBreakers(std::vector<std::string> texts, const Tokenizer& tokenizer);

  /// Throws Error `invalid_request` for more than 16 texts, an empty one or one beyond 40 bytes.
  static void check(const std::vector<std::string>& texts);

  const std::vector<std::string>& texts() const { return texts_; }

  /// A place in the trie of the token sequences that break.
  using Node = std::uint32_t;

  /// Where the sequences that begin with `id` go on, or nothing.
  std::optional<Node> begin(TokenId id) const { return step(root, id); }
  std::optional<Node> step(Node node, TokenId next) const;
  /// Whether the tokens up to here break a sequence.
  bool breaks(Node node) const { return ends_[node]; }
  /// Whether some sequence is longer than the tokens up to here.
  bool goes_on(Node node) const { return continued_[node]; }
  bool breaks_alone(TokenId id) const;

 private:
  static constexpr Node root = 0;

  void add(TokenId id, const std::vector<TokenId>& tail);
  Node child(Node node, TokenId next);
  void add_token(TokenId id, const std::string& text, const Tokenizer& tokenizer);

  std::vector<std::string> texts_;
  std::vector<std::vector<std::size_t>> by_first_byte_;
  // By node, the root being the first.
  std::vector<bool> ends_ = {false};
  std::vector<bool> continued_ = {false};
  std::unordered_map<std::uint64_t, Node> children_;  // by node and token
  std::unordered_map<std::string, std::vector<TokenId>> remainders_;
};

}  // namespace lectern::llm
