// One row of logits, read once: its best tokens, the sum of its probabilities, a draw from all of it.
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

/// Throws Error `internal`: a logit is NaN or +inf.
[[noreturn]] void refuse_unsound_logits();

/// Best first: the greater logit, of equal ones the lower id.
inline bool ranks_before(const RankedToken& a, const RankedToken& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

/// Keeps the greatest logit of every block, by which most of a row is passed over when only its best are wanted.
class LogitRow {
 public:
  static constexpr std::size_t block_size = 256;
  static constexpr float lowest = std::numeric_limits<float>::lowest();

  /// `logits` (count) must stay as they are until the next call. Throws Error `internal` where one is NaN or +inf.
  void read(const float* logits, std::size_t count);

  /// -inf where no token has a chance.
  float greatest() const { return greatest_; }
  /// The first of the greatest; only where there is one.
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

  /// The masses at `temperature`, summed up; needs a greatest one.
  std::uint64_t sum(double temperature);
  /// The token at which the masses of the last sum(), in the order of the ids, first exceed `mass`, which is below that sum.
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
