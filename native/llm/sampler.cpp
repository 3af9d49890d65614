#include "llm/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "error.h"
#include "llm/sampling/check_options.h"

namespace lectern::llm {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

/// Apart from the draws of the same seed.
constexpr std::uint64_t xtc_stream = 0x9E37'79B9'7F4A'7C15;

/// Whether the options need the remaining tokens one by one, which only sample() has.
bool needs_candidates(const SamplingOptions& options) {
  return options.typical_p < 1 || options.top_n_sigma > 0 || options.xtc_probability > 0 || options.dynatemp_range > 0 || options.mirostat != 0 || options.dry_multiplier > 0;
}

RepetitionOptions repetition_options(const SamplingOptions& options) {
  // Mirostat replaces DRY.
  const bool off = options.mirostat != 0;
  return {off ? 0 : static_cast<double>(options.dry_multiplier), static_cast<double>(options.dry_base), options.dry_allowed_length, options.dry_penalty_last_n};
}

bool penalises(const SamplingOptions& options) {
  if (options.mirostat != 0) return false;
  return options.repeat_last_n != 0 && (options.repeat_penalty != 1 || options.presence_penalty != 0 || options.frequency_penalty != 0);
}

/// One a token, those of one added up in their order.
std::vector<TokenBias> summed(const std::vector<std::pair<TokenId, float>>& all) {
  std::vector<TokenBias> biases;
  for (const auto& [id, bias] : all) biases.push_back({id, static_cast<double>(bias)});
  std::stable_sort(biases.begin(), biases.end(), [](const TokenBias& a, const TokenBias& b) { return a.id < b.id; });
  std::size_t kept = 0;
  for (const TokenBias& bias : biases) {
    if (kept > 0 && biases[kept - 1].id == bias.id) biases[kept - 1].bias += bias.bias;
    else biases[kept++] = bias;
  }
  biases.resize(kept);
  return biases;
}

Penalties penalties_of(const SamplingOptions& options) {
  return {static_cast<double>(options.repeat_penalty), static_cast<double>(options.presence_penalty), static_cast<double>(options.frequency_penalty)};
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options, int vocabulary, std::shared_ptr<const SequenceBreakers> breakers)
    : options_(checked(options, vocabulary)), vocabulary_(vocabulary), penalises_(penalises(options)), biases_(summed(options.logit_bias)),
      penalties_(penalties_of(options)), window_(penalises_ ? options.repeat_last_n : 0, vocabulary), repetitions_(repetition_options(options), std::move(breakers)),
      random_(options.seed), xtc_random_(options.seed ^ xtc_stream), mirostat_bound_(2 * static_cast<double>(options.mirostat_tau)) {
  draw();
}

void Sampler::accept(TokenId id) {
  if (id < 0 || id >= vocabulary_) {
    throw Error(ErrorCode::invalid_request,
                "The token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(vocabulary_) + ".");
  }
  window_.add(id);
  repetitions_.add(id);
}

Choice Sampler::sample(const float* logits, const TokenMask* allowed) {
  LogitRow& row = read_row(logits, allowed);
  if (row.greatest() == impossible) refuse_all(allowed != nullptr);
  Choice choice{choose(row), 0, {}};
  if (options_.logprobs >= 0) fill_logprobs(choice);
  settle(choice.id);
  return choice;
}

std::optional<TokenRule> Sampler::rule(const TokenMask* allowed) {
  if (needs_candidates(options_)) return std::nullopt;
  if (allowed != nullptr) check_length(*allowed);
  TokenRule rule{};
  rule.inverse_temperature = options_.temperature == 0 ? 0 : 1 / static_cast<double>(options_.temperature);
  rule.top_k = options_.top_k < vocabulary_ ? options_.top_k : 0;
  rule.top_p = static_cast<double>(options_.top_p);
  rule.min_p = static_cast<double>(options_.min_p);
  rule.draw = draw_;
  rule.biases = biases_.data();
  rule.bias_count = static_cast<std::int32_t>(biases_.size());
  rule.penalties = penalties_;
  counts_.clear();
  if (penalises_) {
    for (const TokenId id : window_.present()) counts_.push_back({id, window_.count(id)});
  }
  rule.counts = counts_.data();
  rule.count_count = static_cast<std::int32_t>(counts_.size());
  rule.allowed = allowed == nullptr ? nullptr : allowed->data();
  rule.logprobs = options_.logprobs < 0 ? -1 : std::min(options_.logprobs, vocabulary_);
  return rule;
}

Choice Sampler::take(const TokenChoice& chosen, bool masked) {
  if (chosen.outcome == TokenOutcome::unsound) refuse_unsound_logits();
  if (chosen.outcome == TokenOutcome::none_left) refuse_all(masked);
  Choice choice{chosen.id, 0, {}};
  if (options_.logprobs >= 0) {
    best_.clear();
    for (int i = 0; i < chosen.best_count; i++) best_.push_back({chosen.best[i].id, chosen.best[i].logit});
    fill_logprobs(choice, chosen.logit, chosen.greatest, chosen.sum);
  }
  settle(choice.id);
  return choice;
}

void Sampler::refuse_all(bool masked) const {
  const bool biased = !biases_.empty();
  if (!biased && !masked) throw Error(ErrorCode::invalid_model, "The model gave no token a chance: its weights are damaged.");
  throw Error(biased ? ErrorCode::invalid_request : ErrorCode::internal,
              biased ? masked ? "The logit bias forbids every token that the requested format allows." : "The logit bias forbids every token."
                     : "No token is left that may come next.");
}

void Sampler::draw() {
  // The upper 53 bits, as a double of [0, 1) would have them.
  draw_ = random_() >> 11;
  xtc_draw_ = xtc_random_() >> 11;
}

void Sampler::settle(TokenId id) {
  window_.add(id);
  repetitions_.add(id);
  if (options_.temperature != 0) draw();
}

LogitRow& Sampler::read_row(const float* logits, const TokenMask* allowed) {
  unmodified_.read(logits, static_cast<std::size_t>(vocabulary_));
  const bool penalised = penalises_ && !window_.present().empty();
  const bool repeats = repetitions_.find();
  if (biases_.empty() && !penalised && !repeats && allowed == nullptr) return unmodified_;
  logits_.assign(logits, logits + vocabulary_);
  add_bias();
  if (penalised) take_penalties();
  if (repeats) repetitions_.penalise(logits_.data());
  if (allowed != nullptr) apply_mask(*allowed);
  modified_.read(logits_.data(), logits_.size());
  return modified_;
}

void Sampler::add_bias() {
  for (const auto& [id, bias] : biases_) {
    float& logit = logits_[static_cast<std::size_t>(id)];
    logit = biased_logit(logit, bias);
  }
}

void Sampler::take_penalties() {
  for (const TokenId id : window_.present()) {
    float& logit = logits_[static_cast<std::size_t>(id)];
    logit = penalised_logit(logit, penalties_, window_.count(id));
  }
}

void Sampler::check_length(const TokenMask& allowed) const {
  if (allowed.size() < (static_cast<std::size_t>(vocabulary_) + 31) / 32) throw Error(ErrorCode::internal, "The grammar's mask is shorter than the vocabulary.");
}

void Sampler::apply_mask(const TokenMask& allowed) {
  check_length(allowed);
  const std::size_t words = (logits_.size() + 31) / 32;
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
  if (options_.mirostat == 2) return choose_by_surprise(row);
  auto temperature = static_cast<double>(options_.temperature);
  if (truncate(row)) {
    if (options_.dynatemp_range > 0) temperature = candidates_.dynamic_temperature(temperature, static_cast<double>(options_.dynatemp_range), static_cast<double>(options_.dynatemp_exponent));
    return candidates_.drawn(temperature, draw_);
  }
  const std::uint64_t sum = row.sum(temperature);
  return row.at_mass(drawn_mass(draw_, sum));
}

TokenId Sampler::choose_by_surprise(LogitRow& row) {
  const auto temperature = static_cast<double>(options_.temperature);
  candidates_.take_all(row);
  candidates_.keep_unsurprising(temperature, mirostat_bound_);
  const TokenId id = candidates_.drawn(temperature, draw_);
  mirostat_bound_ -= static_cast<double>(options_.mirostat_eta) * (candidates_.surprise() - static_cast<double>(options_.mirostat_tau));
  return id;
}

bool Sampler::truncate(LogitRow& row) {
  const auto top_p = static_cast<double>(options_.top_p);
  const auto min_p = static_cast<double>(options_.min_p);
  const bool bounds_count = options_.top_k > 0 && options_.top_k < vocabulary_;
  const auto top_k = static_cast<std::size_t>(options_.top_k);
  bool top_p_waits = top_p < 1;
  if (options_.top_n_sigma > 0) {
    candidates_.take_all(row);
    candidates_.keep_within_deviations(static_cast<double>(options_.top_n_sigma));
    if (bounds_count) candidates_.keep_best(top_k);
  } else if (bounds_count) {
    candidates_.take_best(row, top_k);
  } else if (options_.typical_p < 1) {
    candidates_.take_all(row);
  } else if (top_p_waits) {
    candidates_.take_most_probable(row, top_p);
    top_p_waits = false;
  } else if (min_p > 0) {
    candidates_.take_near_best(row, min_p);
  } else if (removes_probable() || options_.dynatemp_range > 0) {
    candidates_.take_all(row);
  } else {
    return false;
  }
  if (options_.typical_p < 1) candidates_.keep_typical(static_cast<double>(options_.typical_p));
  if (top_p_waits) candidates_.keep_most_probable(top_p);
  if (min_p > 0) candidates_.keep_near_best(min_p);
  if (removes_probable()) candidates_.remove_probable(static_cast<double>(options_.xtc_threshold));
  return true;
}

bool Sampler::removes_probable() const { return static_cast<double>(xtc_draw_) * 0x1p-53 < static_cast<double>(options_.xtc_probability); }

void Sampler::fill_logprobs(Choice& choice) {
  unmodified_.take_best(static_cast<std::size_t>(options_.logprobs), best_);
  fill_logprobs(choice, unmodified_.logit(choice.id), unmodified_.greatest(), unmodified_.sum(1));
}

void Sampler::fill_logprobs(Choice& choice, float chosen, float greatest, std::uint64_t sum) {
  const double whole = std::log(std::ldexp(static_cast<double>(sum), -mass_bits));
  // The last term makes 0 of -0, as which of the two zeros is the greatest is anyone's choice.
  const auto logprob = [&](float logit) { return static_cast<float>((static_cast<double>(logit) - static_cast<double>(greatest)) - whole + 0.0); };
  choice.logprob = logprob(chosen);
  std::sort(best_.begin(), best_.end(), ranks_before);
  choice.top.reserve(best_.size());
  for (const RankedToken& token : best_) choice.top.push_back({token.id, logprob(token.logit)});
}

}  // namespace lectern::llm
