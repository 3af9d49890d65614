#include "llm/sampling/repetitions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/sampling.h"

namespace lectern::llm {
namespace {

/// Of the largest float: a penalty beyond it would be infinite.
constexpr double most_log = 88.7228391;
/// Bases up to here do not grow beyond that in a context.
constexpr double flat_base = 1.000001;

}  // namespace

Repetitions::Repetitions(RepetitionOptions options, std::shared_ptr<const SequenceBreakers> breakers) : options_(options), breakers_(std::move(breakers)) {}

void Repetitions::add(TokenId id) {
  if (options_.multiplier == 0 || options_.last_n == 0) return;
  find_breaker(id);
  if (options_.last_n < 0 || tokens_.size() < static_cast<std::size_t>(options_.last_n)) {
    tokens_.push_back(id);
    newest_ = tokens_.size() - 1;
    return;
  }
  newest_ = (newest_ + 1) % tokens_.size();
  tokens_[newest_] = id;
}

bool Repetitions::find() {
  longest_.clear();
  const auto allowed = static_cast<std::size_t>(options_.allowed_length);
  if (tokens_.size() <= allowed) return false;
  const std::size_t most = unbroken();
  if (most < allowed) return false;
  count_repeated();
  for (std::size_t age = 1; age < tokens_.size(); age++) {
    const std::size_t length = std::min(repeated_[age], most);
    const TokenId next = back(age - 1);
    if (length < allowed || (breakers_ && breakers_->breaks_alone(next))) continue;
    std::size_t& longest = longest_[next];
    longest = std::max(longest, length);
  }
  return !longest_.empty();
}

void Repetitions::penalise(float* logits) const {
  const double most = options_.base > flat_base ? std::floor(most_log / std::log(options_.base)) : HUGE_VAL;
  for (const auto& [id, length] : longest_) {
    if (logits[id] == -INFINITY) continue;
    const double over = static_cast<double>(length) - options_.allowed_length;
    logits[id] = finite_logit(static_cast<double>(logits[id]) - options_.multiplier * std::pow(options_.base, std::min(over, most)));
  }
}

void Repetitions::find_breaker(TokenId id) {
  const std::uint64_t number = added_++;
  if (!breakers_) return;
  if (const auto node = breakers_->begin(id)) {
    begun_.push_back({number, *node});
  }
  std::size_t kept = 0;
  for (Begun begun : begun_) {
    if (begun.first < number) {
      const auto node = breakers_->step(begun.node, id);
      if (!node) continue;
      begun.node = *node;
    }
    // They are in order: one that begins later is the last one, and a longer one of the same begin ends later.
    if (breakers_->breaks(begun.node) && (!breaker_first_ || begun.first >= *breaker_first_)) {
      breaker_first_ = begun.first;
      breaker_end_ = number + 1;
    }
    if (breakers_->goes_on(begun.node)) begun_[kept++] = begun;
  }
  begun_.resize(kept);
}

std::size_t Repetitions::unbroken() const {
  const std::size_t count = tokens_.size();
  return breaker_first_ && added_ - *breaker_first_ <= count ? static_cast<std::size_t>(added_ - breaker_end_) : count;
}

/// The Z function of the tokens from the last to the first (Gusfield, Algorithms on Strings, Trees and Sequences, 1.4): linear time.
void Repetitions::count_repeated() {
  const std::size_t count = tokens_.size();
  repeated_.assign(count, 0);
  // The match that reaches farthest back: ages [begin, end) equal [0, end - begin).
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t age = 1; age < count; age++) {
    std::size_t length = age < end ? std::min(end - age, repeated_[age - begin]) : 0;
    while (age + length < count && back(length) == back(age + length)) length++;
    repeated_[age] = length;
    if (age + length > end) {
      begin = age;
      end = age + length;
    }
  }
}

}  // namespace lectern::llm
