#include "llm/rank_head.h"

#include <cmath>
#include <cstddef>

namespace lectern::llm {
namespace {

/// In four sums, which a processor adds side by side.
double dot(const float* a, const float* b, std::size_t count) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t k = 0; k < 4; k++) sums[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  }
  for (; i < count; i++) sums[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

float RankHead::score(const float* x) const {
  const std::size_t width = out.size();
  if (dense.empty()) return static_cast<float>(dot(out.data(), x, width) + static_cast<double>(out_bias));
  std::vector<float> hidden(width);
  for (std::size_t i = 0; i < width; i++) {
    const double bias = dense_bias.empty() ? 0 : static_cast<double>(dense_bias[i]);
    hidden[i] = static_cast<float>(std::tanh(dot(dense.data() + i * width, x, width) + bias));
  }
  return static_cast<float>(dot(out.data(), hidden.data(), width) + static_cast<double>(out_bias));
}

}  // namespace lectern::llm
