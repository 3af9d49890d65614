#include "llm/sampler.h"

#include <algorithm>
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

const SamplingOptions& checked(const SamplingOptions& options, int vocabulary) {
  if (vocabulary < 1) throw Error(ErrorCode::internal, "A sampler needs a vocabulary.");
  const auto least = [](const char* name, int value, int least_value) {
    if (value < least_value) refuse(name, "a whole number from " + std::to_string(least_value), value);
  };
  if (!(options.temperature >= 0)) refuse("temperature", "a number from 0", static_cast<double>(options.temperature));
  check_finite("temperature", options.temperature);
  least("top_k", options.top_k, 0);
  check_part("top_p", options.top_p);
  check_part("min_p", options.min_p);
  check_part("typical_p", options.typical_p);
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

bool penalises(const SamplingOptions& options) {
  return options.repeat_last_n != 0 && (options.repeat_penalty != 1 || options.presence_penalty != 0 || options.frequency_penalty != 0);
}

/// A changed logit: what was possible stays finite.
float finite(double logit) {
  constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<float>(std::clamp(logit, -most, most));
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, int vocabulary)
    : options_(checked(options, vocabulary)), vocabulary_(vocabulary), penalises_(penalises(options)),
      window_(penalises_ ? options.repeat_last_n : 0, vocabulary), random_(options.seed) {}

void Sampler::accept(TokenId id) {
  if (id < 0 || id >= vocabulary_) {
    throw Error(ErrorCode::invalid_request,
                "The token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(vocabulary_) + ".");
  }
  window_.add(id);
}

Choice Sampler::sample(const float* logits, const TokenMask* allowed) {
  LogitRow& row = read_row(logits, allowed);
  if (row.greatest() == impossible) {
    const bool biased = !options_.logit_bias.empty();
    throw Error(biased ? ErrorCode::invalid_request : ErrorCode::internal,
                biased ? allowed != nullptr ? "The logit bias forbids every token that the answer's form allows." : "The logit bias forbids every token."
                       : "No token is left that may come next.");
  }
  Choice choice{choose(row), 0, {}};
  if (options_.logprobs >= 0) tell_logprobs(choice);
  window_.add(choice.id);
  return choice;
}

LogitRow& Sampler::read_row(const float* logits, const TokenMask* allowed) {
  unmodified_.read(logits, static_cast<std::size_t>(vocabulary_));
  const bool penalised = penalises_ && !window_.present().empty();
  if (options_.logit_bias.empty() && !penalised && allowed == nullptr) return unmodified_;
  logits_.assign(logits, logits + vocabulary_);
  add_bias();
  if (penalised) take_penalties();
  if (allowed != nullptr) apply_mask(*allowed);
  modified_.read(logits_.data(), logits_.size());
  return modified_;
}

void Sampler::add_bias() {
  for (const auto& [id, bias] : options_.logit_bias) {
    float& logit = logits_[static_cast<std::size_t>(id)];
    if (bias == impossible || logit == impossible) logit = impossible;
    else logit = finite(static_cast<double>(logit) + static_cast<double>(bias));
  }
}

void Sampler::take_penalties() {
  const auto repeat = static_cast<double>(options_.repeat_penalty);
  const auto presence = static_cast<double>(options_.presence_penalty);
  const auto frequency = static_cast<double>(options_.frequency_penalty);
  for (const TokenId id : window_.present()) {
    float& logit = logits_[static_cast<std::size_t>(id)];
    if (logit == impossible) continue;
    const auto before = static_cast<double>(logit);
    const double repeated = before > 0 ? before / repeat : before * repeat;
    logit = finite(repeated - (presence + frequency * window_.count(id)));
  }
}

void Sampler::apply_mask(const TokenMask& allowed) {
  const std::size_t words = (logits_.size() + 31) / 32;
  if (allowed.size() < words) throw Error(ErrorCode::internal, "The grammar's mask is shorter than the vocabulary.");
  for (std::size_t word = 0; word < words; word++) {
    const std::uint32_t bits = allowed[word];
    if (bits == UINT32_MAX) continue;
    const std::size_t end = std::min(logits_.size(), word * 32 + 32);
    if (bits == 0) {
      std::fill(logits_.begin() + static_cast<std::ptrdiff_t>(word * 32), logits_.begin() + static_cast<std::ptrdiff_t>(end), impossible);
      continue;
    }
    for (std::size_t id = word * 32; id < end; id++) {
      if ((bits >> (id % 32) & 1U) == 0) logits_[id] = impossible;
    }
  }
}

TokenId Sampler::choose(LogitRow& row) {
  if (options_.temperature == 0) return row.best();
  const auto temperature = static_cast<double>(options_.temperature);
  // The upper 53 bits: every double of [0, 1) that is a multiple of 2^-53 alike.
  const double part = static_cast<double>(random_() >> 11) * 0x1p-53;
  if (truncate(row)) return candidates_.at_part(temperature, part);
  row.sum(temperature);
  return row.at_part(part);
}

bool Sampler::truncate(LogitRow& row) {
  const auto top_p = static_cast<double>(options_.top_p);
  const auto min_p = static_cast<double>(options_.min_p);
  bool top_p_waits = top_p < 1;
  if (options_.top_k > 0 && options_.top_k < vocabulary_) {
    candidates_.take_best(row, static_cast<std::size_t>(options_.top_k));
  } else if (options_.typical_p < 1) {
    candidates_.take_all(row);
  } else if (top_p_waits) {
    candidates_.take_most_probable(row, top_p);
    top_p_waits = false;
  } else if (min_p > 0) {
    candidates_.take_near_best(row, min_p);
    return true;
  } else {
    return false;
  }
  if (options_.typical_p < 1) candidates_.keep_typical(static_cast<double>(options_.typical_p));
  if (top_p_waits) candidates_.keep_most_probable(top_p);
  if (min_p > 0) candidates_.keep_near_best(min_p);
  return true;
}

void Sampler::tell_logprobs(Choice& choice) {
  const auto greatest = static_cast<double>(unmodified_.greatest());
  const double whole = std::log(unmodified_.sum(1));
  const auto logprob = [&](float logit) { return static_cast<float>((static_cast<double>(logit) - greatest) - whole); };
  choice.logprob = logprob(unmodified_.logit(choice.id));
  unmodified_.take_best(static_cast<std::size_t>(options_.logprobs), best_);
  std::sort(best_.begin(), best_.end(), ranks_before);
  choice.top.reserve(best_.size());
  for (const RankedToken& token : best_) choice.top.push_back({token.id, logprob(token.logit)});
}

}  // namespace lectern::llm
