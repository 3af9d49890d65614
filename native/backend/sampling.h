// How a token is chosen from a row of logits, as exactly as two devices must agree on it: what the processor's sampler and the kernels
// share. C++17: the CUDA sources see this file.
//
// A token's probability is kept as its mass, a whole number: 2^39 times the probability, divided by that of the best token, rounded to
// nearest even. Sums of whole numbers are the same in whatever order they are taken, so nothing else about the order needs to be said.
// What is less probable than the best one by 1e-12 has no mass and is not drawn.
//
// Tokens rank by their logits, the greater first, of equal ones the lower id first. The truncations top_k, top_p and min_p each keep a
// beginning of this ranking; a draw goes through what they kept in the order of the ids.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

#include "backend/exponential.h"

namespace lectern {

/// The sum of 2^24 tokens, more than a vocabulary may have, fits 64 bits.
constexpr int mass_bits = 39;

struct WeightScale {
  double greatest;             // no logit is above it
  double inverse_temperature;  // 1 / temperature
};

/// Of a logit that is at most the greatest, or -inf.
LECTERN_ANYWHERE std::uint64_t mass_of(float logit, WeightScale scale) {
  const double weight = exponential(times(plus(static_cast<double>(logit), -scale.greatest), scale.inverse_temperature));
  // Added to 2^52 the whole number stands in the low bits.
  return bits_of_double(plus(times(weight, static_cast<double>(std::uint64_t{1} << mass_bits)), 0x1p52)) - 0x4330'0000'0000'0000U;
}

/// How much of a mass of `sum`, at least 1, makes its part `part` (in [0, 1)) full (top_p).
LECTERN_ANYWHERE std::uint64_t wanted_mass(double part, std::uint64_t sum) {
  const auto wanted = static_cast<std::uint64_t>(times(part, static_cast<double>(sum)));
  return wanted > 0 ? wanted : 1;
}

/// Whether a token has at least `part` of the best one's probability (min_p); by masses at temperature 1.
LECTERN_ANYWHERE bool is_near_best(std::uint64_t mass, double part) {
  return static_cast<double>(mass) >= times(part, static_cast<double>(std::uint64_t{1} << mass_bits));
}

/// What a draw of 53 random bits points at among a mass of `sum`: the first token with which the masses, summed up in the order of the
/// ids, exceed it is chosen. Below `sum`.
LECTERN_ANYWHERE std::uint64_t drawn_mass(std::uint64_t draw, std::uint64_t sum) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(draw << 11, sum);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(draw << 11) * sum >> 64);
#endif
}

/// What the penalties make of a logit (Keskar et al., CTRL, 2019, for the first of them).
struct Penalties {
  double repeat;     // a logit above 0 is divided by it, one below multiplied
  double presence;   // taken off
  double frequency;  // taken off for each time
};

/// A changed logit: what was possible stays finite.
LECTERN_ANYWHERE float finite_logit(double logit) {
  constexpr auto most = static_cast<double>(FLT_MAX);
  return static_cast<float>(logit > most ? most : logit < -most ? -most : logit);
}

/// `bias` may be -inf, which forbids; a logit of -inf stays.
LECTERN_ANYWHERE float biased_logit(float logit, double bias) {
  if (logit == -INFINITY || bias == -static_cast<double>(INFINITY)) return -INFINITY;
  return finite_logit(plus(static_cast<double>(logit), bias));
}

/// Of a token that stands `count` times in the window.
LECTERN_ANYWHERE float penalised_logit(float logit, Penalties penalties, std::uint32_t count) {
  if (logit == -INFINITY) return logit;
  const auto before = static_cast<double>(logit);
  const double repeated = before > 0 ? before / penalties.repeat : times(before, penalties.repeat);
  return finite_logit(plus(repeated, -plus(penalties.presence, times(penalties.frequency, static_cast<double>(count)))));
}

}  // namespace lectern
