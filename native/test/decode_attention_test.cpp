// Attention of decode rows through the CUDA kernels: any number of heads that share keys and values, several head sizes, splits of any length, against
// sums in double over the contents of the cache; the same bits beside any other rows.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "harness.h"
#include "tensor/half.h"

namespace lectern {
namespace {

using test::check;

struct Row {
  int slot;
  int first;
  int visible;
};

/// A cache of random keys and values in its form on a device, and queries of some rows.
class SharedKeys {
 public:
  static constexpr int layers = 2;
  static constexpr int slots = 3;

  SharedKeys(DType type, int positions, int kv_heads, int group, int size)
      : shape_{layers, slots, positions, kv_heads, size, type}, group_(group), elements_(std::size_t{layers} * slots * 2 * static_cast<std::size_t>(positions * kv_heads * size)) {
    std::mt19937 random(11);
    std::normal_distribution<float> normal(0, 1);
    std::uniform_int_distribution<int> byte(-127, 127);
    values_.resize(elements_);
    if (type == DType::f16) {
      bytes_.resize(2 * elements_);
      for (std::size_t i = 0; i < elements_; i++) {
        const std::uint16_t half = f16_from_float(normal(random));
        std::memcpy(bytes_.data() + 2 * i, &half, 2);
        values_[i] = float_from_f16(half);
      }
      return;
    }
    bytes_.resize(elements_ + elements_ / 16);
    for (std::size_t begin = 0; begin < elements_; begin += 32) {
      const std::uint16_t scale = f16_from_float(std::abs(normal(random)) / 50);
      std::memcpy(bytes_.data() + elements_ + begin / 16, &scale, 2);
      for (std::size_t i = begin; i < begin + 32; i++) {
        const int value = byte(random);
        bytes_[i] = static_cast<std::uint8_t>(value);
        values_[i] = float_from_f16(scale) * static_cast<float>(value);
      }
    }
  }

  const KvShape& shape() const { return shape_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  int heads() const { return shape_.heads * group_; }
  int columns() const { return heads() * shape_.head_size; }

  /// The query of a row, the same at any place of a pass.
  std::vector<float> query(const Row& row) const {
    std::mt19937 random(static_cast<unsigned>(row.visible * slots + row.slot));
    std::normal_distribution<float> normal(0, 2 / std::sqrt(static_cast<float>(shape_.head_size)));
    std::vector<float> query(static_cast<std::size_t>(columns()));
    for (float& value : query) value = normal(random);
    return query;
  }

  /// The greatest difference from the expected rows.
  double furthest(const Row& row, int layer, const float* got) const {
    const std::vector<float> queries = query(row);
    const int size = shape_.head_size;
    double worst = 0;
    for (int h = 0; h < heads(); h++) {
      std::vector<double> scores;
      for (int p = row.first; p < row.visible; p++) {
        double score = 0;
        for (int d = 0; d < size; d++) score += static_cast<double>(queries[static_cast<std::size_t>(h * size + d)]) * value(layer, row.slot, 0, p, h / group_, d);
        scores.push_back(score);
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      double total = 0;
      for (double& score : scores) total += score = std::exp(score - largest);
      for (int d = 0; d < size; d++) {
        double sum = 0;
        for (int p = row.first; p < row.visible; p++) sum += scores[static_cast<std::size_t>(p - row.first)] * value(layer, row.slot, 1, p, h / group_, d);
        const double error = std::abs(static_cast<double>(got[h * size + d]) - sum / total);
        worst = std::isfinite(error) ? std::max(worst, error) : 1e9;
      }
    }
    return worst;
  }

 private:
  double value(int layer, int slot, int kind, int position, int head, int d) const {
    const int row = ((layer * slots + slot) * 2 + kind) * shape_.positions + position;
    return static_cast<double>(values_[static_cast<std::size_t>(row * shape_.heads + head) * static_cast<std::size_t>(shape_.head_size) + static_cast<std::size_t>(d)]);
  }

  KvShape shape_;
  int group_;
  std::size_t elements_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> values_;
};

class SharedKeysRun {
 public:
  SharedKeysRun(Backend& backend, const SharedKeys& made, int most_rows) : made_(made), backend_(backend) {
    OpsShape shape{};
    shape.rows = shape.part_rows = shape.logit_rows = most_rows;
    shape.threads = 1;
    shape.columns = shape.outputs = made.columns();
    shape.heads = made.heads();
    shape.kv = made.shape();
    ops_ = backend.make_ops(shape);
    kept_ = Memory(backend, ops_->kv_bytes(shape.kv));
    rows_ = Memory(backend, static_cast<std::size_t>(most_rows * made.columns()) * sizeof(float));
    backend.upload(kept_.data(), made.bytes().data(), made.bytes().size());
  }

  std::vector<float> attend(const std::vector<Row>& rows, int layer) {
    std::vector<std::int32_t> slots, first, visible, numbers;
    std::vector<float> values;
    for (const Row& row : rows) {
      slots.push_back(row.slot);
      first.push_back(row.first);
      visible.push_back(row.visible);
      numbers.push_back(row.visible - 1);
      const std::vector<float> query = made_.query(row);
      values.insert(values.end(), query.begin(), query.end());
    }
    const auto count = static_cast<int>(rows.size());
    backend_.upload(rows_.data(), values.data(), values.size() * sizeof(float));
    ops_->begin({count, count, numbers.data(), slots.data(), numbers.data(), numbers.data(), first.data(), visible.data()}, Rope{});
    ops_->attend(made_.heads(), {0, count}, rows_.floats(), {made_.shape(), kept_.data()}, layer, rows_.floats());
    ops_->end();
    backend_.download(values.data(), rows_.data(), values.size() * sizeof(float));
    return values;
  }

 private:
  const SharedKeys& made_;
  Backend& backend_;
  std::unique_ptr<Ops> ops_;
  Memory kept_;
  Memory rows_;
};

struct Case {
  DType type;
  int kv_heads;
  int group;
  int size;
};

LECTERN_TEST("cuda: decode rows: attention agrees for every number of heads that share keys, with the same bits beside any other rows") {
  // Splits of one tile and of many, with a last tile that is not full; one split, several, the most of 132 / 2; and a window.
  const std::vector<Row> rows = {{0, 0, 1}, {1, 0, 17}, {2, 0, 256}, {0, 0, 257}, {1, 101, 471}, {2, 3, 777}};
  for (const test::Place& place : test::places()) {
    for (const Case& each : {Case{DType::f16, 2, 1, 64}, Case{DType::f16, 2, 3, 80}, Case{DType::f16, 1, 8, 128}, Case{DType::f16, 2, 16, 96}, Case{DType::f16, 1, 20, 16}, Case{DType::q8_0, 2, 3, 64},
                             Case{DType::q8_0, 1, 10, 128}, Case{DType::q8_0, 2, 2, 96}, Case{DType::f16, 160, 1, 16}}) {
      const SharedKeys made(each.type, 800, each.kv_heads, each.group, each.size);
      const std::unique_ptr<Backend> backend = place.make();
      SharedKeysRun run(*backend, made, static_cast<int>(rows.size()));
      const std::string name = place.name + ", " + std::to_string(each.group) + " heads of " + std::to_string(each.size) + " to one of " + std::to_string(each.kv_heads) + ", " + std::string(info_of(each.type).name);
      const std::vector<float> together = run.attend(rows, 1);
      for (std::size_t r = 0; r < rows.size(); r++) {
        const auto own = together.begin() + static_cast<std::ptrdiff_t>(r) * made.columns();
        const double error = made.furthest(rows[r], 1, &*own);
        // The tensor cores truncate sums; queries or probabilities as single f16 were some 1e-4.
        check(error < 3e-5, name + ", row " + std::to_string(r) + ": " + std::to_string(error));
        check(run.attend({rows[r]}, 1) == std::vector<float>(own, own + made.columns()), name + ", row " + std::to_string(r) + ": the same bits alone");
      }
      cuda::emulation::set_reverse(true);
      check(run.attend(rows, 1) == together, name + ": the same bits with threads and blocks in reverse");
      cuda::emulation::set_reverse(false);
    }
  }
}

/// One position that takes nearly all of the probability and whose value is zero, as models learn to have, and `seen` - 1 others, whose values alone are in the result.
LECTERN_TEST("cuda: decode rows: attention is exact beside one position that takes nearly all of the probability") {
  constexpr int size = 64;
  constexpr int group = 3;
  constexpr int seen = 1000;
  constexpr std::size_t sides = std::size_t{2} * seen * size;
  for (const test::Place& place : test::places()) {
    for (const DType type : {DType::f16, DType::q8_0}) {
      for (const auto& [values, above] : {std::pair{1.0F, 14.0F}, {0.01F, 14.0F}, {1e-3F, 7.0F}}) {
        std::mt19937 random(3);
        std::normal_distribution<float> normal(0, 1);
        std::vector<std::uint8_t> bytes(type == DType::f16 ? 2 * sides : sides + sides / 16);
        std::vector<double> kept(sides);
        // Only element 0 of each key differs.
        for (std::size_t begin = 0; begin < sides; begin += 32) {
          const std::size_t position = begin / size % seen;
          const bool value = begin >= sides / 2;
          float numbers[32] = {};
          for (float& number : numbers) number = value && position > 0 ? values * normal(random) : 0.0F;
          if (!value && begin % size == 0) numbers[0] = position == 0 ? 8.0F : 0.01F * normal(random);
          float largest = 0.0F;
          for (const float number : numbers) largest = std::max(largest, std::abs(number));
          const std::uint16_t scale = f16_from_float(largest / 127);
          if (type != DType::f16) std::memcpy(bytes.data() + sides + begin / 16, &scale, 2);
          for (std::size_t i = 0; i < 32; i++) {
            if (type == DType::f16) {
              const std::uint16_t half = f16_from_float(numbers[i]);
              std::memcpy(bytes.data() + 2 * (begin + i), &half, 2);
              kept[begin + i] = static_cast<double>(float_from_f16(half));
            } else {
              const float step = float_from_f16(scale);
              const auto byte = static_cast<std::int8_t>(step > 0 ? std::clamp(std::nearbyint(numbers[i] / step), -127.0F, 127.0F) : 0.0F);
              std::memcpy(bytes.data() + begin + i, &byte, 1);
              kept[begin + i] = static_cast<double>(step) * byte;
            }
          }
        }
        std::vector<float> queries(std::size_t{group} * size);
        for (int h = 0; h < group; h++) queries[static_cast<std::size_t>(h * size)] = (above + static_cast<float>(h) / 4) / 8;
        const std::unique_ptr<Backend> backend = place.make();
        OpsShape shape{};
        shape.rows = shape.part_rows = shape.logit_rows = shape.threads = 1;
        shape.columns = shape.outputs = group * size;
        shape.heads = group;
        shape.kv = {1, 1, seen, 1, size, type};
        const std::unique_ptr<Ops> ops = backend->make_ops(shape);
        const Memory cache(*backend, ops->kv_bytes(shape.kv));
        const Memory rows(*backend, queries.size() * sizeof(float));
        backend->upload(cache.data(), bytes.data(), bytes.size());
        backend->upload(rows.data(), queries.data(), queries.size() * sizeof(float));
        const std::int32_t zero = 0, last = seen - 1, visible = seen;
        ops->begin({1, 1, &zero, &zero, &last, &last, &zero, &visible}, Rope{});
        ops->attend(group, {0, 1}, rows.floats(), {shape.kv, cache.data()}, 0, rows.floats());
        ops->end();
        std::vector<float> got(queries.size());
        backend->download(got.data(), rows.data(), got.size() * sizeof(float));
        double difference = 0, whole = 0;
        for (int h = 0; h < group; h++) {
          double total = 0;
          std::vector<double> sums(size);
          for (std::size_t p = 0; p < seen; p++) {
            const double share = std::exp(static_cast<double>(queries[static_cast<std::size_t>(h * size)]) * (kept[p * size] - kept[0]));
            total += share;
            for (std::size_t d = 0; d < size; d++) sums[d] += share * kept[sides / 2 + p * size + d];
          }
          for (std::size_t d = 0; d < size; d++) {
            difference += std::pow(static_cast<double>(got[static_cast<std::size_t>(h * size) + d]) - sums[d] / total, 2);
            whole += std::pow(sums[d] / total, 2);
          }
        }
        const double error = std::sqrt(difference / whole);
        check(error < 1e-4, place.name + ", " + std::string(info_of(type).name) + " of " + std::to_string(values) + ", " + std::to_string(above) + " below the largest: " + std::to_string(error));
      }
    }
  }
}

}  // namespace
}  // namespace lectern
