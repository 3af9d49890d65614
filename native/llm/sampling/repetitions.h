// DRY: a penalty for tokens that would make a repetition longer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "llm/sampling/sequence_breakers.h"

namespace lectern::llm {

struct RepetitionOptions {
  double multiplier;  // 0: off
  double base;
  int allowed_length;
  int last_n;  // 0: none, -1: everything
};

/// The last tokens of a sequence, and which tokens would continue what stands in them already.
class Repetitions {
 public:
  /// `breakers`: null for none.
  Repetitions(RepetitionOptions options, std::shared_ptr<const SequenceBreakers> breakers);

  void add(TokenId id);

  /// Finds the tokens that have a penalty now; false where there are none. Takes time in proportion to the window, and add() in proportion to the tokens of the longest breaker.
  bool find();
  /// Takes the penalties of the last find() off; a logit of -inf stays.
  void penalise(float* logits) const;

 private:
  /// The token `age` places before the last one.
  TokenId back(std::size_t age) const { return tokens_[(newest_ + tokens_.size() - age) % tokens_.size()]; }
  /// Advances the breakers that have begun by a token.
  void find_breaker(TokenId id);
  /// How many of the last tokens stand behind the last breaker.
  std::size_t unbroken() const;
  /// repeated_[k]: how many tokens ending k places before the last are those at the end.
  void count_repeated();

  RepetitionOptions options_;
  std::shared_ptr<const SequenceBreakers> breakers_;
  std::vector<TokenId> tokens_;  // a ring, once it is full
  std::size_t newest_ = 0;
  /// A token that begins a breaker, and how far the tokens behind it are the remainder.
  struct Begun {
    std::uint64_t first;  // its number, from 0 on over all tokens that were added
    SequenceBreakers::Node node;
  };
  std::vector<Begun> begun_;  // in order; as many as a breaker has tokens at most
  std::uint64_t added_ = 0;
  // The last breaker: the numbers of its first token, and of the token behind its last. Of two that begin together the longer one.
  std::optional<std::uint64_t> breaker_first_;
  std::uint64_t breaker_end_ = 0;
  std::vector<std::size_t> repeated_;
  std::unordered_map<TokenId, std::size_t> longest_;
};

}  // namespace lectern::llm
