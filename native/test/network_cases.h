// What the tests of network kernels share: plain twins in double precision, and outputs with sentinels behind.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "backend/instructions.h"
#include "cpu/kernels/network.h"
#include "harness.h"

namespace lectern::test {

using cpu::Activation;
using cpu::Finish;
using cpu::NetworkKernels;

inline constexpr float sentinel = -77.0F;
inline constexpr std::size_t sentinels = 19;

inline std::vector<Instructions> network_levels() {
  std::vector<Instructions> all;
  for (const Instructions level : instruction_levels()) {
    if (level <= available_instructions() && cpu::network_kernels_of(level) != nullptr) {
      all.push_back(level);
    } else {
      note("skipped: this processor has no " + std::string(name_of(level)));
    }
  }
  return all;
}

inline std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

/// Room for `count` results with sentinels behind.
inline std::vector<float> output_of(std::size_t count) { return std::vector<float>(count + sentinels, sentinel); }
inline bool unspoiled(const std::vector<float>& out) {
  return std::all_of(out.end() - sentinels, out.end(), [](float value) { return value == sentinel; });
}

inline double activated(const Finish& finish, double x) {
  const double hard = std::clamp(static_cast<double>(finish.alpha) * x + static_cast<double>(finish.beta), 0.0, 1.0);
  switch (finish.activation) {
    case Activation::none: return x;
    case Activation::relu: return std::max(0.0, x);
    case Activation::clip: return std::clamp(x, static_cast<double>(finish.alpha), static_cast<double>(finish.beta));
    case Activation::leaky_relu: return x < 0 ? static_cast<double>(finish.alpha) * x : x;
    case Activation::sigmoid: return 1 / (1 + std::exp(-x));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::hard_sigmoid: return hard;
    case Activation::hard_swish: return x * hard;
    case Activation::tanh: return std::tanh(x);
    case Activation::gelu: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::erf: return std::erf(x);
    case Activation::exponential: return std::exp(x);
    case Activation::square_root: return std::sqrt(x);
    case Activation::reciprocal: return 1 / x;
    case Activation::absolute: return std::abs(x);
  }
  return 0;
}

inline double finished(const Finish& finish, double sum, double addend) {
  if (finish.add_last) return activated(finish, sum) * static_cast<double>(finish.scale) + static_cast<double>(finish.shift) + addend;
  return activated(finish, sum + addend) * static_cast<double>(finish.scale) + static_cast<double>(finish.shift);
}

inline Finish finish_of(Activation activation) {
  Finish finish;
  finish.activation = activation;
  if (activation == Activation::clip) {
    finish.alpha = -0.5F;
    finish.beta = 0.75F;
  } else if (activation == Activation::leaky_relu) {
    finish.alpha = 0.1F;
  } else {
    finish.alpha = 0.2F;
    finish.beta = 0.5F;
  }
  return finish;
}

/// The greatest difference in units of what float sums of `depth` products may be off by; infinite where one is not finite.
inline double worst_of(const std::vector<float>& out, const std::vector<double>& expected, int depth) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); i++) {
    const double off = std::abs(static_cast<double>(out[i]) - expected[i]) / ((std::abs(expected[i]) + std::sqrt(static_cast<double>(depth)) + 1) * 1e-6);
    worst = off >= 0 ? std::max(worst, off) : std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace lectern::test
