#include "reference_sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lectern::test {
namespace {

using llm::TokenId;

// Probabilities are kept in steps of 2^-39 of the best one's: a few thousand tokens together may be so far off.
constexpr double rounding = 4e-9;

struct Token {
  TokenId id;
  double logit;
  double weight = 0;
  double surprise = 0;
};

bool by_logit(const Token& a, const Token& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

float limited(double logit) {
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<float>(std::max(-most, std::min(most, logit)));
}

/// How many of the tokens at the end of `tokens` stand behind its last breaker: the one that begins last, of several there the longest.
std::size_t behind_breaker(const std::vector<TokenId>& tokens, const std::vector<std::vector<TokenId>>& breakers) {
  for (std::size_t begin = tokens.size(); begin-- > 0;) {
    std::size_t longest = 0;
    for (const std::vector<TokenId>& breaker : breakers) {
      const bool fits = breaker.size() <= tokens.size() - begin && std::equal(breaker.begin(), breaker.end(), tokens.begin() + static_cast<std::ptrdiff_t>(begin));
      if (fits) longest = std::max(longest, breaker.size());
    }
    if (longest > 0) return tokens.size() - begin - longest;
  }
  return tokens.size();
}

std::vector<Token> modified(const llm::SamplingOptions& options, const std::vector<float>& logits, const std::vector<TokenId>& history,
                            const llm::TokenMask* allowed, const ReferenceState& state) {
  std::vector<Token> tokens;
  const std::size_t window = options.repeat_last_n < 0 ? history.size() : std::min(history.size(), static_cast<std::size_t>(options.repeat_last_n));
  for (TokenId id = 0; id < static_cast<TokenId>(logits.size()); id++) {
    float logit = logits[static_cast<std::size_t>(id)];
    double bias = 0;
    for (const auto& [token, part] : options.logit_bias) bias += token == id ? static_cast<double>(part) : 0;
    if (std::isfinite(logit) && bias != 0) logit = std::isfinite(bias) ? limited(static_cast<double>(logit) + bias) : static_cast<float>(bias);
    const auto count = std::count(history.end() - static_cast<std::ptrdiff_t>(window), history.end(), id);
    if (count > 0 && std::isfinite(logit) && options.mirostat == 0) {
      double changed = static_cast<double>(logit);
      if (changed > 0) changed /= static_cast<double>(options.repeat_penalty);
      else changed *= static_cast<double>(options.repeat_penalty);
      changed -= static_cast<double>(options.presence_penalty) + static_cast<double>(count) * static_cast<double>(options.frequency_penalty);
      logit = limited(changed);
    }
    if (std::isfinite(logit)) {
      if (const double penalty = reference_repetition_penalty(options, history, id, state.breakers); penalty != 0) logit = limited(static_cast<double>(logit) - penalty);
    }
    const bool masked = allowed != nullptr && ((*allowed)[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1U) == 0;
    if (!masked && std::isfinite(logit)) tokens.push_back({id, static_cast<double>(logit)});
  }
  std::sort(tokens.begin(), tokens.end(), by_logit);
  return tokens;
}

/// Weights at `temperature`; their sum.
double weigh(std::vector<Token>& tokens, double temperature) {
  double greatest = tokens.front().logit;
  for (const Token& token : tokens) greatest = std::max(greatest, token.logit);
  double sum = 0;
  for (Token& token : tokens) sum += token.weight = std::exp((token.logit - greatest) / temperature);
  return sum;
}

void cut(std::vector<Token>& tokens, std::size_t kept) { tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(kept), tokens.end()); }

/// How many of the sorted tokens it takes for their weights to reach `wanted`.
std::size_t edge_of(const std::vector<Token>& tokens, double wanted, double sum, bool& sure) {
  double passed = 0;
  std::size_t kept = 0;
  while (kept < tokens.size()) {
    passed += tokens[kept++].weight;
    if (std::abs(passed - wanted) <= rounding * sum) sure = false;
    if (passed >= wanted) break;
  }
  return kept;
}

void keep_typical(std::vector<Token>& tokens, double mass, bool& sure) {
  const double sum = weigh(tokens, 1);
  double entropy = 0;
  for (Token& token : tokens) {
    const double probability = token.weight / sum;
    if (probability > 0) entropy -= probability * std::log(probability);
  }
  double greatest = tokens.front().logit;
  for (Token& token : tokens) token.surprise = std::abs(greatest - token.logit + std::log(sum) - entropy);
  // Whether two lie equally far on either side of the entropy is for rounding to say.
  const auto near = [](const Token& a, const Token& b) { return a.logit != b.logit && std::abs(a.surprise - b.surprise) <= 1e-9 * (1 + a.surprise); };
  std::sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) { return a.surprise != b.surprise ? a.surprise < b.surprise : a.id < b.id; });
  const std::size_t edge = edge_of(tokens, mass * sum, sum, sure);
  if (edge < tokens.size() && near(tokens[edge - 1], tokens[edge])) sure = false;
  cut(tokens, edge);
  std::sort(tokens.begin(), tokens.end(), by_logit);
}

void keep_near_best(std::vector<Token>& tokens, double part, bool& sure) {
  weigh(tokens, 1);
  for (const Token& token : tokens) sure = sure && (token.weight == 1 || std::abs(token.weight - part) > rounding);
  std::erase_if(tokens, [part](const Token& token) { return token.weight < part; });
}

void keep_within_deviations(std::vector<Token>& tokens, double count, bool& sure) {
  double mean = 0;
  for (const Token& token : tokens) mean += token.logit / static_cast<double>(tokens.size());
  double variance = 0;
  for (const Token& token : tokens) variance += (token.logit - mean) * (token.logit - mean) / static_cast<double>(tokens.size());
  const double floor = tokens.front().logit - count * std::sqrt(variance);
  for (const Token& token : tokens) sure = sure && (token.logit == tokens.front().logit || std::abs(token.logit - floor) > 1e-9 * (std::abs(tokens.front().logit) + std::abs(floor)));
  std::erase_if(tokens, [&](const Token& token) { return token.logit < floor && token.logit != tokens.front().logit; });
}

/// XTC.
void remove_probable(std::vector<Token>& tokens, double threshold, bool& sure) {
  const double sum = weigh(tokens, 1);
  std::size_t reaching = 0;
  for (const Token& token : tokens) {
    sure = sure && (tokens.size() == 1 || std::abs(token.weight / sum - threshold) > rounding);
    reaching += token.weight / sum >= threshold ? 1 : 0;
  }
  if (reaching > 1) tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(reaching) - 1);
}

void keep_unsurprising(std::vector<Token>& tokens, double temperature, double bits, bool& sure) {
  const double sum = weigh(tokens, temperature);
  std::size_t kept = 0;
  while (kept < tokens.size() && -std::log2(tokens[kept].weight / sum) <= bits) kept++;
  for (const Token& token : tokens) sure = sure && (token.weight == 0 || std::abs(token.weight / sum - std::exp2(-bits)) > rounding);
  cut(tokens, std::max<std::size_t>(kept, 1));
}

double dynamic_temperature(std::vector<Token>& tokens, const llm::SamplingOptions& options) {
  const auto temperature = static_cast<double>(options.temperature);
  const auto range = static_cast<double>(options.dynatemp_range);
  if (range == 0 || tokens.size() < 2) return temperature;
  const double sum = weigh(tokens, 1);
  double entropy = 0;
  for (const Token& token : tokens) entropy -= token.weight > 0 ? token.weight / sum * std::log(token.weight / sum) : 0;
  const double least = std::max(0.0, temperature - range);
  const double part = std::max(0.0, std::min(1.0, entropy / std::log(static_cast<double>(tokens.size()))));
  return least + (temperature + range - least) * std::pow(part, static_cast<double>(options.dynatemp_exponent));
}

void truncate(std::vector<Token>& tokens, const llm::SamplingOptions& options, double xtc_draw, bool& sure) {
  if (options.top_n_sigma > 0) keep_within_deviations(tokens, static_cast<double>(options.top_n_sigma), sure);
  if (options.top_k > 0 && static_cast<std::size_t>(options.top_k) < tokens.size()) cut(tokens, static_cast<std::size_t>(options.top_k));
  if (options.typical_p < 1) keep_typical(tokens, static_cast<double>(options.typical_p), sure);
  if (options.top_p < 1) {
    const double sum = weigh(tokens, 1);
    cut(tokens, edge_of(tokens, static_cast<double>(options.top_p) * sum, sum, sure));
  }
  if (options.min_p > 0) keep_near_best(tokens, static_cast<double>(options.min_p), sure);
  if (xtc_draw < static_cast<double>(options.xtc_probability)) remove_probable(tokens, static_cast<double>(options.xtc_threshold), sure);
}

}  // namespace

ReferenceDistribution reference_distribution(const llm::SamplingOptions& options, const std::vector<float>& logits,
                                     const std::vector<TokenId>& history, const llm::TokenMask* allowed, const ReferenceState& state) {
  ReferenceDistribution plain;
  std::vector<Token> tokens = modified(options, logits, history, allowed, state);
  if (tokens.empty()) return plain;
  plain.probability.assign(logits.size(), 0);
  if (options.temperature == 0) {
    plain.probability[static_cast<std::size_t>(tokens.front().id)] = 1;
    return plain;
  }
  auto temperature = static_cast<double>(options.temperature);
  if (options.mirostat == 2) {
    keep_unsurprising(tokens, temperature, state.mirostat_bound, plain.sure);
  } else {
    truncate(tokens, options, state.xtc_draw, plain.sure);
    temperature = dynamic_temperature(tokens, options);
    // At 0 the best token is certain, as it is next to 0.
    temperature = std::max(temperature, 1e-30);
  }
  const double sum = weigh(tokens, temperature);
  for (const Token& token : tokens) plain.probability[static_cast<std::size_t>(token.id)] = token.weight / sum;
  return plain;
}

double reference_repetition_penalty(const llm::SamplingOptions& options, const std::vector<TokenId>& history, TokenId id, const std::vector<std::vector<TokenId>>& breakers) {
  if (options.dry_multiplier == 0 || options.mirostat != 0) return 0;
  const std::size_t count = options.dry_penalty_last_n < 0 ? history.size() : std::min(history.size(), static_cast<std::size_t>(options.dry_penalty_last_n));
  const std::vector<TokenId> window(history.end() - static_cast<std::ptrdiff_t>(count), history.end());
  const auto allowed = static_cast<std::size_t>(options.dry_allowed_length);
  if (window.size() <= allowed || std::find(breakers.begin(), breakers.end(), std::vector<TokenId>{id}) != breakers.end()) return 0;
  const std::size_t most = behind_breaker(window, breakers);
  bool repeats = false;
  std::size_t longest = 0;
  for (std::size_t next = 1; next < window.size(); next++) {
    if (window[next] != id) continue;
    std::size_t length = 0;
    while (length < next && length < most && window[next - 1 - length] == window[window.size() - 1 - length]) length++;
    if (length < allowed) continue;
    repeats = true;
    longest = std::max(longest, length);
  }
  return repeats ? static_cast<double>(options.dry_multiplier) * std::pow(static_cast<double>(options.dry_base), static_cast<double>(longest - allowed)) : 0;
}

std::vector<double> reference_logprobs(const std::vector<float>& logits) {
  const double greatest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - greatest);
  std::vector<double> logprobs;
  for (const float logit : logits) logprobs.push_back(static_cast<double>(logit) - greatest - std::log(sum));
  return logprobs;
}

}  // namespace lectern::test
