// The sampler against plain sampling, and its draw against chance.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "error.h"
#include "harness.h"
#include "llm/sampler.h"
#include "reference_sampling.h"
#include "random_draws.h"

namespace lectern {
namespace {

using llm::Choice;
using llm::Sampler;
using llm::SamplingOptions;
using llm::TokenId;
using llm::TokenMask;
using test::below;
using test::check;
using test::Random;
using test::uniform;

constexpr float infinite = std::numeric_limits<float>::infinity();

/// Nearly normal: the sum of twelve.
float normal(Random& random) {
  float sum = -6;
  for (int i = 0; i < 12; i++) sum += uniform(random, 0, 1);
  return sum;
}

std::vector<float> random_logits(Random& random, std::size_t count) {
  std::vector<float> logits(count);
  const std::size_t kind = below(random, 8);
  const float spread = uniform(random, 0.1, 10);
  for (float& logit : logits) {
    logit = normal(random) * spread;
    if (kind == 1) logit = std::floor(normal(random) * 2);                       // many equal
    if (kind == 2) logit = 1.5F;                                                 // all equal
    if (kind == 3 && below(random, 3) == 0) logit = below(random, 2) == 0 ? 1e30F : -1e30F;
    if (kind == 4 && below(random, 4) != 0) logit = -infinite;
    if (kind == 5) logit = below(random, 2) == 0 ? 0.0F : -0.0F;
  }
  if (kind == 6) logits[below(random, count)] += 60;
  if (kind == 7) logits[below(random, count)] = std::numeric_limits<float>::max();
  return logits;
}

void random_repetitions(Random& random, SamplingOptions& options) {
  options.dry_multiplier = uniform(random, 0, 3);
  options.dry_base = below(random, 4) == 0 ? 1 : uniform(random, 1, 3);
  options.dry_allowed_length = static_cast<int>(below(random, 4));
  options.dry_penalty_last_n = static_cast<int>(below(random, 30)) - 1;
}

SamplingOptions random_options(Random& random, std::size_t vocabulary, int only) {
  SamplingOptions options;
  options.seed = random();
  const auto wanted = [&](int option) { return only < 0 ? below(random, 3) == 0 : only == option; };
  const std::vector<float> temperatures = {0, 1e-6F, 0.1F, 0.7F, 1.5F, 100};
  if (wanted(0)) options.temperature = temperatures[below(random, temperatures.size())];
  if (wanted(1)) options.top_k = 1 + static_cast<int>(below(random, below(random, 2) == 0 ? 8 : vocabulary + 4));
  if (wanted(2)) options.top_p = below(random, 6) == 0 ? 0 : uniform(random, 0, 1);
  if (wanted(3)) options.min_p = below(random, 6) == 0 ? 1 : uniform(random, 0, 0.5);
  if (wanted(4)) options.typical_p = uniform(random, 0, 1);
  if (wanted(5)) options.repeat_penalty = uniform(random, 0.5, 3);
  if (wanted(6)) options.presence_penalty = uniform(random, -2, 2);
  if (wanted(7)) options.frequency_penalty = uniform(random, -2, 2);
  if (wanted(8)) options.repeat_last_n = static_cast<int>(below(random, 6)) - 1;
  if (wanted(11)) options.top_n_sigma = below(random, 6) == 0 ? 0 : uniform(random, 0.01, 4);
  if (wanted(12)) {
    options.xtc_probability = below(random, 3) == 0 ? 1 : uniform(random, 0, 1);
    options.xtc_threshold = below(random, 6) == 0 ? 0 : uniform(random, 0, 0.6);
  }
  if (wanted(13)) {
    options.dynatemp_range = uniform(random, 0, 3);
    options.dynatemp_exponent = below(random, 2) == 0 ? 1 : uniform(random, 0, 3);
  }
  if (only == 14 || (only < 0 && below(random, 8) == 0)) {
    options.mirostat = 2;
    options.mirostat_tau = uniform(random, 0, 8);
    options.mirostat_eta = uniform(random, 0, 1);
  }
  if (wanted(15)) random_repetitions(random, options);
  if (wanted(9)) {
    for (std::size_t i = 1 + below(random, 5); i > 0; i--) {
      options.logit_bias.emplace_back(static_cast<TokenId>(below(random, vocabulary)), below(random, 3) == 0 ? -infinite : uniform(random, -9, 9));
    }
  }
  return options;
}

/// The token at which the plain probabilities pass `part`; -1 where rounding decides.
TokenId reference_choice(const std::vector<double>& probability, double part) {
  double passed = 0;
  for (std::size_t id = 0; id < probability.size(); id++) {
    passed += probability[id];
    if (std::abs(passed - part) < 4e-9) return -1;
    if (passed > part) return static_cast<TokenId>(id);
  }
  return -1;
}

struct Tally {
  int choices = 0;
  int unsure = 0;
  int wrong = 0;
  int empty = 0;
};

/// One sequence of a few tokens.
void compare(Random& random, int only, Tally& tally) {
  constexpr std::size_t sizes[] = {1, 2, 3, 7, 31, 32, 33, 255, 256, 257, 600, 3000};
  const std::size_t vocabulary = sizes[below(random, std::size(sizes))];
  const SamplingOptions options = random_options(random, vocabulary, only);
  Sampler sampler(options, static_cast<int>(vocabulary));
  Random draws(options.seed);
  Random xtc_draws(options.seed ^ 0x9E3779B97F4A7C15);
  test::ReferenceState state{0, 2 * static_cast<double>(options.mirostat_tau), {}};
  std::vector<TokenId> history;
  for (std::size_t i = below(random, options.dry_multiplier > 0 ? 60 : 12); i > 0; i--) {
    history.push_back(static_cast<TokenId>(below(random, std::min<std::size_t>(vocabulary, options.dry_multiplier > 0 ? 2 : 5))));
    sampler.accept(history.back());
  }
  TokenMask mask((vocabulary + 31) / 32);
  const bool masked = only == 10 || (only < 0 && below(random, 3) == 0);
  for (int turn = 0; turn < 4; turn++) {
    const std::vector<float> logits = random_logits(random, vocabulary);
    for (std::uint32_t& word : mask) word = below(random, 3) == 0 ? 0 : below(random, 2) == 0 ? UINT32_MAX : static_cast<std::uint32_t>(random());
    state.xtc_draw = static_cast<double>(xtc_draws() >> 11) * 0x1p-53;
    const test::ReferenceDistribution plain = test::reference_distribution(options, logits, history, masked ? &mask : nullptr, state);
    if (plain.probability.empty()) {
      tally.empty++;
      const ErrorCode without_bias = masked ? ErrorCode::internal : ErrorCode::invalid_model;
      const ErrorCode code = options.logit_bias.empty() ? without_bias : ErrorCode::invalid_request;
      test::check_throws(code, [&] { (void)sampler.sample(logits.data(), masked ? &mask : nullptr); }, "no token is left");
      return;
    }
    const TokenId expected = reference_choice(plain.probability, options.temperature == 0 ? 0.5 : static_cast<double>(draws() >> 11) * 0x1p-53);
    const TokenId got = sampler.sample(logits.data(), masked ? &mask : nullptr).id;
    history.push_back(got);
    if (options.mirostat == 2 && options.temperature != 0) {
      state.mirostat_bound -= static_cast<double>(options.mirostat_eta) * (-std::log2(plain.probability[static_cast<std::size_t>(got)]) - static_cast<double>(options.mirostat_tau));
    }
    tally.choices++;
    // A state that rounding decided is of no use for what follows.
    if (options.mirostat == 2 && (!plain.sure || expected < 0)) {
      tally.unsure++;
      return;
    }
    if (!plain.sure || expected < 0) tally.unsure++;
    else if (got != expected) tally.wrong++;
  }
}

LECTERN_TEST("sampler: every option alone and all together choose what plain sampling chooses") {
  Random random(1);
  Tally all;
  for (int only = -1; only <= 15; only++) {
    Tally tally;
    for (int round = 0; round < (only < 0 ? 6000 : 300); round++) compare(random, only, tally);
    const std::string name = only < 0 ? "all options" : "option " + std::to_string(only);
    check(tally.wrong == 0, name + ": " + std::to_string(tally.wrong) + " of " + std::to_string(tally.choices) + " choices differ");
    check(tally.unsure * 20 < tally.choices, name + ": rounding may decide " + std::to_string(tally.unsure) + " of " + std::to_string(tally.choices));
    all.choices += tally.choices;
    all.unsure += tally.unsure;
    all.empty += tally.empty;
  }
  check(all.choices > 20000 && all.empty > 20, "enough was compared");
  test::note("sampler: " + std::to_string(all.choices) + " choices compared, " + std::to_string(all.unsure) + " left to rounding, " +
             std::to_string(all.empty) + " with no token left");
}

/// Which tokens 400 draws take.
std::vector<TokenId> taken(SamplingOptions options, const std::vector<float>& logits) {
  options.temperature = 100;
  Sampler sampler(options, static_cast<int>(logits.size()));
  std::vector<TokenId> ids;
  for (int i = 0; i < 400; i++) ids.push_back(sampler.sample(logits.data(), nullptr).id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

LECTERN_TEST("sampler: of equal logits the lower ids stay") {
  using Ids = std::vector<TokenId>;
  const std::vector<float> equal(4, 2.0F);
  SamplingOptions half;
  half.top_p = 0.5F;
  check(taken(half, equal) == Ids{0, 1}, "top_p");
  SamplingOptions two;
  two.top_k = 2;
  check(taken(two, equal) == Ids{0, 1}, "top_k");
  SamplingOptions typical;
  typical.typical_p = 0.75F;
  check(taken(typical, equal) == Ids{0, 1, 2}, "typical_p");
  SamplingOptions best;
  best.min_p = 1;
  check(taken(best, {1, 2, 2, 1}) == Ids{1, 2}, "min_p");
  SamplingOptions none;
  none.top_p = 0;
  check(taken(none, equal) == Ids{0}, "a top_p of 0");
  none = {};
  none.typical_p = 0;
  check(taken(none, {0, 0, 5}) == Ids{2}, "a typical_p of 0");
  std::vector<float> many(100000, -1.0F);
  many[70000] = many[300] = 3;
  SamplingOptions greedy;
  greedy.temperature = 0;
  check(Sampler(greedy, 100000).sample(many.data(), nullptr).id == 300, "temperature 0");
}

LECTERN_TEST("sampler: a row as large as published vocabularies") {
  Random random(5);
  constexpr std::size_t vocabulary = 151936;
  std::vector<float> logits(vocabulary);
  int wrong = 0;
  for (int round = 0; round < 12; round++) {
    const float spread = round % 2 == 0 ? 1.0F : 4.0F;
    for (float& logit : logits) logit = normal(random) * spread;
    SamplingOptions options;
    options.seed = random();
    if (round < 4) options.top_k = round < 2 ? 40 : 5000;
    if (round % 4 < 3) options.top_p = 0.9F;
    if (round >= 8) options.typical_p = 0.8F;
    if (round >= 6) options.min_p = 0.01F;
    const test::ReferenceDistribution plain = test::reference_distribution(options, logits, {}, nullptr);
    const TokenId expected = reference_choice(plain.probability, static_cast<double>(Random(options.seed)() >> 11) * 0x1p-53);
    const TokenId got = Sampler(options, vocabulary).sample(logits.data(), nullptr).id;
    if (expected >= 0 && plain.sure && got != expected) wrong++;
  }
  check(wrong == 0, std::to_string(wrong) + " of 12 differ");
}

LECTERN_TEST("sampler: the draw follows the probabilities") {
  std::vector<float> logits;
  for (int id = 0; id < 20; id++) logits.push_back(0.15F * static_cast<float>(id * 7 % 20));
  for (const bool truncated : {false, true}) {
    SamplingOptions options;
    options.temperature = 0.8F;
    options.seed = 42;
    options.top_k = truncated ? 15 : 0;
    const std::vector<double> probability = test::reference_distribution(options, logits, {}, nullptr).probability;
    Sampler sampler(options, 20);
    constexpr int draws = 200000;
    std::vector<int> counts(20);
    for (int i = 0; i < draws; i++) counts[static_cast<std::size_t>(sampler.sample(logits.data(), nullptr).id)]++;
    double chi_squared = 0;
    for (std::size_t id = 0; id < 20; id++) {
      const double expected = probability[id] * draws;
      if (expected == 0) check(counts[id] == 0, "a token that is out is never drawn");
      else chi_squared += (counts[id] - expected) * (counts[id] - expected) / expected;
    }
    // 99.9 % of fair draws lie below, with 19 and 14 degrees of freedom.
    check(chi_squared < (truncated ? 36.12 : 43.82), "chi squared is " + std::to_string(chi_squared));
  }
}

LECTERN_TEST("sampler: a seed fixes the sequence, on every machine") {
  SamplingOptions options;
  options.temperature = 0.9F;
  options.top_p = 0.95F;
  options.repeat_penalty = 1.2F;
  std::vector<float> logits;
  for (int id = 0; id < 500; id++) logits.push_back(static_cast<float>(id * 37 % 101) * 0.06F);
  const auto sequence = [&](std::uint64_t seed) {
    options.seed = seed;
    Sampler sampler(options, 500);
    std::vector<TokenId> ids;
    for (int i = 0; i < 12; i++) ids.push_back(sampler.sample(logits.data(), nullptr).id);
    return ids;
  };
  const std::vector<TokenId> first = sequence(7);
  std::string shown;
  for (const TokenId id : first) shown += " " + std::to_string(id);
  check(first == std::vector<TokenId>{379, 472, 60, 442, 73, 30, 417, 450, 131, 357, 373, 297}, "the sequence of seed 7 is" + shown);
  check(first == sequence(7), "the same again");
  check(first != sequence(8), "another seed");
}

LECTERN_TEST("sampler: logprobs are those of the unmodified logits") {
  Random random(9);
  double worst = 0;
  bool ordered = true;
  bool whole = true;
  for (int round = 0; round < 300; round++) {
    const std::size_t vocabulary = 1 + below(random, 700);
    std::vector<float> logits = random_logits(random, vocabulary);
    logits[0] = std::max(logits[0], -5.0F);
    SamplingOptions options = random_options(random, vocabulary, -1);
    std::erase_if(options.logit_bias, [](const auto& bias) { return bias.second == -infinite; });
    options.logprobs = static_cast<int>(round % 3 == 0 ? vocabulary + 3 : below(random, 21));
    Sampler sampler(options, static_cast<int>(vocabulary));
    sampler.accept(0);
    const Choice choice = sampler.sample(logits.data(), nullptr);
    const std::vector<double> expected = test::reference_logprobs(logits);
    const auto off = [&](TokenId id, float logprob) {
      const double right = expected[static_cast<std::size_t>(id)];
      return std::abs(static_cast<double>(logprob) - right) / (1 + std::abs(right));
    };
    worst = std::max(worst, off(choice.id, choice.logprob));
    double sum = 0;
    for (std::size_t i = 0; i < choice.top.size(); i++) {
      worst = std::max(worst, off(choice.top[i].id, choice.top[i].logprob));
      sum += std::exp(static_cast<double>(choice.top[i].logprob));
      if (i == 0) continue;
      const float before = logits[static_cast<std::size_t>(choice.top[i - 1].id)];
      const float here = logits[static_cast<std::size_t>(choice.top[i].id)];
      ordered = ordered && (before > here || (before == here && choice.top[i - 1].id < choice.top[i].id));
    }
    const auto possible = static_cast<std::size_t>(std::count_if(logits.begin(), logits.end(), [](float logit) { return logit > -infinite; }));
    whole = whole && choice.top.size() == std::min(possible, static_cast<std::size_t>(options.logprobs));
    if (choice.top.size() == possible) whole = whole && std::abs(sum - 1) < 1e-5;
    ordered = ordered && (choice.top.empty() || logits[static_cast<std::size_t>(choice.top[0].id)] == *std::max_element(logits.begin(), logits.end()));
  }
  test::check_near(worst, 0, 1e-6, "the greatest relative difference");
  check(ordered, "best first, equal ones by their ids");
  check(whole, "as many as asked for, and all of them sum to 1");
  SamplingOptions silent;
  const std::vector<float> two = {0, 1};
  check(Sampler(silent, 2).sample(two.data(), nullptr).top.empty(), "none without the option");
}

}  // namespace
}  // namespace lectern
