#include "llm/sampling/candidates.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "llm/sampling/weights.h"

namespace lectern::llm {
namespace {

// Distances are sorted into buckets of 1/64 nat; only the one in which the mass runs full is sorted inside. What lies further than
// the last has less than 1e-27 of the best one's probability.
constexpr std::size_t buckets = 4096;
constexpr double buckets_a_nat = 64;

std::size_t bucket_of(double distance) { return static_cast<std::size_t>(std::min(distance * buckets_a_nat, static_cast<double>(buckets - 1))); }

}  // namespace

void Candidates::take_from(const LogitRow& row, float floor) {
  tokens_.clear();
  row.each_from(floor, [this](TokenId id, float logit) { tokens_.push_back({id, logit, 0, 0}); });
}

void Candidates::take_best(LogitRow& row, std::size_t count) {
  row.take_best(count, best_);
  std::sort(best_.begin(), best_.end(), [](const RankedToken& a, const RankedToken& b) { return a.id < b.id; });
  tokens_.clear();
  for (const RankedToken& token : best_) tokens_.push_back({token.id, token.logit, 0, 0});
}

void Candidates::take_most_probable(LogitRow& row, double mass) {
  const double wanted = mass * row.sum(1);
  // Mostly a few tokens hold the mass: look near the best first.
  constexpr std::array<float, 3> depths = {4, 10, 25};
  for (const float depth : depths) {
    take_from(row, std::max(row.greatest() - depth, LogitRow::lowest));
    if (set_weights(1) >= wanted) break;
    tokens_.clear();
  }
  if (tokens_.empty()) {
    take_all(row);
    set_weights(1);
  }
  keep_nearest(wanted);
}

void Candidates::take_near_best(LogitRow& row, double part) {
  // A little too deep, for keep_near_best to decide: a logarithm is not the same on every machine.
  const double floor = static_cast<double>(row.greatest()) + std::log(part) - 1e-3;
  take_from(row, floor > static_cast<double>(LogitRow::lowest) ? std::nextafter(static_cast<float>(floor), LogitRow::lowest) : LogitRow::lowest);
  keep_near_best(part);
}

float Candidates::greatest() const {
  float greatest = LogitRow::lowest;
  for (const Candidate& token : tokens_) greatest = std::max(greatest, token.logit);
  return greatest;
}

double Candidates::set_weights(double temperature) {
  const WeightScale scale{static_cast<double>(greatest()), 1 / temperature};
  std::array<float, LogitRow::block_size> logits;
  std::array<double, LogitRow::block_size> weights;
  double sum = 0;
  for (std::size_t begin = 0; begin < tokens_.size(); begin += logits.size()) {
    const std::size_t count = std::min(logits.size(), tokens_.size() - begin);
    for (std::size_t i = 0; i < count; i++) logits[i] = tokens_[begin + i].logit;
    weigh(logits.data(), count, scale, weights.data());
    for (std::size_t i = 0; i < count; i++) {
      Candidate& token = tokens_[begin + i];
      token.distance = scale.greatest - static_cast<double>(token.logit);
      token.weight = weights[i];
      sum += token.weight;
    }
  }
  return sum;
}

void Candidates::keep_typical(double mass) {
  const double sum = set_weights(1);
  // With weights exp(-d) the surprise of a token is d + ln(sum), and the expected one sum(w d) / sum + ln(sum).
  double expected = 0;
  for (const Candidate& token : tokens_) expected += token.weight * token.distance;
  expected /= sum;
  for (Candidate& token : tokens_) token.distance = std::abs(token.distance - expected);
  keep_nearest(mass * sum);
}

void Candidates::keep_most_probable(double mass) { keep_nearest(mass * set_weights(1)); }

void Candidates::keep_near_best(double part) {
  set_weights(1);
  std::erase_if(tokens_, [part](const Candidate& token) { return token.weight < part; });
}

/// Keeps the nearest, of equally near ones the lower ids, up to the one with which their weights reach `wanted`; at least one.
void Candidates::keep_nearest(double wanted) {
  masses_.assign(buckets, 0);
  for (const Candidate& token : tokens_) masses_[bucket_of(token.distance)] += token.weight;
  double mass = 0;
  std::size_t edge = 0;
  while (edge + 1 < buckets && (masses_[edge] == 0 || mass + masses_[edge] < wanted)) mass += masses_[edge++];
  edge_.clear();
  for (const Candidate& token : tokens_) {
    if (bucket_of(token.distance) == edge) edge_.push_back(token);
  }
  const auto before = [](const Candidate& a, const Candidate& b) { return a.distance != b.distance ? a.distance < b.distance : a.id < b.id; };
  std::sort(edge_.begin(), edge_.end(), before);
  std::size_t kept = 0;
  while (kept < edge_.size()) {
    mass += edge_[kept++].weight;
    if (mass >= wanted) break;
  }
  if (kept == edge_.size()) {
    std::erase_if(tokens_, [edge](const Candidate& token) { return bucket_of(token.distance) > edge; });
  } else {
    const Candidate& out = edge_[kept];
    std::erase_if(tokens_, [&](const Candidate& token) { return !before(token, out); });
  }
}

TokenId Candidates::at_part(double temperature, double part) {
  const double target = part * set_weights(temperature);
  // Where rounding leaves the target at the end it is the last token that has a chance.
  TokenId last = tokens_.front().id;
  double passed = 0;
  for (const Candidate& token : tokens_) {
    if (token.weight == 0) continue;
    last = token.id;
    passed += token.weight;
    if (passed > target) break;
  }
  return last;
}

}  // namespace lectern::llm
