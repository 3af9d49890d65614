// The choice of the next token from a row of logits: penalties, truncations, temperature, the seeded draw.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

/// The defaults change nothing: the model's own distribution.
struct SamplingOptions {
  float temperature = 1;  // 0: the most probable token
  int top_k = 0;          // 0: all
  float top_p = 1;
  float min_p = 0;
  float typical_p = 1;
  float repeat_penalty = 1;
  int repeat_last_n = 64;  // the window of the three penalties, prompt included; 0: none, -1: everything
  float presence_penalty = 0;
  float frequency_penalty = 0;
  std::vector<std::pair<TokenId, float>> logit_bias;  // -inf forbids
  std::uint64_t seed = 0;
  int logprobs = -1;  // how many of the best to tell beside the chosen one; -1: no logprobs at all
};

struct Logprob {
  TokenId id;
  float logprob;
};

struct Choice {
  TokenId id;
  float logprob = 0;         // of the unmodified logits, where SamplingOptions::logprobs asks
  std::vector<Logprob> top;  // likewise, best first
};

/// Tokens that may come next, a bit each: bit id % 32 of word id / 32.
using TokenMask = std::vector<std::uint32_t>;

/// Of one sequence. The same options, tokens and logits give the same choices on every machine.
class Sampler {
 public:
  /// Throws Error `invalid_request` naming an option that is NaN, out of its range, or a bias for an id beyond `vocabulary`.
  Sampler(const SamplingOptions& options, int vocabulary);

  /// Adds to the window of the penalties; what sample() chose is added by itself.
  void accept(TokenId id);

  /// `logits` (vocabulary) is left as it is; `allowed` null: all. Throws Error `internal` where no token is left, or a logit is NaN.
  Choice sample(const float* logits, const TokenMask* allowed);

 private:
  SamplingOptions options_;
  int vocabulary_;
};

}  // namespace lectern::llm
