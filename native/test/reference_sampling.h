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

/// `history`: every token before, the oldest first.
ReferenceDistribution reference_distribution(const llm::SamplingOptions& options, const std::vector<float>& logits,
                                     const std::vector<llm::TokenId>& history, const llm::TokenMask* allowed);

/// The natural logarithms of the probabilities of unmodified logits.
std::vector<double> reference_logprobs(const std::vector<float>& logits);

}  // namespace lectern::test
