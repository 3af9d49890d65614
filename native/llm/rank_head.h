// The classifier of a rerank model, on the host: two small products for each pair of texts.
#pragma once

#include <vector>

namespace lectern::llm {

/// score = out . h + out_bias, h = tanh(dense x + dense_bias), or x itself where there is no dense layer. x: the pooled row of a pair.
struct RankHead {
  std::vector<float> dense;       // (width, width) row by row, or empty
  std::vector<float> dense_bias;  // (width), or empty
  std::vector<float> out;         // (width)
  float out_bias = 0;

  /// The score as the model gives it: the logit of relevance, whose logistic function is its probability. Sums are in double.
  float score(const float* x) const;
};

}  // namespace lectern::llm
