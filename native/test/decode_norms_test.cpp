// The products of decode rows leave the residual quantised for the next norm, too. Those bytes may be read only as long as the residual is what they were made from.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
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
#include "kernel_switches.h"
#include "made_product.h"
#include "opened_model.h"
#include "tensor/dtype.h"

namespace lectern {
namespace {

using test::check;
using test::Row;

constexpr int embedding = 10 * 32;
constexpr int feed_forward = 64;
constexpr int head_size = 32;
constexpr int most_rows = 6;  // more than one launch takes

/// A residual x with two norms, and the ops that read and write it.
class NormedDecode {
 public:
  NormedDecode(Backend& backend, const char* kind) : backend_(backend) {
    OpsShape shape{};
    shape.rows = shape.part_rows = shape.logit_rows = most_rows;
    shape.columns = shape.outputs = embedding;
    shape.heads = 1;
    shape.kv = kv_.shape = {1, most_rows, 8, 1, head_size, DType::f16};
    shape.records = false;
    const test::GemvKernelScope scope(kind);
    ops_ = backend.make_ops(shape);
    output = {matrix(DType::q8_0, embedding, embedding), nullptr};
    gate = {norm(), matrix(DType::q8_0, feed_forward, embedding), matrix(DType::q8_0, feed_forward, embedding)};
    other_gate = {norm(), gate.gate, gate.up};
    up = {matrix(DType::f16, feed_forward, embedding), nullptr};
    down = {matrix(DType::f16, embedding, feed_forward), nullptr};
    narrow = {matrix(DType::q8_0, embedding, feed_forward), nullptr};
    table = matrix(DType::q8_0, 8, embedding);
    attention = {norm(), {matrix(DType::q8_0, head_size, embedding), nullptr}, {matrix(DType::q8_0, head_size, embedding), nullptr}, {matrix(DType::q8_0, head_size, embedding), nullptr}, nullptr, nullptr, 1};
    for (Memory* memory : {&in_, &x_, &hidden_, &more_}) *memory = Memory(backend, std::size_t{most_rows} * embedding * sizeof(float));
    cache_ = Memory(backend, ops_->kv_bytes(kv_.shape));
    kv_.data = cache_.data();
  }

  void begin(int rows) {
    rows_ = rows;
    std::vector<std::int32_t> slots;
    for (int row = 0; row < rows; row++) slots.push_back(row);
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0), ones(static_cast<std::size_t>(rows), 1);
    ops_->begin({rows, rows, slots.data(), slots.data(), zeros.data(), zeros.data(), zeros.data(), ones.data()}, Rope{});
  }
  /// The same with `in` and `x` uploaded first.
  void begin(int rows, const Row& in, const Row& x) {
    upload(in, in_);
    upload(x, x_);
    begin(rows);
  }
  /// x += a product, and the residual quantised for `next`, or nothing where it is null.
  PreparedRows add(const Norm* next) { return ops_->project_add(output, rows_, in_.floats(), x_.floats(), {}, next); }
  void add_small(const Linear& weights) { ops_->project_add(weights, rows_, in_.floats(), x_.floats()); }
  PreparedRows gated(const GatedWeights& weights, const PreparedRows& prepared = {}) { return ops_->gated(weights, rows_, x_.floats(), hidden_.floats(), prepared); }
  void heads(const PreparedRows& prepared) { ops_->project_attention(attention, {0, rows_}, x_.floats(), hidden_.floats(), kv_, 0, prepared); }
  void upload(const Row& from, const Memory& to) { backend_.upload(to.data(), from.data(), from.size() * sizeof(float)); }
  Ops& ops() { return *ops_; }
  int rows() const { return rows_; }
  float* x() { return x_.floats(); }
  float* hidden() { return hidden_.floats(); }
  float* more() { return more_.floats(); }
  const Memory& x_memory() const { return x_; }

  Row end(const Memory& memory, int width) {
    ops_->end();
    Row all(static_cast<std::size_t>(rows_ * width));
    backend_.download(all.data(), memory.data(), all.size() * sizeof(float));
    return all;
  }
  Row end_hidden(int width) { return end(hidden_, width); }

  Linear output{}, up{}, down{}, narrow{};
  GatedWeights gate{}, other_gate{};
  AttentionWeights attention{};
  Matrix table{};

 private:
  /// Powers of two: rows that quantisation represents exactly stay so.
  Norm norm() {
    Row weights(embedding);
    for (float& one : weights) one = random_() % 2 == 0 ? 1.0F : -1.0F;
    for (std::size_t i = 0; i < weights.size(); i++) weights[i] *= i / 32 % 3 == 0 ? 0.5F : 2.0F;
    return {ops_->load_vector(weights.data(), weights.size()), nullptr, 1e-5F};
  }
  Matrix matrix(DType type, int rows, int columns) { return test::place_random(backend_, *ops_, type, rows, columns, 1.0F / 16, random_); }

  Backend& backend_;
  std::mt19937 random_{11};
  std::unique_ptr<Ops> ops_;
  int rows_ = 0;
  Kv kv_{};
  Memory in_, x_, hidden_, more_, cache_;
};

/// Rows that quantisation represents exactly: in each quant block multiples of 1/127 of its largest value, which differs from block to block and from row to row.
Row exact_rows() {
  std::mt19937 random(5);
  Row x(std::size_t{most_rows} * embedding);
  for (std::size_t i = 0; i < x.size(); i++) {
    const float step = std::ldexp(1.0F, static_cast<int>((i / 32 * 7 + i / embedding) % 5) - 6);
    x[i] = i % 32 == 3 ? 127.0F * step : step * static_cast<float>(static_cast<int>(random() % 253) - 126);
  }
  return x;
}

template <class Visit>
void each_device(const Visit& visit) {
  for (const test::Place& place : test::places_and_warpgroups()) {
    if (place.name == "emulated") continue;  // the emulated device whose tensor cores decode rows do not use
    const std::unique_ptr<Backend> backend = place.make();
    visit(place.name, *backend);
  }
}

LECTERN_TEST("cuda: decode rows: a norm of rows that the product before it left quantised gives what a norm of floats gives, each row as if alone") {
  each_device([](const std::string& place, Backend& backend) {
    NormedDecode decode(backend, "tiles");
    const Row x = exact_rows();
    const Row nothing(x.size(), 0.0F);
    for (const bool attends : {false, true}) {
      const int width = attends ? head_size : feed_forward;
      const auto result = [&](bool before, int rows) {
        decode.begin(rows, nothing, x);
        const Norm& next = attends ? decode.attention.norm : decode.gate.norm;
        const PreparedRows prepared = decode.add(before ? &next : nullptr);
        if (attends) decode.heads(prepared);
        else decode.gated(decode.gate, prepared);
        return decode.end_hidden(width);
      };
      const Row plain = result(false, most_rows);
      for (int rows = 1; rows <= most_rows; rows++) {
        const std::string name = place + (attends ? ", heads, " : ", gated, ") + std::to_string(rows) + " rows";
        const Row prepared = result(true, rows);
        const Row expected = test::part_of(plain, 0, rows, width);
        for (int row = 0; row < rows; row++) {
          const double distance = test::relative_distance(test::part_of(prepared, row, 1, width), test::part_of(expected, row, 1, width));
          check(distance < 5e-6, name + ": row " + std::to_string(row) + ", distance " + std::to_string(distance));
        }
        check(!test::same_bits(prepared, expected), name + ": the quantised rows were read");
        cuda::emulation::set_reverse(true);
        check(test::same_bits(prepared, test::part_of(result(true, most_rows), 0, rows, width)), name + ": beside others, threads in reverse");
        cuda::emulation::set_reverse(false);
      }
    }
  });
}

/// What comes between the op that left x quantised and the op that is handed those bytes.
struct Change {
  std::string name;
  std::function<void(NormedDecode&)> work;
  bool other_norm = false;
};

LECTERN_TEST("cuda: decode rows: a residual that was left quantised for a norm is not read where another op has come between, or for another norm") {
  const Row x = exact_rows();
  const Row in = test::random_row(x.size(), 3, 1.0F);
  const std::vector<Change> changes{
      {"a product without a norm behind it", [](NormedDecode& a) { a.add(nullptr); }},
      {"a product of float weights", [](NormedDecode& a) { a.ops().project_add(a.down, a.rows(), a.more(), a.x()); }},
      {"an embedding", [](NormedDecode& a) { a.ops().embed(a.table, {0, a.rows()}, a.x()); }},
      {"positions", [](NormedDecode& a) { a.ops().add_positions(a.table, nullptr, {0, a.rows()}, a.x()); }},
      {"a norm in place", [](NormedDecode& a) { a.ops().normalise(a.other_gate.norm, a.rows(), embedding, a.x()); }},
      {"a feed-forward block with gelu", [](NormedDecode& a) { a.ops().project_gelu_add(a.up, a.down, a.rows(), a.more(), a.x()); }},
      {"a new pass", [&](NormedDecode& a) {
         a.ops().end();
         a.upload(in, a.x_memory());
         a.begin(a.rows());
       }},
      {"another norm", [](NormedDecode&) {}, true},
  };
  each_device([&](const std::string& place, Backend& backend) {
    NormedDecode decode(backend, "tiles");
    for (const Change& change : changes) {
      const auto after = [&](bool before) {
        decode.begin(2, in, x);
        decode.ops().project_gelu(decode.up, 2, decode.x(), decode.more());
        const PreparedRows prepared = decode.add(before ? &decode.gate.norm : nullptr);
        change.work(decode);
        decode.gated(change.other_norm ? decode.other_gate : decode.gate, prepared);
        return decode.end_hidden(feed_forward);
      };
      check(test::same_bits(after(true), after(false)), place + ": " + change.name);
    }
  });
}

LECTERN_TEST("cuda: decode rows: the quantised output of a gated product is not read where its floats were overwritten") {
  const Row x = exact_rows();
  each_device([&](const std::string& place, Backend& backend) {
    NormedDecode decode(backend, "tiles");
    const auto result = [&](bool gated) {
      decode.begin(2, x, x);
      const PreparedRows prepared = gated ? decode.gated(decode.gate) : PreparedRows{};
      decode.ops().project_gelu(decode.up, 2, decode.x(), decode.hidden());
      decode.ops().project_add(decode.narrow, 2, decode.hidden(), decode.x(), prepared);
      return decode.end(decode.x_memory(), embedding);
    };
    check(test::same_bits(result(true), result(false)), place);
  });
}

LECTERN_TEST("cuda: decode rows: a row with a value that is not finite has no number behind a norm, and the rows beside it do") {
  const float infinity = std::numeric_limits<float>::infinity();
  each_device([&](const std::string& place, Backend& backend) {
    NormedDecode decode(backend, "tiles");
    const Row nothing(std::size_t{most_rows} * embedding, 0.0F);
    for (const bool before : {true, false}) {
      for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
        Row x = exact_rows();
        x[embedding + 77] = wrong;
        decode.begin(3, nothing, x);
        decode.gated(decode.gate, decode.add(before ? &decode.gate.norm : nullptr));
        const Row all = decode.end_hidden(feed_forward);
        for (int row = 0; row < 3; row++) {
          const Row one = test::part_of(all, row, 1, feed_forward);
          const auto none = std::count_if(one.begin(), one.end(), [](float value) { return std::isnan(value); });
          check(none == (row == 1 ? feed_forward : 0), place + (before ? ", quantised" : ", floats") + ": row " + std::to_string(row) + " beside " + std::to_string(wrong));
        }
      }
    }
  });
}

/// Rows so long that a thread block reads them twice.
Row long_rows(Backend& backend, const char* kind, int rows) {
  constexpr int columns = 288 * 32;
  OpsShape shape{};
  shape.rows = shape.part_rows = shape.logit_rows = 4;
  shape.columns = shape.outputs = columns;
  shape.heads = 1;
  shape.kv = {1, 1, 1, 1, head_size, DType::f16};
  shape.records = false;
  const test::GemvKernelScope scope(kind);
  const std::unique_ptr<Ops> ops = backend.make_ops(shape);
  std::mt19937 random(8);
  const Row weight = test::random_row(columns, 4, 1.0F);
  const Matrix gate = test::place_random(backend, *ops, DType::q4_0, feed_forward, columns, 1.0F / 64, random);
  const GatedWeights gated{{ops->load_vector(weight.data(), weight.size()), nullptr, 1e-5F}, gate, gate};
  const Row x = test::random_row(std::size_t{4} * columns, 6, 3.0F);
  const Memory in(backend, x.size() * sizeof(float)), out(backend, 4 * feed_forward * sizeof(float));
  backend.upload(in.data(), x.data(), x.size() * sizeof(float));
  const std::vector<std::int32_t> zeros(static_cast<std::size_t>(rows), 0);
  ops->begin({rows, rows, zeros.data(), zeros.data(), zeros.data(), zeros.data(), zeros.data(), zeros.data()}, Rope{});
  ops->gated(gated, rows, in.floats(), out.floats());
  ops->end();
  Row all(static_cast<std::size_t>(rows * feed_forward));
  backend.download(all.data(), out.data(), all.size() * sizeof(float));
  return all;
}

LECTERN_TEST("cuda: decode rows: rows that are too long for registers are normed alike by every kernel") {
  each_device([](const std::string& place, Backend& backend) {
    const Row plain = long_rows(backend, "registers", 4);
    const Row four = long_rows(backend, "tiles", 4);
    const double distance = test::relative_distance(four, plain);
    check(distance < 5e-6, place + ": distance " + std::to_string(distance));
    for (int rows = 1; rows < 4; rows++) check(test::same_bits(long_rows(backend, "tiles", rows), test::part_of(four, 0, rows, feed_forward)), place + ": " + std::to_string(rows) + " rows beside others");
  });
}

LECTERN_TEST("cuda: decode rows: rows times a power of two give the result times that power, close to the limits of floats, too") {
  each_device([](const std::string& place, Backend& backend) {
    for (const char* kind : {"registers", "rings", "tiles"}) {
      NormedDecode decode(backend, kind);
      std::mt19937 random(2);
      const Linear small{test::place_random(backend, decode.ops(), DType::q8_0, embedding, embedding, 1.0F / 1024, random), nullptr};
      const Row one = test::random_row(std::size_t{most_rows} * embedding, 9, 0.5F);
      const auto scaled = [](Row row, int power) {
        for (float& value : row) value = std::ldexp(value, power);
        return row;
      };
      const auto result = [&](int power) {
        decode.begin(2, scaled(one, power), Row(one.size(), 0.0F));
        decode.add_small(small);
        return decode.end(decode.x_memory(), embedding);
      };
      const Row plain = result(0);
      for (const int power : {-80, 60, 124, 126}) check(test::same_bits(result(power), scaled(plain, power)), place + ", " + kind + ": times 2^" + std::to_string(power));
    }
  });
}

}  // namespace
}  // namespace lectern
