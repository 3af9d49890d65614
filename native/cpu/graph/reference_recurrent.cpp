#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/graph/reference_graph_ops.h"

namespace lectern::cpu {
namespace {

/// One direction of an LSTM or GRU for one sequence of the batch. All rows have `hidden` elements.
class Cell {
 public:
  Cell(const Recurrent& r, const RecurrentTensors& t, int direction) : r_(r), gates_(r.gru ? 3 : 4) {
    const std::int64_t rows = gates_ * r.hidden;
    weights_ = t.weights + direction * rows * r.inputs;
    recurrence_ = t.recurrence + direction * rows * r.hidden;
    bias_ = t.bias == nullptr ? nullptr : t.bias + direction * 2 * rows;
    peepholes_ = t.peepholes == nullptr ? nullptr : t.peepholes + direction * 3 * r.hidden;
    for (std::size_t i = 0; i < 3; i++) f_[i] = r.activations[static_cast<std::size_t>(direction) * 3 + i];
  }

  /// Advances h and c (of an LSTM), each (hidden), by one step of input x.
  void step(const float* x, std::vector<float>& h, std::vector<float>& c) {
    if (r_.gru) step_gru(x, h);
    else step_lstm(x, h, c);
  }

 private:
  double input_sum(std::int64_t row, const float* x) const {
    double sum = bias_ == nullptr ? 0 : static_cast<double>(bias_[row]);
    for (std::int64_t k = 0; k < r_.inputs; k++) sum += static_cast<double>(weights_[row * r_.inputs + k]) * static_cast<double>(x[k]);
    return sum;
  }
  double hidden_sum(std::int64_t row, const std::vector<float>& h) const {
    double sum = bias_ == nullptr ? 0 : static_cast<double>(bias_[gates_ * r_.hidden + row]);
    for (std::int64_t k = 0; k < r_.hidden; k++) sum += static_cast<double>(recurrence_[row * r_.hidden + k]) * static_cast<double>(h[static_cast<std::size_t>(k)]);
    return sum;
  }
  float gate(int which, double sum) const {
    if (r_.clip > 0) sum = std::clamp(sum, -static_cast<double>(r_.clip), static_cast<double>(r_.clip));
    return activate(f_[static_cast<std::size_t>(which)], static_cast<float>(sum));
  }

  /// Gates i, o, f, c; peepholes of i, o, f.
  void step_lstm(const float* x, std::vector<float>& h, std::vector<float>& c) {
    const std::int64_t n = r_.hidden;
    std::vector<float> next(h.size());
    for (std::int64_t j = 0; j < n; j++) {
      const auto at = static_cast<std::size_t>(j);
      const auto peep = [&](int which, float cell) { return peepholes_ == nullptr ? 0 : static_cast<double>(peepholes_[which * n + j]) * static_cast<double>(cell); };
      const float old = c[at];
      const float input = gate(0, input_sum(j, x) + hidden_sum(j, h) + peep(0, old));
      const float forget = r_.input_forget ? 1 - input : gate(0, input_sum(2 * n + j, x) + hidden_sum(2 * n + j, h) + peep(2, old));
      const float candidate = gate(1, input_sum(3 * n + j, x) + hidden_sum(3 * n + j, h));
      c[at] = forget * old + input * candidate;
      const float output = gate(0, input_sum(n + j, x) + hidden_sum(n + j, h) + peep(1, c[at]));
      next[at] = output * activate(f_[2], c[at]);
    }
    h.swap(next);
  }

  /// Gates z, r, h.
  void step_gru(const float* x, std::vector<float>& h) {
    const std::int64_t n = r_.hidden;
    std::vector<float> reset(h.size());
    std::vector<float> next(h.size());
    for (std::int64_t j = 0; j < n; j++) reset[static_cast<std::size_t>(j)] = gate(0, input_sum(n + j, x) + hidden_sum(n + j, h));
    std::vector<float> faded(h.size());
    for (std::size_t j = 0; j < h.size(); j++) faded[j] = reset[j] * h[j];
    for (std::int64_t j = 0; j < n; j++) {
      const auto at = static_cast<std::size_t>(j);
      const float update = gate(0, input_sum(j, x) + hidden_sum(j, h));
      const double before = r_.linear_before_reset ? static_cast<double>(reset[at]) * hidden_sum(2 * n + j, h) : hidden_sum(2 * n + j, faded);
      next[at] = (1 - update) * gate(1, input_sum(2 * n + j, x) + before) + update * h[at];
    }
    h.swap(next);
  }

  const Recurrent& r_;
  std::int64_t gates_;
  const float *weights_, *recurrence_, *bias_, *peepholes_;
  std::array<Unary, 3> f_;
};

}  // namespace

void ReferenceGraphOps::recur(const Recurrent& r, const RecurrentTensors& t) {
  if (t.y != nullptr) std::fill_n(t.y, r.steps * r.directions * r.batch * r.hidden, 0.0F);
  std::vector<float> h(static_cast<std::size_t>(r.hidden));
  std::vector<float> c(static_cast<std::size_t>(r.hidden));
  for (int direction = 0; direction < r.directions; direction++) {
    Cell cell(r, t, direction);
    const bool backwards = direction == 1 || r.reverse;
    for (std::int64_t b = 0; b < r.batch; b++) {
      const std::int64_t state = (direction * r.batch + b) * r.hidden;
      const auto start = [&](const float* from, std::vector<float>& to) {
        if (from == nullptr) std::fill(to.begin(), to.end(), 0.0F);
        else std::copy_n(from + state, r.hidden, to.begin());
      };
      start(t.initial_hidden, h);
      start(t.initial_cell, c);
      const std::int64_t length = t.lengths == nullptr ? r.steps : std::clamp<std::int64_t>(t.lengths[b], 0, r.steps);
      for (std::int64_t i = 0; i < length; i++) {
        const std::int64_t step = backwards ? length - 1 - i : i;
        if (t.cancel != nullptr) t.cancel->check();
        cell.step(t.x + (step * r.batch + b) * r.inputs, h, c);
        if (t.y != nullptr) std::copy_n(h.begin(), r.hidden, t.y + ((step * r.directions + direction) * r.batch + b) * r.hidden);
      }
      if (t.last_hidden != nullptr) std::copy_n(h.begin(), r.hidden, t.last_hidden + state);
      if (t.last_cell != nullptr) std::copy_n(c.begin(), r.hidden, t.last_cell + state);
    }
  }
}

}  // namespace lectern::cpu
