// Sampling as its papers say it, with nothing but sorting and double arithmetic: what the quick sampler is held against.
#pragma once

#include <vector>

#include "llm/sampler.h"

namespace lectern::test {

struct ReferenceDistribution {
  std::vector<double> probability;  // by token; empty where no token is left
  /// False where a truncation's edge lies so close to where another order of summing would put it that neither is wrong.
  bool sure = true;
};

/// What a choice depends on beside the logits and the tokens before.
struct ReferenceState {
  double xtc_draw = 1;        // in [0, 1): XTC applies where it is below xtc_probability
  double mirostat_bound = 0;  // bits
  std::vector<std::vector<llm::TokenId>> breakers;  // of DRY, as sequences of tokens
};

/// `history`: every token before, the oldest first.
ReferenceDistribution reference_distribution(const llm::SamplingOptions& options, const std::vector<float>& logits,
                                     const std::vector<llm::TokenId>& history, const llm::TokenMask* allowed, const ReferenceState& state = {});

/// DRY: what is taken off the logit of `id`.
double reference_repetition_penalty(const llm::SamplingOptions& options, const std::vector<llm::TokenId>& history, llm::TokenId id, const std::vector<std::vector<llm::TokenId>>& breakers);

/// The natural logarithms of the probabilities of unmodified logits.
std::vector<double> reference_logprobs(const std::vector<float>& logits);

}  // namespace lectern::test
