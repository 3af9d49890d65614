// The strings across which DRY finds no repetition, as tokens of one vocabulary.
#pragma once

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

  /// The tokens that must follow `id` for a sequence to break there, each a way of its own; an empty one: `id` breaks it alone. Null: it does not.
  const std::vector<std::vector<TokenId>>* tails(TokenId id) const;
  bool breaks_alone(TokenId id) const;

 private:
  void add(TokenId id, std::vector<TokenId> tail);
  void add_token(TokenId id, const std::string& text, const Tokenizer& tokenizer);

  std::vector<std::string> texts_;
  std::vector<std::vector<std::size_t>> by_first_byte_;
  std::unordered_map<TokenId, std::vector<std::vector<TokenId>>> tails_;
  std::unordered_map<std::string, std::vector<TokenId>> remainders_;
};

}  // namespace lectern::llm
