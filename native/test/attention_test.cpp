// Attention against two plain loops in double precision: any window of positions, any instruction level, any company.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/ops.h"
#include "cpu/backend.h"
#include "harness.h"
#include "sanitized.h"

namespace lectern {
namespace {

using test::check;

constexpr int heads = 4;
constexpr int kv_heads = 2;
constexpr int positions = 300;

/// Random keys and values of one layer and the same number of queries, one each a position.
struct Case {
  int size;
  std::vector<float> queries;  // (positions, heads, size)
  std::vector<float> pairs;    // (positions, keys then values, kv_heads, size)

  explicit Case(int head_size) : size(head_size) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal(0, 1);
    queries.resize(static_cast<std::size_t>(positions * heads * size));
    pairs.resize(static_cast<std::size_t>(positions * 2 * kv_heads * size));
    for (float& value : queries) value = 2 * normal(random);
    for (float& value : pairs) value = normal(random);
  }

  const float* pair(int position, bool value, int head) const { return pairs.data() + ((static_cast<std::ptrdiff_t>(position) * 2 + (value ? 1 : 0)) * kv_heads + head) * size; }

  /// What query `row` of `head` sees of the positions from first to before visible.
  std::vector<double> expected(int row, int head, int first, int visible) const {
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
};

/// A matrix of F32 that takes `rows` of its `columns` inputs, from `first` on.
class Picker {
 public:
  Picker(Ops& ops, int columns, int first, int rows) : values_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {
    for (int r = 0; r < rows; r++) values_[static_cast<std::size_t>(r * columns + first + r)] = 1;
    const Tensor tensor{"pick", DType::f32, {columns, rows, 1, 1}, 2, reinterpret_cast<const std::byte*>(values_.data()), values_.size() * sizeof(float)};
    linear_ = {ops.place_matrix(&tensor, 1), nullptr};
  }
  const Linear& linear() const { return linear_; }

 private:
  std::vector<float> values_;
  Linear linear_{};
};

/// The backend's attention over the case's keys and values, written by its own projection; in passes of `rows_per_pass`.
std::vector<float> attend(Backend& backend, const Case& made, const std::vector<int>& rows, const std::vector<std::int32_t>& first, int rows_per_pass) {
  const int size = made.size;
  const int width = (heads + 2 * kv_heads) * size;
  OpsShape shape{};
  shape.rows = shape.part_rows = positions;
  shape.columns = shape.outputs = width;
  shape.logit_rows = 1;
  shape.heads = heads;
  shape.threads = 2;
  shape.kv = {1, 1, positions, kv_heads, size, DType::f32};
  const std::unique_ptr<Ops> ops = backend.make_ops(shape);
  const Memory memory(backend, ops->kv_bytes(shape.kv));
  const Kv kv{shape.kv, memory.data()};
  const Picker query(*ops, width, 0, heads * size);
  const Picker key(*ops, width, heads * size, kv_heads * size);
  const Picker value(*ops, width, (heads + kv_heads) * size, kv_heads * size);
  const AttentionWeights weights{Norm{}, query.linear(), key.linear(), value.linear(), nullptr, nullptr, heads};

  std::vector<float> x(static_cast<std::size_t>(positions * width));
  for (int p = 0; p < positions; p++) {
    std::memcpy(x.data() + std::ptrdiff_t{p} * width, made.queries.data() + std::ptrdiff_t{p} * heads * size, static_cast<std::size_t>(heads * size) * sizeof(float));
    std::memcpy(x.data() + std::ptrdiff_t{p} * width + heads * size, made.pair(p, false, 0), static_cast<std::size_t>(2 * kv_heads * size) * sizeof(float));
  }
  std::vector<float> q(static_cast<std::size_t>(positions * heads * size));
  std::vector<std::int32_t> slots(positions), numbers(positions), visible(positions), tokens(positions), from(positions);
  for (int p = 0; p < positions; p++) numbers[static_cast<std::size_t>(p)] = p, visible[static_cast<std::size_t>(p)] = p + 1;
  ops->begin({positions, 0, tokens.data(), slots.data(), numbers.data(), numbers.data(), from.data(), visible.data()}, Rope{});
  ops->project_attention(weights, {0, positions}, x.data(), q.data(), kv, 0);
  ops->end();

  std::vector<float> out;
  for (std::size_t begin = 0; begin < rows.size(); begin += static_cast<std::size_t>(rows_per_pass)) {
    const auto count = static_cast<int>(std::min(rows.size() - begin, static_cast<std::size_t>(rows_per_pass)));
    std::vector<float> pass;
    for (int i = 0; i < count; i++) {
      const int row = rows[begin + static_cast<std::size_t>(i)];
      numbers[static_cast<std::size_t>(i)] = row;
      visible[static_cast<std::size_t>(i)] = row + 1;
      from[static_cast<std::size_t>(i)] = first[begin + static_cast<std::size_t>(i)];
      const auto at = q.begin() + std::ptrdiff_t{row} * heads * size;
      pass.insert(pass.end(), at, at + std::ptrdiff_t{heads} * size);
    }
    ops->begin({count, 0, tokens.data(), slots.data(), numbers.data(), numbers.data(), from.data(), visible.data()}, Rope{});
    ops->attend(heads, {0, count}, pass.data(), kv, 0, pass.data());
    ops->end();
    out.insert(out.end(), pass.begin(), pass.end());
  }
  return out;
}

double furthest(const Case& made, const std::vector<int>& rows, const std::vector<std::int32_t>& first, const std::vector<float>& got) {
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < rows.size(); i++) {
    for (int h = 0; h < heads; h++) {
      for (const double exact : made.expected(rows[i], h, first[i], rows[i] + 1)) {
        const double error = std::abs(static_cast<double>(got[at++]) - exact);
        worst = std::isfinite(error) ? std::max(worst, error) : 1e9;
      }
    }
  }
  return worst;
}

void check_windows(Backend& backend, const std::string& name) {
  const std::vector<int> rows = {0, 1, 15, 16, 40, 62, 63, 64, 65, 100, 127, 128, 129, 190, 191, 192, 200, 255, 256, 257, 299};
  for (const int size : {32, 40, 64}) {
    const Case made(size);
    for (const int window : {1, 2, 16, 63, 64, 65, 130, positions}) {
      std::vector<std::int32_t> first;
      for (const int row : rows) first.push_back(std::max(0, row + 1 - window));
      const std::vector<float> together = attend(backend, made, rows, first, static_cast<int>(rows.size()));
      const std::string what = name + ", heads of " + std::to_string(size) + ", a window of " + std::to_string(window);
      check(furthest(made, rows, first, together) < 3e-6, what);
      check(attend(backend, made, rows, first, 1) == together, what + ": one row at a time has the same bits");
    }
  }
}

LECTERN_TEST("attention: a row sees the positions of its window and no other") {
  if (!test::thread_sanitized) check_windows(*cpu::make_backend(cpu::Arithmetic::plain), "plain");
  for (const Instructions level : {Instructions::baseline, Instructions::avx2, Instructions::avx512}) {
    if (test::thread_sanitized && level < available_instructions()) continue;
    if (level > available_instructions()) {
      test::note("skipped: this processor has no " + std::string(name_of(level)));
      continue;
    }
    check_windows(*cpu::make_backend(cpu::Arithmetic::fast, level), std::string(name_of(level)));
  }
}

}  // namespace
}  // namespace lectern
