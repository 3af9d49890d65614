// Drafts of one sequence from its own text, and how often they were right.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "llm/speculation/repeated_ending.h"

namespace lectern::llm {

/// The most tokens of one draft. Attention of decode rows loads earlier keys ahead of a pass that adds at most 32 positions to a row.
inline constexpr int most_draft = 7;
/// A pass with more rows has no drafts.
inline constexpr int most_draft_pass = 32;

class TextDraft {
 public:
  /// `text`: the prompt and what was generated so far.
  explicit TextDraft(std::span<const TokenId> text);

  /// The token that was generated next.
  void add(TokenId token);
  /// Drafts at most `most` tokens: they are in tokens() until the next call.
  void propose(int most);
  const std::vector<TokenId>& tokens() const { return tokens_; }
  /// The estimated probability that token `index` of the draft is right where those before it are.
  double chance(int index) const;

 private:
  /// By the length of the ending that is repeated: longer ones are continued as before more often.
  static constexpr std::array<int, 6> shortest = {1, 2, 3, 5, 9, 17};
  struct Record {
    double right, all;  // both fade with each token
  };

  static std::size_t record_of(int length);

  RepeatedEnding ending_;
  std::array<Record, shortest.size()> records_;
  std::vector<TokenId> tokens_;
  std::vector<TokenId> next_;
};

}  // namespace lectern::llm
