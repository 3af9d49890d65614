// What the sampler refuses, what it cannot sample from, and the exponential that it weighs with.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "backend/exponential.h"
#include "error.h"
#include "harness.h"
#include "llm/sampler.h"
#include "llm/sampling/weights.h"

namespace lectern {
namespace {

using llm::Sampler;
using llm::SamplingOptions;
using llm::TokenId;
using llm::TokenMask;
using test::check;

constexpr float infinite = std::numeric_limits<float>::infinity();

void check_refused(const std::string& option, const SamplingOptions& options) {
  try {
    const Sampler sampler(options, 10);
    check(false, option + ": taken");
  } catch (const Error& error) {
    const bool named = std::string(error.what()).find("\"" + option + "\"") != std::string::npos;
    check(error.code() == ErrorCode::invalid_request && named, option + ": " + error.what());
  }
}

LECTERN_TEST("sampler: options out of their range are refused by name") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto with = [](auto member, auto value) {
    SamplingOptions options;
    options.*member = value;
    return options;
  };
  for (const float value : {nan, -1.0F, infinite}) {
    check_refused("temperature", with(&SamplingOptions::temperature, value));
    check_refused("top_p", with(&SamplingOptions::top_p, value));
    check_refused("min_p", with(&SamplingOptions::min_p, value));
    check_refused("typical_p", with(&SamplingOptions::typical_p, value));
    check_refused("repeat_penalty", with(&SamplingOptions::repeat_penalty, value));
    check_refused("xtc_probability", with(&SamplingOptions::xtc_probability, value));
    check_refused("xtc_threshold", with(&SamplingOptions::xtc_threshold, value));
    check_refused("dynatemp_range", with(&SamplingOptions::dynatemp_range, value));
    check_refused("dynatemp_exponent", with(&SamplingOptions::dynatemp_exponent, value));
    check_refused("mirostat_tau", with(&SamplingOptions::mirostat_tau, value));
    check_refused("mirostat_eta", with(&SamplingOptions::mirostat_eta, value));
    check_refused("dry_multiplier", with(&SamplingOptions::dry_multiplier, value));
    check_refused("dry_base", with(&SamplingOptions::dry_base, value));
  }
  check_refused("dry_base", with(&SamplingOptions::dry_base, 0.5F));
  check_refused("mirostat", with(&SamplingOptions::mirostat, 1));
  check_refused("dry_allowed_length", with(&SamplingOptions::dry_allowed_length, -1));
  check_refused("dry_penalty_last_n", with(&SamplingOptions::dry_penalty_last_n, -2));
  check_refused("top_p", with(&SamplingOptions::top_p, 1.1F));
  check_refused("repeat_penalty", with(&SamplingOptions::repeat_penalty, 0.0F));
  for (const float value : {nan, infinite, -infinite}) {
    check_refused("top_n_sigma", with(&SamplingOptions::top_n_sigma, value));
    check_refused("presence_penalty", with(&SamplingOptions::presence_penalty, value));
    check_refused("frequency_penalty", with(&SamplingOptions::frequency_penalty, value));
  }
  check_refused("top_k", with(&SamplingOptions::top_k, -1));
  check_refused("repeat_last_n", with(&SamplingOptions::repeat_last_n, -2));
  check_refused("logprobs", with(&SamplingOptions::logprobs, -2));
  using Bias = std::vector<std::pair<TokenId, float>>;
  for (const Bias& bias : {Bias{{10, 1.0F}}, Bias{{-1, 1.0F}}, Bias{{0, nan}}, Bias{{0, infinite}}}) {
    check_refused("logit_bias", with(&SamplingOptions::logit_bias, bias));
  }
}

LECTERN_TEST("sampler: what cannot be sampled from is an error, and the next row is not") {
  SamplingOptions options;
  options.repeat_penalty = 2;
  options.repeat_last_n = std::numeric_limits<int>::max();
  Sampler sampler(options, 300);
  const std::vector<float> good(300, 0.5F);
  TokenMask nothing(10);
  TokenMask beyond(10);
  beyond[9] = 0xFFFFF000U;  // ids 300 and up
  test::check_throws(ErrorCode::internal, [&] { (void)sampler.sample(good.data(), &nothing); }, "a mask of nothing");
  test::check_throws(ErrorCode::internal, [&] { (void)sampler.sample(good.data(), &beyond); }, "a mask of what is no token");
  const TokenMask brief(9, UINT32_MAX);
  test::check_throws(ErrorCode::internal, [&] { (void)sampler.sample(good.data(), &brief); }, "a mask too short");
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinite}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{255}, std::size_t{257}, std::size_t{299}}) {
      std::vector<float> broken = good;
      broken[place] = bad;
      test::check_throws(ErrorCode::invalid_model, [&] { (void)sampler.sample(broken.data(), nullptr); }, "a logit that is no number");
      test::check_throws(ErrorCode::invalid_model, [&] { (void)sampler.sample(broken.data(), &nothing); }, "also behind a mask");
    }
  }
  const std::vector<float> impossible(300, -infinite);
  test::check_throws(ErrorCode::invalid_model, [&] { (void)sampler.sample(impossible.data(), nullptr); }, "no token has a chance");
  test::check_throws(ErrorCode::invalid_request, [&] { sampler.accept(300); }, "a token past the end");
  test::check_throws(ErrorCode::invalid_request, [&] { sampler.accept(-1); }, "a negative token");
  nothing[3] = 1;
  check(sampler.sample(good.data(), &nothing).id == 96, "the only token that is left");
}

LECTERN_TEST("sampler: its exponential is that of the library but for rounding") {
  double worst = 0;
  for (int i = 0; i <= 200000; i++) {
    const double x = -699.0 * i / 200000;
    worst = std::max(worst, std::abs(exponential(x) / std::exp(x) - 1));
  }
  test::check_near(worst, 0, 6e-16, "the greatest relative difference");
  std::vector<float> logits;
  for (int i = 0; i < 999; i++) logits.push_back(i == 500 ? -infinite : static_cast<float>(i - 998) * 0.731F);
  for (const Instructions level : instruction_levels()) {
    if (level > available_instructions()) {
      test::note("skipped: this machine has no " + std::string(name_of(level)));
      continue;
    }
    std::vector<std::uint64_t> masses(logits.size());
    llm::weigh(logits.data(), logits.size(), {0.1, 1.3}, masses.data(), level);
    bool same = true;
    for (std::size_t i = 0; i < logits.size(); i++) {
      const double weight = std::exp((static_cast<double>(logits[i]) - 0.1) * 1.3);
      same = same && masses[i] == mass_of(logits[i], {0.1, 1.3}) && std::abs(static_cast<double>(masses[i]) - std::ldexp(weight, mass_bits)) < 0.501;
    }
    check(same, "the same masses with " + std::string(name_of(level)));
  }
  check(exponential(0) == 1 && exponential(-701) == 0 && exponential(-std::numeric_limits<double>::infinity()) == 0, "the ends");
}

}  // namespace
}  // namespace lectern
