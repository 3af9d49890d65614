// LSTMs: computes the contributions of the inputs for all steps at once, then the steps, with both directions in parallel.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/graph/fast_graph_ops.h"

namespace lectern::cpu {
namespace {

/// Steps between two checks of the caller's flag; each takes some microseconds.
constexpr std::int64_t steps_at_once = 16;

PackedRecurrent pack(const Recurrent& r, const float* weights, const float* recurrence) {
  PackedRecurrent packed;
  const auto hidden = static_cast<int>(r.hidden);
  const auto inputs = static_cast<int>(r.inputs);
  const int gates = 4 * hidden;
  for (int number = 0; number < r.directions; number++) {
    packed.weights.emplace_back(weights + std::ptrdiff_t{number} * gates * inputs, inputs, gates, true);
    packed.recurrences.emplace_back(recurrence + std::ptrdiff_t{number} * gates * hidden, hidden, gates, true);
  }
  return packed;
}

/// The reference handles all other cases. Does not check steps and batch, which may be unknown at this point.
bool knows(const Recurrent& r) {
  if (r.gru || r.input_forget || r.clip > 0 || r.hidden <= 0 || r.hidden >= 1 << 14 || r.inputs <= 0 || r.inputs >= 1 << 14) return false;
  Finish unused;
  return std::all_of(r.activations.begin(), r.activations.begin() + 3 * r.directions, [&](const Unary& activation) { return has_finish(activation, unused); });
}

/// One direction, if the kernels have its functions. All rows have `gates` elements, four times the hidden size, in the order i, o, f, c.
class Direction {
 public:
  /// Computes the contributions of the inputs with `shop`; the steps run with `alone`, which has one thread.
  Direction(GraphContext& shop, GraphContext& alone, const Recurrent& r, const RecurrentTensors& t, const PackedRecurrent& packed, int number)
      : alone_(alone),
        hidden_(static_cast<int>(r.hidden)),
        batch_(static_cast<int>(r.batch)),
        gates_(4 * hidden_),
        recurrence_(packed.recurrences[static_cast<std::size_t>(number)]),
        sums_(t.sums + number * r.steps * r.batch * gates_),
        h_(static_cast<std::size_t>(r.batch * r.hidden)),
        c_(h_.size()) {
    std::vector<float> bias(static_cast<std::size_t>(gates_));
    if (t.bias != nullptr) {
      const float* both = t.bias + std::ptrdiff_t{number} * 2 * gates_;
      for (int i = 0; i < gates_; i++) bias[static_cast<std::size_t>(i)] = both[i] + both[gates_ + i];
    }
    const auto inputs = static_cast<int>(r.inputs);
    packed.weights[static_cast<std::size_t>(number)].run(shop, {static_cast<int>(r.steps) * batch_, inputs, gates_, inputs, 1}, t.x, {}, {bias.data(), nullptr}, sums_);
    for (std::size_t i = 0; i < 3; i++) has_finish(r.activations[static_cast<std::size_t>(number) * 3 + i], functions_[i]);
  }

  void start(const float* h, const float* c) {
    if (h != nullptr) std::copy_n(h, h_.size(), h_.begin());
    if (c != nullptr) std::copy_n(c, c_.size(), c_.begin());
  }

  void step(std::int64_t at) {
    float* sums = sums_ + at * batch_ * gates_;
    recurrence_.run(alone_, {batch_, hidden_, gates_, hidden_, 1}, h_.data(), {}, {nullptr, sums}, sums);
    const NetworkKernels& kernels = alone_.kernels;
    for (int b = 0; b < batch_; b++) {
      float* gate = sums + std::ptrdiff_t{b} * gates_;
      float* h = h_.data() + std::ptrdiff_t{b} * hidden_;
      float* c = c_.data() + std::ptrdiff_t{b} * hidden_;
      kernels.finish(functions_[0], gate, 0, nullptr, nullptr, 3 * hidden_, gate);
      kernels.finish(functions_[1], gate + 3 * hidden_, 0, nullptr, nullptr, hidden_, gate + 3 * hidden_);
      kernels.combine(Combination::multiply, gate, 1, gate + 3 * hidden_, 1, hidden_, gate);
      kernels.combine(Combination::multiply, c, 1, gate + 2 * hidden_, 1, hidden_, c);
      kernels.combine(Combination::add, c, 1, gate, 1, hidden_, c);
      kernels.finish(functions_[2], c, 0, nullptr, nullptr, hidden_, h);
      kernels.combine(Combination::multiply, h, 1, gate + hidden_, 1, hidden_, h);
    }
  }

  const std::vector<float>& h() const { return h_; }
  const std::vector<float>& c() const { return c_; }

 private:
  GraphContext& alone_;
  int hidden_;
  int batch_;
  int gates_;
  const PackedProduct& recurrence_;
  float* sums_;               // (steps, batch, gates)
  std::vector<float> h_, c_;  // (batch, hidden)
  Finish functions_[3];       // of the gates, of the candidate, of the cell
};

}  // namespace

const void* FastGraphOps::pack_recurrent(const Recurrent& r, const float* weights, const float* recurrence) {
  if (!knows(r)) return nullptr;
  return recurrents_.emplace_back(std::make_unique<PackedRecurrent>(pack(r, weights, recurrence))).get();
}

void FastGraphOps::recur(const Recurrent& r, const RecurrentTensors& t) {
  constexpr std::int64_t most = std::numeric_limits<int>::max() / 64;
  const bool sizes = r.batch > 0 && r.steps > 0 && r.steps < most / r.batch / std::max<std::int64_t>(r.hidden, 1);
  if (!knows(r) || !sizes || t.peepholes != nullptr || t.lengths != nullptr || t.sums == nullptr) return ReferenceGraphOps::recur(r, t);
  const std::int64_t state = r.batch * r.hidden;
  std::optional<PackedRecurrent> own;
  if (t.packed == nullptr) own = pack(r, t.weights, t.recurrence);
  const PackedRecurrent& packed = own ? *own : *static_cast<const PackedRecurrent*>(t.packed);
  Threads one(1);
  GraphContext alone{kernels_, one};
  std::vector<Direction> directions;
  const auto of = [&](auto* all, int number) { return all == nullptr ? nullptr : all + number * state; };
  for (int number = 0; number < r.directions; number++) {
    directions.emplace_back(shop_, alone, r, t, packed, number);
    directions.back().start(of(t.initial_hidden, number), of(t.initial_cell, number));
  }
  // A step depends on the previous one, a direction never on the other.
  auto walk = [&](int number, int) {
    Direction& direction = directions[static_cast<std::size_t>(number)];
    const bool backwards = number == 1 || r.reverse;
    for (std::int64_t i = 0; i < r.steps; i++) {
      const std::int64_t step = backwards ? r.steps - 1 - i : i;
      // On a thread of the pool, which must not throw.
      if (t.cancel != nullptr && i % steps_at_once == 0 && t.cancel->requested()) return;
      direction.step(step);
      if (t.y != nullptr) std::copy(direction.h().begin(), direction.h().end(), t.y + (step * r.directions + number) * state);
    }
    if (t.last_hidden != nullptr) std::copy(direction.h().begin(), direction.h().end(), of(t.last_hidden, number));
    if (t.last_cell != nullptr) std::copy(direction.c().begin(), direction.c().end(), of(t.last_cell, number));
  };
  threads_.each(r.directions, walk);
  if (t.cancel != nullptr) t.cancel->check();
}

}  // namespace lectern::cpu
