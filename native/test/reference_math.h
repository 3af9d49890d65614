// The arithmetic of reference_model.cpp on vectors in double precision.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lectern::test {

using Values = std::vector<double>;

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

inline Values times(const std::vector<Values>& weight, const Values& x) {
  Values y;
  for (const Values& row : weight) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i++) sum += row[i] * x[i];
    y.push_back(sum);
  }
  return y;
}

inline void add(Values& x, const Values& y, double factor = 1) {
  for (std::size_t i = 0; i < x.size(); i++) x[i] += factor * y[i];
}

inline Values rms_norm(const Values& x, const Values& weight, double epsilon) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  const double size = std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  Values y;
  for (std::size_t i = 0; i < x.size(); i++) y.push_back(x[i] / size * weight[i]);
  return y;
}

inline Values layer_norm(const Values& x, const Values& weight, const Values& bias, double epsilon) {
  double mean = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
  Values y;
  for (std::size_t i = 0; i < x.size(); i++) y.push_back((x[i] - mean) / std::sqrt(variance + epsilon) * weight[i] + bias[i]);
  return y;
}

inline double silu(double z) { return z / (1 + std::exp(-z)); }
inline double gelu_tanh(double z) { return 0.5 * z * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * std::pow(z, 3)))); }
inline double gelu_erf(double z) { return 0.5 * z * (1 + std::erf(z / std::sqrt(2.0))); }

}  // namespace lectern::test
