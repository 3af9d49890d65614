// Mixture of experts of FastOps: each expert runs once for all rows that selected it.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/fast_ops.h"
#include "cpu/fast_rows.h"

namespace lectern::cpu {
namespace {

/// Softmax over `scores`; the best `used` go to `chosen` with weights that sum to 1. Overwrites the scores.
void choose(float* scores, int count, int used, int* chosen, float* weights) {
  const float most = *std::max_element(scores, scores + count);
  for (int e = 0; e < count; e++) scores[e] = std::exp(scores[e] - most);
  float total = 0;
  for (int i = 0; i < used; i++) {
    const int best = static_cast<int>(std::max_element(scores, scores + count) - scores);
    chosen[i] = best;
    weights[i] = scores[best];
    total += scores[best];
    scores[best] = -1;
  }
  for (int i = 0; i < used; i++) weights[i] /= total;
}

}  // namespace

void FastOps::route(const ExpertWeights& weights, int rows) {
  const PackedMatrix& router = packed_of(weights.router);
  float* const scores = expert_scores_.data();
  prepare(Norm{}, rows, router.columns, {&router}, [&](int r) { return expert_rows_.floats() + std::ptrdiff_t{r} * router.columns; });
  multiply_all({&router}, 0, rows, [&](int, int r, int column, int columns, const float* values) {
    float* to = scores + std::ptrdiff_t{r} * router.rows + column;
    for (int i = 0; i < columns; i++) to[i] = values[i] + (weights.router_bias == nullptr ? 0.0F : weights.router_bias[column + i]);
  });
  for (int r = 0; r < rows; r++) {
    const std::ptrdiff_t first = std::ptrdiff_t{r} * weights.used;
    choose(scores + std::ptrdiff_t{r} * router.rows, router.rows, weights.used, chosen_.data() + first, chosen_weights_.data() + first);
  }
}

void FastOps::run_expert(const ExpertWeights& weights, int expert, int rows) {
  expert_list_.clear();
  for (int place = 0; place < rows * weights.used; place++) {
    if (chosen_[static_cast<std::size_t>(place)] == expert) expert_list_.push_back(place);
  }
  if (expert_list_.empty()) return;
  const int count = static_cast<int>(expert_list_.size());
  const PackedMatrix& gate = packed_of(weights.gate);
  const PackedMatrix& up = packed_of(weights.up);
  const PackedMatrix& down = packed_of(weights.down);
  const auto place_of = [&](int i) { return expert_list_[static_cast<std::size_t>(i)]; };
  prepare(Norm{}, count, gate.columns, {&gate, &up}, [&](int i) { return expert_rows_.floats() + std::ptrdiff_t{place_of(i) / weights.used} * gate.columns; });
  const auto bias_of = [expert](const float* biases, const PackedMatrix& matrix) { return biases == nullptr ? nullptr : biases + std::ptrdiff_t{expert} * matrix.rows; };
  gate_all({gate, up, weights.activation, expert, bias_of(weights.gate_bias, gate), bias_of(weights.up_bias, up)}, count, expert_hidden_.floats());
  const float* const down_bias = bias_of(weights.down_bias, down);
  prepare(Norm{}, count, down.columns, {&down}, [&](int i) { return expert_hidden_.floats() + std::ptrdiff_t{i} * down.columns; });
  multiply_all({&down}, expert, count, [&](int, int i, int column, int columns, const float* values) {
    float* to = expert_out_.floats() + std::ptrdiff_t{place_of(i)} * down.rows + column;
    for (int k = 0; k < columns; k++) to[k] = values[k] + (down_bias == nullptr ? 0.0F : down_bias[column + k]);
  });
}

void FastOps::experts(const ExpertWeights& weights, int rows, float* x) {
  const int columns = weights.router.columns;
  auto norm = [&](int r, int) {
    kernels_.norm(x + std::ptrdiff_t{r} * columns, weights.norm.weight, nullptr, weights.norm.epsilon, columns, expert_rows_.floats() + std::ptrdiff_t{r} * columns);
  };
  each_row(rows, norm);
  route(weights, rows);
  for (int expert = 0; expert < weights.gate.count; expert++) run_expert(weights, expert, rows);
  // Adds in the order of the weights, whatever order the experts ran in.
  auto gather = [&](int r, int) {
    for (int i = 0; i < weights.used; i++) {
      const std::ptrdiff_t place = std::ptrdiff_t{r} * weights.used + i;
      const float* part = expert_out_.floats() + place * columns;
      const float share = chosen_weights_[static_cast<std::size_t>(place)];
      for (int c = 0; c < columns; c++) x[std::ptrdiff_t{r} * columns + c] += share * part[c];
    }
  };
  each_row(rows, gather);
}

}  // namespace lectern::cpu
