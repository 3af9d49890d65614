#include "attention_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

#include "backend/ops.h"

namespace lectern::test {
namespace {

/// A matrix of F32 that takes `rows` of its `columns` inputs, from `first` on.
class Picker {
 public:
  Picker(Ops& ops, int columns, int first, int rows) : values_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {
    for (int r = 0; r < rows; r++) values_[static_cast<std::size_t>(r * columns + first + r)] = 1;
    const Tensor tensor{"pick", DType::f32, {columns, rows, 1, 1}, 2, reinterpret_cast<const std::byte*>(values_.data()), values_.size() * sizeof(float)};
    linear_ = {ops.load_matrix(&tensor, 1), nullptr};
  }
  const Linear& linear() const { return linear_; }

 private:
  std::vector<float> values_;
  Linear linear_{};
};

}  // namespace

AttentionCase::AttentionCase(int head_size) : size(head_size) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 1);
  queries.resize(static_cast<std::size_t>(positions * heads * size));
  pairs.resize(static_cast<std::size_t>(positions * 2 * kv_heads * size));
  for (float& value : queries) value = 2 * normal(random);
  for (float& value : pairs) value = normal(random);
}

std::vector<double> AttentionCase::expected(int row, int head, int first, int visible) const {
  const float* query = queries.data() + (static_cast<std::ptrdiff_t>(row) * heads + head) * size;
  const int shared = head / (heads / kv_heads);
  std::vector<double> sum(static_cast<std::size_t>(size));
  double total = 0;
  for (int p = first; p < visible; p++) {
    double score = 0;
    for (int d = 0; d < size; d++) score += static_cast<double>(query[d]) * static_cast<double>(pair(p, false, shared)[d]);
    const double weight = std::exp(score / std::sqrt(static_cast<double>(size)));
    for (int d = 0; d < size; d++) sum[static_cast<std::size_t>(d)] += weight * static_cast<double>(pair(p, true, shared)[d]);
    total += weight;
  }
  for (double& value : sum) value /= total;
  return sum;
}

double AttentionCase::furthest(const std::vector<int>& rows, const std::vector<std::int32_t>& first, const std::vector<float>& got) const {
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < rows.size(); i++) {
    for (int h = 0; h < heads; h++) {
      for (const double exact : expected(rows[i], h, first[i], rows[i] + 1)) {
        const double error = std::abs(static_cast<double>(got[at++]) - exact);
        worst = std::isfinite(error) ? std::max(worst, error) : 1e9;
      }
    }
  }
  return worst;
}

AttentionRun::AttentionRun(Backend& backend, const AttentionCase& made, DType kv) : made_(made), backend_(backend) {
  constexpr int heads = AttentionCase::heads;
  constexpr int kv_heads = AttentionCase::kv_heads;
  constexpr int positions = AttentionCase::positions;
  const int size = made.size;
  const int width = (heads + 2 * kv_heads) * size;
  OpsShape shape{};
  shape.rows = shape.part_rows = positions;
  shape.columns = shape.outputs = width;
  shape.logit_rows = 4;  // as many decode rows at most
  shape.heads = heads;
  shape.threads = 2;
  shape.kv = {1, 1, positions, kv_heads, size, kv};
  ops_ = backend.make_ops(shape);
  memory_ = Memory(backend, ops_->kv_bytes(shape.kv));
  kv_ = {shape.kv, memory_.data()};
  const Picker query(*ops_, width, 0, heads * size);
  const Picker key(*ops_, width, heads * size, kv_heads * size);
  const Picker value(*ops_, width, (heads + kv_heads) * size, kv_heads * size);
  const AttentionWeights weights{Norm{}, query.linear(), key.linear(), value.linear(), nullptr, nullptr, heads};

  std::vector<float> x(static_cast<std::size_t>(positions * width));
  for (int p = 0; p < positions; p++) {
    std::memcpy(x.data() + std::ptrdiff_t{p} * width, made.queries.data() + std::ptrdiff_t{p} * heads * size, static_cast<std::size_t>(heads * size) * sizeof(float));
    std::memcpy(x.data() + std::ptrdiff_t{p} * width + heads * size, made.pair(p, false, 0), static_cast<std::size_t>(2 * kv_heads * size) * sizeof(float));
  }
  queries_.resize(static_cast<std::size_t>(positions * heads * size));
  const Memory inputs(backend, x.size() * sizeof(float));
  rows_ = Memory(backend, queries_.size() * sizeof(float));
  backend.upload(inputs.data(), x.data(), x.size() * sizeof(float));
  std::vector<std::int32_t> zeros(positions), numbers(positions), visible(positions);
  for (int p = 0; p < positions; p++) numbers[static_cast<std::size_t>(p)] = p, visible[static_cast<std::size_t>(p)] = p + 1;
  ops_->begin({positions, 0, zeros.data(), zeros.data(), numbers.data(), numbers.data(), zeros.data(), visible.data()}, Rope{});
  ops_->project_attention(weights, {0, positions}, inputs.floats(), rows_.floats(), kv_, 0);
  ops_->end();
  backend.download(queries_.data(), rows_.data(), queries_.size() * sizeof(float));
}

std::vector<float> AttentionRun::attend(const std::vector<int>& rows, const std::vector<std::int32_t>& first, int rows_per_pass, bool decoded) {
  const std::ptrdiff_t width = std::ptrdiff_t{AttentionCase::heads} * made_.size;
  std::vector<float> out;
  for (std::size_t begin = 0; begin < rows.size(); begin += static_cast<std::size_t>(rows_per_pass)) {
    const std::size_t count = std::min(rows.size() - begin, static_cast<std::size_t>(rows_per_pass));
    std::vector<std::int32_t> zeros(count), numbers, visible, from;
    std::vector<float> pass;
    for (std::size_t i = begin; i < begin + count; i++) {
      numbers.push_back(rows[i]);
      visible.push_back(rows[i] + 1);
      from.push_back(first[i]);
      pass.insert(pass.end(), queries_.begin() + rows[i] * width, queries_.begin() + (rows[i] + 1) * width);
    }
    const auto all = static_cast<int>(count);
    backend_.upload(rows_.data(), pass.data(), pass.size() * sizeof(float));
    ops_->begin({all, decoded ? all : 0, zeros.data(), zeros.data(), numbers.data(), numbers.data(), from.data(), visible.data()}, Rope{});
    ops_->attend(AttentionCase::heads, {0, all}, rows_.floats(), kv_, 0, rows_.floats());
    ops_->end();
    backend_.download(pass.data(), rows_.data(), pass.size() * sizeof(float));
    out.insert(out.end(), pass.begin(), pass.end());
  }
  return out;
}

}  // namespace lectern::test
