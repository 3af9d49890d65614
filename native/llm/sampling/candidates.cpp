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

// Below it the best token alone has a mass, and its inverse stays finite.
constexpr double least_temperature = 1e-30;

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
  const std::uint64_t wanted = wanted_mass(mass, row.sum(1));
  // Mostly a few tokens hold the mass: look near the best first.
  constexpr std::array<float, 3> depths = {4, 10, 25};
  for (const float depth : depths) {
    take_from(row, std::max(row.greatest() - depth, LogitRow::lowest));
    if (set_masses(1) >= wanted) break;
    tokens_.clear();
  }
  if (tokens_.empty()) {
    take_all(row);
    set_masses(1);
  }
  keep_nearest(wanted);
}

void Candidates::take_near_best(LogitRow& row, double part) {
  // A little too deep, for keep_near_best to decide: a logarithm is not the same on every machine, and a mass is rounded, up to a half.
  const double floor = static_cast<double>(row.greatest()) + std::log(std::max(part - std::ldexp(0.5, -mass_bits), 0.0)) - 1e-3;
  take_from(row, floor > static_cast<double>(LogitRow::lowest) ? std::nextafter(static_cast<float>(floor), LogitRow::lowest) : LogitRow::lowest);
  keep_near_best(part);
}

float Candidates::greatest() const {
  float greatest = LogitRow::lowest;
  for (const Candidate& token : tokens_) greatest = std::max(greatest, token.logit);
  return greatest;
}

std::uint64_t Candidates::set_masses(double temperature) {
  const WeightScale scale{static_cast<double>(greatest()), 1 / temperature};
  std::array<float, LogitRow::block_size> logits;
  std::array<std::uint64_t, LogitRow::block_size> masses;
  std::uint64_t sum = 0;
  for (std::size_t begin = 0; begin < tokens_.size(); begin += logits.size()) {
    const std::size_t count = std::min(logits.size(), tokens_.size() - begin);
    for (std::size_t i = 0; i < count; i++) logits[i] = tokens_[begin + i].logit;
    weigh(logits.data(), count, scale, masses.data());
    for (std::size_t i = 0; i < count; i++) {
      Candidate& token = tokens_[begin + i];
      token.distance = scale.greatest - static_cast<double>(token.logit);
      token.mass = masses[i];
      sum += token.mass;
    }
  }
  return sum;
}

void Candidates::keep_typical(double mass) {
  const std::uint64_t sum = set_masses(1);
  // With probabilities in proportion to exp(-d) the surprise of a token is d + ln(sum), and the expected one sum(w d) / sum + ln(sum).
  double expected = 0;
  for (const Candidate& token : tokens_) expected += static_cast<double>(token.mass) * token.distance;
  expected /= static_cast<double>(sum);
  for (Candidate& token : tokens_) token.distance = std::abs(token.distance - expected);
  keep_nearest(wanted_mass(mass, sum));
}

void Candidates::keep_most_probable(double mass) { keep_nearest(wanted_mass(mass, set_masses(1))); }

void Candidates::keep_near_best(double part) {
  set_masses(1);
  std::erase_if(tokens_, [part](const Candidate& token) { return !is_near_best(token.mass, part); });
}

/// Keeps the nearest, of equally near ones those that rank before, up to the one with which their masses reach `wanted`; at least one.
void Candidates::keep_nearest(std::uint64_t wanted) {
  masses_.assign(buckets, 0);
  for (const Candidate& token : tokens_) masses_[bucket_of(token.distance)] += token.mass;
  std::uint64_t mass = 0;
  std::size_t edge = 0;
  while (edge + 1 < buckets && (masses_[edge] == 0 || mass + masses_[edge] < wanted)) mass += masses_[edge++];
  edge_.clear();
  for (const Candidate& token : tokens_) {
    if (bucket_of(token.distance) == edge) edge_.push_back(token);
  }
  const auto before = [](const Candidate& a, const Candidate& b) { return a.distance != b.distance ? a.distance < b.distance : ranks_before({a.id, a.logit}, {b.id, b.logit}); };
  std::sort(edge_.begin(), edge_.end(), before);
  std::size_t kept = 0;
  while (kept < edge_.size()) {
    mass += edge_[kept++].mass;
    if (mass >= wanted) break;
  }
  if (kept == edge_.size()) {
    std::erase_if(tokens_, [edge](const Candidate& token) { return bucket_of(token.distance) > edge; });
  } else {
    const Candidate& out = edge_[kept];
    std::erase_if(tokens_, [&](const Candidate& token) { return !before(token, out); });
  }
}

void Candidates::keep_best(std::size_t count) {
  if (tokens_.size() <= count) return;
  best_.clear();
  for (const Candidate& token : tokens_) best_.push_back({token.id, token.logit});
  const auto last = best_.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(best_.begin(), last, best_.end(), ranks_before);
  std::erase_if(tokens_, [edge = *last](const Candidate& token) { return ranks_before(edge, {token.id, token.logit}); });
}

void Candidates::keep_within_deviations(double count) {
  const auto total = static_cast<double>(tokens_.size());
  double sum = 0;
  for (const Candidate& token : tokens_) sum += static_cast<double>(token.logit);
  const double mean = sum / total;
  double squares = 0;
  for (const Candidate& token : tokens_) squares += (static_cast<double>(token.logit) - mean) * (static_cast<double>(token.logit) - mean);
  const double floor = static_cast<double>(greatest()) - count * std::sqrt(squares / total);
  std::erase_if(tokens_, [floor](const Candidate& token) { return static_cast<double>(token.logit) < floor; });
}

void Candidates::remove_probable(double threshold) {
  const double wanted = threshold * static_cast<double>(set_masses(1));
  const Candidate* last = nullptr;
  for (const Candidate& token : tokens_) {
    if (static_cast<double>(token.mass) >= wanted && (last == nullptr || ranks_before({last->id, last->logit}, {token.id, token.logit}))) last = &token;
  }
  if (last == nullptr) return;
  std::erase_if(tokens_, [edge = RankedToken{last->id, last->logit}](const Candidate& token) { return ranks_before({token.id, token.logit}, edge); });
}

void Candidates::keep_unsurprising(double temperature, double bits) {
  const double least = static_cast<double>(set_masses(temperature)) * std::exp2(-bits);
  RankedToken best{tokens_.front().id, tokens_.front().logit};
  for (const Candidate& token : tokens_) {
    if (ranks_before({token.id, token.logit}, best)) best = {token.id, token.logit};
  }
  std::erase_if(tokens_, [&](const Candidate& token) { return static_cast<double>(token.mass) < least && token.id != best.id; });
}

double Candidates::dynamic_temperature(double temperature, double range, double exponent) {
  if (tokens_.size() < 2) return temperature;
  const auto sum = static_cast<double>(set_masses(1));
  double distance = 0;
  for (const Candidate& token : tokens_) distance += static_cast<double>(token.mass) * token.distance;
  // The entropy of probabilities in proportion to exp(-distance).
  const double entropy = std::log(std::ldexp(sum, -mass_bits)) + distance / sum;
  const double part = std::clamp(entropy / std::log(static_cast<double>(tokens_.size())), 0.0, 1.0);
  const double least = std::max(0.0, temperature - range);
  // To 24 bits: logarithms differ in their last bits from machine to machine.
  return static_cast<double>(static_cast<float>(least + (temperature + range - least) * std::pow(part, exponent)));
}

TokenId Candidates::drawn(double temperature, std::uint64_t draw) {
  drawn_sum_ = set_masses(std::max(temperature, least_temperature));
  std::uint64_t left = drawn_mass(draw, drawn_sum_);
  std::size_t i = 0;
  while (tokens_[i].mass <= left) left -= tokens_[i++].mass;
  drawn_mass_ = tokens_[i].mass;
  return tokens_[i].id;
}

double Candidates::surprise() const { return std::log2(static_cast<double>(drawn_sum_) / static_cast<double>(drawn_mass_)); }

}  // namespace lectern::llm
