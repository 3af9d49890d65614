// One row of logits: its best tokens, the sum of its probabilities, and a draw among all its tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "llm/sampling/weights.h"
#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

struct RankedToken {
  TokenId id;
  float logit;
};

/// Throws Error `invalid_model`, whose message says that a logit is no finite number.
[[noreturn]] void refuse_unsound_logits();

/// The order of tokens from the best: by descending logit, equal logits by ascending id.
inline bool ranks_before(const RankedToken& a, const RankedToken& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

/// Keeps the greatest logit of every block of `block_size`, so that a search for the best tokens skips most blocks.
class LogitRow {
 public:
  static constexpr std::size_t block_size = 256;
  static constexpr float lowest = std::numeric_limits<float>::lowest();

  /// `logits` (count) must stay unchanged until the next call of read(). Throws Error `invalid_model` where a logit is NaN or +inf.
  void read(const float* logits, std::size_t count);

  /// The greatest logit; -inf where all are -inf, so that no token can be chosen.
  float greatest() const { return greatest_; }
  /// The lowest id among the tokens with the greatest logit. Needs a finite greatest().
  TokenId best() const;
  float logit(TokenId id) const { return logits_[static_cast<std::size_t>(id)]; }

  /// Calls take(id, logit) for every finite logit >= `floor`, in the order of the ids.
  template <class Take>
  void each_from(float floor, Take&& take) const {
    for (std::size_t block = 0; block < greatest_of_.size(); block++) {
      if (!(greatest_of_[block] >= floor)) continue;
      for (std::size_t i = block * block_size; i < end_of(block); i++) {
        if (logits_[i] >= floor) take(static_cast<TokenId>(i), logits_[i]);
      }
    }
  }

  /// The `count` best of the finite logits, or all where there are fewer, in no particular order.
  void take_best(std::size_t count, std::vector<RankedToken>& out);

  /// The sum of the masses (mass_of(), integers in proportion to the probabilities) of all tokens at `temperature`. Needs a finite greatest().
  std::uint64_t sum(double temperature);
  /// The first token, by ascending id, at which the masses of the last sum(), added up from the first token, exceed `mass`. `mass` must be below that sum.
  TokenId at_mass(std::uint64_t mass) const;

 private:
  std::size_t end_of(std::size_t block) const { return block + 1 < greatest_of_.size() ? (block + 1) * block_size : count_; }
  float floor_of(std::size_t count);

  const float* logits_ = nullptr;
  std::size_t count_ = 0;
  float greatest_ = 0;
  std::vector<float> greatest_of_;  // one a block
  std::vector<float> by_rank_;
  WeightScale scale_{0, 1};
  std::vector<std::uint64_t> sums_;  // one a block
};

}  // namespace lectern::llm
