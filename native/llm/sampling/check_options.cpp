#include "llm/sampling/check_options.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "error.h"

namespace lectern::llm {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

[[noreturn]] void refuse(const std::string& name, const std::string& range, double value) {
  throw Error(ErrorCode::invalid_request, "The option \"" + name + "\" must be " + range + ", not " + shown(value) + ".");
}

// NaN fails every comparison, so each is written for what is good.
void check_part(const char* name, float value) {
  if (!(value >= 0 && value <= 1)) refuse(name, "a number from 0 to 1", static_cast<double>(value));
}

void check_finite(const char* name, float value) {
  if (!std::isfinite(value)) refuse(name, "a finite number", static_cast<double>(value));
}

void check_from(const char* name, float value, int least) {
  if (!(value >= static_cast<float>(least))) refuse(name, "a number from " + std::to_string(least), static_cast<double>(value));
  check_finite(name, value);
}

}  // namespace

const SamplingOptions& checked(const SamplingOptions& options, int vocabulary) {
  if (vocabulary < 1) throw Error(ErrorCode::internal, "A sampler needs a vocabulary.");
  const auto least = [](const char* name, int value, int least_value) {
    if (value < least_value) refuse(name, "a whole number from " + std::to_string(least_value), value);
  };
  check_from("temperature", options.temperature, 0);
  least("top_k", options.top_k, 0);
  check_part("top_p", options.top_p);
  check_part("min_p", options.min_p);
  check_part("typical_p", options.typical_p);
  check_finite("top_n_sigma", options.top_n_sigma);
  check_part("xtc_probability", options.xtc_probability);
  check_part("xtc_threshold", options.xtc_threshold);
  check_from("dynatemp_range", options.dynatemp_range, 0);
  check_from("dynatemp_exponent", options.dynatemp_exponent, 0);
  if (options.mirostat != 0 && options.mirostat != 2) refuse("mirostat", "0 or 2", options.mirostat);
  check_from("mirostat_tau", options.mirostat_tau, 0);
  check_from("mirostat_eta", options.mirostat_eta, 0);
  check_from("dry_multiplier", options.dry_multiplier, 0);
  check_from("dry_base", options.dry_base, 1);
  least("dry_allowed_length", options.dry_allowed_length, 0);
  least("dry_penalty_last_n", options.dry_penalty_last_n, -1);
  if (!(options.repeat_penalty > 0)) refuse("repeat_penalty", "a number above 0", static_cast<double>(options.repeat_penalty));
  check_finite("repeat_penalty", options.repeat_penalty);
  least("repeat_last_n", options.repeat_last_n, -1);
  check_finite("presence_penalty", options.presence_penalty);
  check_finite("frequency_penalty", options.frequency_penalty);
  least("logprobs", options.logprobs, -1);
  for (const auto& [id, bias] : options.logit_bias) {
    if (id < 0 || id >= vocabulary) refuse("logit_bias", "for token ids below " + std::to_string(vocabulary), id);
    if (!std::isfinite(bias) && bias != impossible) refuse("logit_bias", "finite numbers", static_cast<double>(bias));
  }
  return options;
}

}  // namespace lectern::llm
