#include "llm/sampling/logit_row.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "error.h"

namespace lectern::llm {
namespace {

// Side by side in fixed places, so that how wide a machine's registers are does not change the order of a sum.
constexpr std::size_t lanes = 8;
constexpr float infinite = std::numeric_limits<float>::infinity();

struct Extreme {
  float greatest;
  bool sound;
};

/// The greatest of up to a block's logits, and whether all are below +inf, which NaN is not.
Extreme extreme_of(const float* logits, std::size_t count) {
  std::array<float, lanes> greatest;
  greatest.fill(-infinite);
  std::array<std::uint32_t, lanes> unsound{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; lane++) {
      const float logit = logits[i + lane];
      greatest[lane] = logit > greatest[lane] ? logit : greatest[lane];
      unsound[lane] |= logit < infinite ? 0U : 1U;
    }
  }
  for (; i < count; i++) {
    greatest[0] = logits[i] > greatest[0] ? logits[i] : greatest[0];
    unsound[0] |= logits[i] < infinite ? 0U : 1U;
  }
  return {*std::max_element(greatest.begin(), greatest.end()), std::count(unsound.begin(), unsound.end(), 0U) == lanes};
}

/// Of up to a block's logits.
double sum_of(const float* logits, std::size_t count, WeightScale scale) {
  std::array<double, LogitRow::block_size> weights;
  weigh(logits, count, scale, weights.data());
  std::fill(weights.begin() + static_cast<std::ptrdiff_t>(count), weights.end(), 0.0);
  std::array<double, lanes> sums{};
  for (std::size_t i = 0; i < weights.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; lane++) sums[lane] += weights[i + lane];
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace

void LogitRow::read(const float* logits, std::size_t count) {
  logits_ = logits;
  count_ = count;
  greatest_of_.resize((count + block_size - 1) / block_size);
  greatest_ = -infinite;
  for (std::size_t block = 0; block < greatest_of_.size(); block++) {
    const std::size_t begin = block * block_size;
    const Extreme extreme = extreme_of(logits + begin, end_of(block) - begin);
    if (!extreme.sound) throw Error(ErrorCode::internal, "The model gave a logit that is no finite number.");
    greatest_of_[block] = extreme.greatest;
    greatest_ = std::max(greatest_, extreme.greatest);
  }
}

TokenId LogitRow::best() const {
  const auto block = static_cast<std::size_t>(std::find(greatest_of_.begin(), greatest_of_.end(), greatest_) - greatest_of_.begin());
  return static_cast<TokenId>(std::find(logits_ + block * block_size, logits_ + end_of(block), greatest_) - logits_);
}

/// A logit that at least `count` finite ones reach: so many blocks have one.
float LogitRow::floor_of(std::size_t count) {
  if (count == 0 || count > greatest_of_.size()) return lowest;
  by_rank_ = greatest_of_;
  const auto nth = by_rank_.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(by_rank_.begin(), nth, by_rank_.end(), std::greater<>());
  return std::max(*nth, lowest);
}

void LogitRow::take_best(std::size_t count, std::vector<RankedToken>& out) {
  out.clear();
  if (count == 0) return;
  each_from(floor_of(count), [&out](TokenId id, float logit) { out.push_back({id, logit}); });
  if (out.size() <= count) return;
  std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count) - 1, out.end(), ranks_before);
  out.resize(count);
}

double LogitRow::sum(double temperature) {
  scale_ = {static_cast<double>(greatest_), 1 / temperature};
  sums_.resize(greatest_of_.size());
  sum_ = 0;
  for (std::size_t block = 0; block < sums_.size(); block++) {
    const std::size_t begin = block * block_size;
    sums_[block] = sum_of(logits_ + begin, end_of(block) - begin, scale_);
    sum_ += sums_[block];
  }
  return sum_;
}

TokenId LogitRow::at_part(double part) const {
  const double target = part * sum_;
  // Rounding may leave the target at the end or past it: then it is the last block, and in it the last token, that has a chance.
  std::size_t chosen = 0;
  double before = 0;
  double passed = 0;
  for (std::size_t block = 0; block < sums_.size() && passed <= target; block++) {
    if (sums_[block] == 0) continue;
    chosen = block;
    before = passed;
    passed += sums_[block];
  }
  const std::size_t begin = chosen * block_size;
  std::array<double, block_size> weights;
  weigh(logits_ + begin, end_of(chosen) - begin, scale_, weights.data());
  std::size_t last = 0;
  for (std::size_t i = 0; i < end_of(chosen) - begin; i++) {
    if (weights[i] == 0) continue;
    last = i;
    before += weights[i];
    if (before > target) break;
  }
  return static_cast<TokenId>(begin + last);
}

}  // namespace lectern::llm
