// The tokens that are still in the running, and the truncations that take some of them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "llm/sampling/logit_row.h"

namespace lectern::llm {

/// Always in the order of the ids, so that a draw does not depend on how a truncation found them. Each truncation uses the
/// probabilities among what the one before left, at temperature 1, and leaves at least one token.
class Candidates {
 public:
  /// The tokens of `row` whose logits are finite. `row` must stay as it is until the next call.
  void take_all(LogitRow& row) { take_from(row, LogitRow::lowest); }
  /// The `count` best of them (top_k).
  void take_best(LogitRow& row, std::size_t count);
  /// The most probable that together reach the part `mass` of all of `row` (top_p where nothing comes before it).
  void take_most_probable(LogitRow& row, double mass);
  /// Those at least `part` times as probable as the best (min_p where nothing comes before it).
  void take_near_best(LogitRow& row, double part);

  /// typical_p: in the order of how far their surprise, -ln p, lies from the expected one, up to the one that makes the part `mass`
  /// full (Meister et al., Locally Typical Sampling, 2023).
  void keep_typical(double mass);
  /// top_p: the most probable, up to the one that makes the part `mass` full (Holtzman et al., 2020).
  void keep_most_probable(double mass);
  /// min_p.
  void keep_near_best(double part);
  /// top_k behind another truncation.
  void keep_best(std::size_t count);
  /// top_n_sigma: those at most `count` standard deviations of the logits below the best.
  void keep_within_deviations(double count);
  /// XTC: takes out the tokens whose probability reaches `threshold`, but for the last of them.
  void remove_probable(double threshold);
  /// Mirostat: those whose surprise at `temperature`, -log2 p, is at most `bits`.
  void keep_unsurprising(double temperature, double bits);

  /// Between `temperature` - `range`, at least 0, and `temperature` + `range`: the lower for tokens of which one is certain, the upper for equally probable ones,
  /// between them by the entropy at temperature 1 as part of the greatest, to the power of `exponent`.
  double dynamic_temperature(double temperature, double range, double exponent);

  /// The token that a draw of 53 random bits takes at `temperature`; the best one at a temperature of next to 0.
  TokenId drawn(double temperature, std::uint64_t draw);
  /// Of the last drawn() token among those that it was drawn from, in bits.
  double surprise() const;

  std::size_t size() const { return tokens_.size(); }

 private:
  struct Candidate {
    TokenId id;
    float logit;
    std::uint64_t mass;
    double distance;  // what a truncation ranks by, the least first
  };

  void take_from(const LogitRow& row, float floor);
  float greatest() const;
  /// Fills in the masses at `temperature` and the distances from the best logit; the sum of the masses.
  std::uint64_t set_masses(double temperature);
  void keep_nearest(std::uint64_t wanted);

  std::vector<Candidate> tokens_;
  std::uint64_t drawn_mass_ = 1;
  std::uint64_t drawn_sum_ = 1;
  std::vector<RankedToken> best_;
  std::vector<std::uint64_t> masses_;
  std::vector<Candidate> edge_;
};

}  // namespace lectern::llm
