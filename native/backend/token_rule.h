// What the next token of a row of logits is chosen by, and what came of it, as both cross between a sampler and a device. C++17: the CUDA
// sources see this file.
#pragma once

#include <cstdint>

#include "backend/sampling.h"

namespace lectern {

struct TokenBias {
  std::int32_t id;
  double bias;  // -inf forbids
};

/// How often a token stands in the window of the penalties, at least once.
struct TokenCount {
  std::int32_t id;
  std::uint32_t count;
};

/// Of row `row` of the logits. In this order: biases, penalties, mask, top_k, top_p, min_p, temperature; sampling.h has the arithmetic. Pointers are of the host.
struct TokenRule {
  double inverse_temperature;   // 1 / temperature; 0: the best token, whatever the truncations say
  double top_p;                 // 1: all
  double min_p;                 // 0: all
  std::uint64_t draw;           // 53 random bits
  Penalties penalties;
  const TokenBias* biases;      // no token twice; nor in the next
  const TokenCount* counts;
  const std::uint32_t* allowed;  // a bit a token, bit id % 32 of word id / 32; null: all
  std::int32_t row;
  std::int32_t bias_count;
  std::int32_t count_count;
  std::int32_t top_k;           // 0: all
  std::int32_t logprobs;        // how many of the best unmodified logits are returned; -1: none, nor their sum
};

struct RankedLogit {
  std::int32_t id;
  float logit;
};

enum class TokenOutcome : std::int32_t {
  chosen,
  none_left,  // no token may come
  unsound,    // a logit is NaN or +inf
};

/// The largest number that OpenAI's clients may request.
constexpr int most_device_logprobs = 20;

struct TokenChoice {
  TokenOutcome outcome;
  std::int32_t id;
  // Where logprobs were requested, of the unmodified logits:
  float logit;  // of the chosen token
  float greatest;
  std::uint64_t sum;  // of the masses at temperature 1
  std::int32_t best_count;
  RankedLogit best[most_device_logprobs];  // the best, in no particular order
};

}  // namespace lectern
