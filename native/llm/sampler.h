// The sampler: penalties, truncations, temperature and the seeded draw from a row of logits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backend/token_rule.h"
#include "llm/sampling/candidates.h"
#include "llm/sampling/logit_row.h"
#include "llm/sampling/penalty_window.h"
#include "llm/sampling/repetitions.h"
#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

/// The defaults change nothing: the model's own distribution. The options apply in llama.cpp's order: logit_bias, the penalties, DRY, the mask of
/// a grammar, top_n_sigma, top_k, typical_p, top_p, min_p, XTC, temperature. A truncation uses the probabilities, at temperature 1, among the tokens that
/// the one before kept, and keeps at least one token; equal logits rank by their ids, the lower first. backend/sampling.h has the exact definition.
/// Mirostat replaces all of these but logit_bias, the mask and temperature, as in llama.cpp.
struct SamplingOptions {
  float temperature = 1;  // >= 0; 0: the most probable token, whatever the truncations say
  int top_k = 0;          // >= 0; 0: all
  float top_p = 1;        // 0 to 1, as are the next two
  float min_p = 0;        // those at least so many times as probable as the best
  float typical_p = 1;
  float top_n_sigma = -1;      // those at most so many standard deviations of all logits below the best (Tang et al., 2024); 0 and less: all
  float xtc_probability = 0;   // 0 to 1: how often all tokens that reach the threshold go, but for the least probable of them
  float xtc_threshold = 0.1F;  // 0 to 1; above 0.5 no two tokens reach it
  float dynatemp_range = 0;    // >= 0: the temperature lies up to so much below and above `temperature`, by the entropy of the remaining tokens
  float dynatemp_exponent = 1;  // >= 0: of the entropy, as part of the greatest that these tokens could have
  int mirostat = 0;             // 0: off, 2: the second version (Basu et al., 2021)
  float mirostat_tau = 5;       // >= 0, bits: the surprise that is aimed at
  float mirostat_eta = 0.1F;    // >= 0: how fast its bound follows
  float dry_multiplier = 0;     // >= 0; 0: off. Taken off a token that makes a repetition longer: multiplier * base^(length - allowed length)
  float dry_base = 1.75F;       // >= 1
  int dry_allowed_length = 2;   // >= 0
  int dry_penalty_last_n = 64;  // the tokens in which repetitions are found, prompt included; 0: none, -1: everything
  std::vector<std::string> dry_sequence_breakers{"\n", ":", "\"", "*"};  // no repetition reaches beyond one
  float repeat_penalty = 1;    // > 0: a logit above 0 is divided by it, one below multiplied (Keskar et al., CTRL, 2019)
  int repeat_last_n = 64;      // the window of the three penalties, prompt included; 0: none, -1: everything
  float presence_penalty = 0;  // taken off where a token is in the window
  float frequency_penalty = 0;  // taken off for each time that it is there
  std::vector<std::pair<TokenId, float>> logit_bias;  // -inf forbids; several for one token add up
  std::uint64_t seed = 0;
  int logprobs = -1;  // how many of the best tokens to report beside the chosen one; -1: no logprobs at all
};

struct Logprob {
  TokenId id;
  float logprob;
};

struct Choice {
  TokenId id;
  float logprob = 0;         // of the unmodified logits, where SamplingOptions::logprobs requests it
  std::vector<Logprob> top;  // likewise, best first; fewer where fewer have a chance at all
};

/// Tokens that may come next, a bit each: bit id % 32 of word id / 32.
using TokenMask = std::vector<std::uint32_t>;

/// Chooses the tokens of one sequence. The same options, tokens and logits give the same choices on every machine.
class Sampler {
 public:
  /// `breakers`: those of the options, laid out against the vocabulary; null: none. Throws Error `invalid_request` naming an option that is NaN, out of its range, or a bias for an id beyond `vocabulary`.
  Sampler(const SamplingOptions& options, int vocabulary, std::shared_ptr<const SequenceBreakers> breakers = nullptr);

  /// Adds a token to the window that the penalties count; sample() adds the tokens that it chooses. Throws Error `invalid_request` for an id outside of the vocabulary.
  void accept(TokenId id);

  /// Chooses a token by `logits` (vocabulary), which stay unchanged, among those that `allowed` holds; null: all. Throws Error `invalid_model` where a logit is NaN or +inf, or
  /// all are -inf, `invalid_request` where the bias leaves no token, `internal` where `allowed` leaves none. After the first few calls it allocates only Choice::top.
  Choice sample(const float* logits, const TokenMask* allowed);

  /// The rule by which a device that has the logits chooses as sample() would; its choice goes to take(). None for options that only sample() supports
  /// (typical_p, top_n_sigma, XTC, DRY, dynamic temperature, Mirostat). Points into this sampler and `allowed` until the next call.
  std::optional<TokenRule> rule(const TokenMask* allowed);
  /// Accepts the choice that a device made by the last rule(), with the effects of sample(). `masked`: whether there was a mask.
  Choice take(const TokenChoice& chosen, bool masked);

 private:
  /// What the tokens are chosen from, after bias, penalties and mask.
  LogitRow& read_row(const float* logits, const TokenMask* allowed);
  void add_bias();
  void take_penalties();
  void apply_mask(const TokenMask& allowed);
  void check_length(const TokenMask& allowed) const;
  [[noreturn]] void refuse_all(bool masked) const;
  void draw();
  /// The token is chosen: it joins the window, and the next draw is another.
  void settle(TokenId id);
  TokenId choose(LogitRow& row);
  /// Mirostat 2.
  TokenId choose_by_surprise(LogitRow& row);
  /// False where nothing needs the tokens one by one; otherwise the remaining ones are in candidates_.
  bool truncate(LogitRow& row);
  bool removes_probable() const;
  void fill_logprobs(Choice& choice);
  /// The same where best_ is there: of unmodified logits.
  void fill_logprobs(Choice& choice, float chosen, float greatest, std::uint64_t sum);

  SamplingOptions options_;
  int vocabulary_;
  bool penalises_;
  std::vector<TokenBias> biases_;
  Penalties penalties_;
  PenaltyWindow window_;
  Repetitions repetitions_;
  std::vector<TokenCount> counts_;
  std::mt19937_64 random_;  // the standard fixes its output
  std::mt19937_64 xtc_random_;  // of its own: the draws do not depend on XTC
  std::uint64_t draw_ = 0;      // of the next choice, 53 bits
  std::uint64_t xtc_draw_ = 0;
  double mirostat_bound_;  // bits
  LogitRow unmodified_;
  LogitRow modified_;
  std::vector<float> logits_;
  Candidates candidates_;
  std::vector<RankedToken> best_;
};

}  // namespace lectern::llm
