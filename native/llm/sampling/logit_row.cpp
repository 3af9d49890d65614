#include "llm/sampling/logit_row.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "error.h"

namespace lectern::llm {
namespace {

// Logits that one vector instruction compares.
constexpr std::size_t lanes = 8;
constexpr float infinite = std::numeric_limits<float>::infinity();

struct Extreme {
  float greatest;
  bool sound;
};

/// The greatest of `count` logits, and whether all are sound: below +inf, a comparison that NaN fails.
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

/// The sum of the masses of `count` logits, at most block_size.
std::uint64_t sum_of(const float* logits, std::size_t count, WeightScale scale) {
  std::array<std::uint64_t, LogitRow::block_size> masses;
  weigh(logits, count, scale, masses.data());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; i++) sum += masses[i];
  return sum;
}

}  // namespace

void refuse_unsound_logits() { throw Error(ErrorCode::invalid_model, "The model gave a logit that is no finite number: its weights are damaged, or too large for it to compute with."); }

void LogitRow::read(const float* logits, std::size_t count) {
  logits_ = logits;
  count_ = count;
  greatest_of_.resize((count + block_size - 1) / block_size);
  greatest_ = -infinite;
  for (std::size_t block = 0; block < greatest_of_.size(); block++) {
    const std::size_t begin = block * block_size;
    const Extreme extreme = extreme_of(logits + begin, end_of(block) - begin);
    if (!extreme.sound) refuse_unsound_logits();
    greatest_of_[block] = extreme.greatest;
    greatest_ = std::max(greatest_, extreme.greatest);
  }
}

TokenId LogitRow::best() const {
  const auto block = static_cast<std::size_t>(std::find(greatest_of_.begin(), greatest_of_.end(), greatest_) - greatest_of_.begin());
  return static_cast<TokenId>(std::find(logits_ + block * block_size, logits_ + end_of(block), greatest_) - logits_);
}

/// A lower bound of the `count` best logits: the count-th greatest of the blocks' maxima, which at least `count` logits reach, one in each of these blocks. `lowest` where there are fewer blocks.
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

std::uint64_t LogitRow::sum(double temperature) {
  scale_ = {static_cast<double>(greatest_), 1 / temperature};
  sums_.resize(greatest_of_.size());
  std::uint64_t sum = 0;
  for (std::size_t block = 0; block < sums_.size(); block++) {
    const std::size_t begin = block * block_size;
    sums_[block] = sum_of(logits_ + begin, end_of(block) - begin, scale_);
    sum += sums_[block];
  }
  return sum;
}

TokenId LogitRow::at_mass(std::uint64_t mass) const {
  std::size_t block = 0;
  while (sums_[block] <= mass) mass -= sums_[block++];
  const std::size_t begin = block * block_size;
  std::array<std::uint64_t, block_size> masses;
  weigh(logits_ + begin, end_of(block) - begin, scale_, masses.data());
  std::size_t i = 0;
  while (masses[i] <= mass) mass -= masses[i++];
  return static_cast<TokenId>(begin + i);
}

}  // namespace lectern::llm
