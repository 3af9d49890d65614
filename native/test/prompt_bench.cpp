#include "prompt_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/ops.h"
#include "made_model.h"

namespace lectern::test {
namespace {

using Clock = std::chrono::steady_clock;

/// What the tensor cores of an H200 do with bf16, dense.
constexpr double reference_flops = 790e12;

struct Types {
  DType query, key, value, output, gate, up, down;
};

struct Shape {
  std::string name;
  int layers, embedding, heads, kv_heads, head_size, feed_forward;
  std::vector<Types> kinds;  // of layers, equally many of each
  bool encoder = false;
};

constexpr DType q4 = DType::q4_k;
constexpr DType q5 = DType::q5_k;
constexpr DType q6 = DType::q6_k;
constexpr DType half = DType::f16;

/// The types as Q4_K_M files of these models have them.
std::vector<Shape> shapes(bool tiny) {
  if (tiny) {
    return {{"tiny llama", 2, 256, 4, 2, 64, 512, {{q4, q4, q6, q4, q4, q4, q6}, {q4, q4, q5, q4, q4, q4, q4}}},
            {"tiny bert", 2, 128, 2, 2, 64, 256, {{half, half, half, half, half, half, half}}, true}};
  }
  return {{"llama-3.3-70B Q4_K_M", 80, 8192, 64, 8, 128, 28672, {{q4, q4, q6, q4, q4, q4, q6}, {q4, q4, q5, q4, q4, q4, q4}}},
          {"qwen2.5-72B Q4_K_M", 80, 8192, 64, 8, 128, 29568, {{q4, q4, q6, q4, q4, q4, DType::q8_0}, {q4, q4, q5, q4, q4, q4, DType::q5_0}}},
          {"llama-3.1-8B Q4_K_M", 32, 4096, 32, 8, 128, 14336, {{q4, q4, q6, q4, q4, q4, q6}, {q4, q4, q4, q4, q4, q4, q4}}},
          {"llama-3.2-1B Q4_K_M", 16, 2048, 32, 8, 64, 8192, {{q4, q4, q6, q4, q4, q4, q6}, {q4, q4, q4, q4, q4, q4, q4}}},
          {"bge-m3 F16", 24, 1024, 16, 16, 64, 4096, {{half, half, half, half, half, half, half}}, true}};
}

/// The ops of one layer, and memory for the largest pass.
class LayerBench {
 public:
  LayerBench(Backend& backend, const Shape& shape, int rows, int positions) : backend_(backend), shape_(shape), rows_(rows) {
    OpsShape ops{};
    ops.rows = ops.part_rows = rows;
    ops.columns = ops.outputs = std::max({shape.embedding, shape.feed_forward, shape.heads * shape.head_size});
    ops.logit_rows = 1;
    ops.heads = shape.heads;
    ops.rotated = shape.encoder ? 0 : shape.head_size;
    ops.kv = {1, 1, positions, shape.kv_heads, shape.head_size, DType::f16};
    ops_ = backend.make_ops(ops);
    cache_ = Memory(backend, ops_->kv_bytes(ops.kv));
    kv_ = {ops.kv, cache_.data()};
    x_ = floats(shape.embedding);
    q_ = floats(shape.heads * shape.head_size);
    hidden_ = floats(shape.feed_forward);
    std::vector<float> x(static_cast<std::size_t>(rows) * static_cast<std::size_t>(shape.embedding));
    for (float& value : x) value = normal_(random_);
    backend.upload(x_.data(), x.data(), x.size() * sizeof(float));
    const std::vector<float> ones(static_cast<std::size_t>(std::max(shape.embedding, shape.feed_forward)), 1.0F);
    norm_ = {ops_->place_vector(ones.data(), ones.size()), shape.encoder ? ops_->place_vector(ones.data(), ones.size()) : nullptr, 1e-5F};
    for (const Types& types : shape.kinds) layers_.push_back(place(types));
    for (int i = 0; i < shape.head_size / 2; i++) frequencies_.push_back(1.0 / (i + 1));
  }

  /// Seconds of a whole model's layers for `rows` rows at positions from `from` on; of an encoder in texts of `length`.
  double seconds(int rows, int from, int length) {
    double sum = 0;
    for (const Layer& layer : layers_) {
      run(layer, rows, from, length);
      double best = 1e9;
      for (int turn = 0; turn < 3; turn++) {
        const Clock::time_point begin = Clock::now();
        run(layer, rows, from, length);
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
      }
      sum += best;
    }
    return sum / static_cast<double>(layers_.size()) * shape_.layers;
  }

  /// Of `rows` rows, that each see `seen` cells on the average.
  double operations(int rows, double seen) const {
    const double queries = static_cast<double>(shape_.heads) * shape_.head_size;
    const double matrices = shape_.embedding * (2 * queries + 2.0 * shape_.kv_heads * shape_.head_size + (shape_.encoder ? 2.0 : 3.0) * shape_.feed_forward);
    return 2.0 * shape_.layers * rows * (matrices + 2 * queries * seen);
  }

 private:
  struct Layer {
    AttentionWeights attention;
    Linear output, down, up;
    GatedWeights gated;
  };

  Memory floats(int width) { return Memory(backend_, static_cast<std::size_t>(rows_) * static_cast<std::size_t>(width) * sizeof(float)); }

  /// A few random rows over and over: what they hold changes no time.
  Matrix matrix(DType dtype, int rows, int columns) {
    const std::vector<std::byte> some = random_weights(dtype, std::int64_t{8} * columns, 0.02F, random_);
    std::vector<std::byte> bytes;
    bytes.reserve(row_bytes(dtype, columns) * static_cast<std::size_t>(rows));
    while (bytes.size() < row_bytes(dtype, columns) * static_cast<std::size_t>(rows)) bytes.insert(bytes.end(), some.begin(), some.end());
    bytes.resize(row_bytes(dtype, columns) * static_cast<std::size_t>(rows));
    const Tensor tensor{"bench", dtype, {columns, rows, 1, 1}, 2, bytes.data(), bytes.size()};
    return ops_->place_matrix(&tensor, 1);
  }

  Layer place(const Types& types) {
    const int queries = shape_.heads * shape_.head_size;
    const int keys = shape_.kv_heads * shape_.head_size;
    Layer layer{};
    layer.attention = {shape_.encoder ? Norm{} : norm_, {matrix(types.query, queries, shape_.embedding), nullptr}, {matrix(types.key, keys, shape_.embedding), nullptr},
                       {matrix(types.value, keys, shape_.embedding), nullptr}, nullptr, nullptr, shape_.heads};
    layer.output = {matrix(types.output, shape_.embedding, queries), nullptr};
    layer.up = {matrix(types.up, shape_.feed_forward, shape_.embedding), nullptr};
    if (!shape_.encoder) layer.gated = {norm_, matrix(types.gate, shape_.feed_forward, shape_.embedding), layer.up.weight};
    layer.down = {matrix(types.down, shape_.embedding, shape_.feed_forward), nullptr};
    return layer;
  }

  void run(const Layer& layer, int rows, int from, int length) {
    const auto count = static_cast<std::size_t>(rows);
    std::vector<std::int32_t> zeros(count), positions(count), cells(count), first(count), visible(count);
    for (std::size_t i = 0; i < count; i++) {
      const int row = static_cast<int>(i);
      cells[i] = from + row;
      positions[i] = shape_.encoder ? row % length : from + row;
      first[i] = shape_.encoder ? row / length * length : 0;
      visible[i] = shape_.encoder ? first[i] + length : from + row + 1;
    }
    const Rope rope{frequencies_.data(), shape_.encoder ? 0 : shape_.head_size, 1.0F, true};
    float* const x = x_.floats();
    const Rows all{0, rows};
    ops_->begin({rows, 0, zeros.data(), zeros.data(), positions.data(), cells.data(), first.data(), visible.data()}, rope);
    ops_->project_attention(layer.attention, all, x, q_.floats(), kv_, 0);
    ops_->attend(shape_.heads, all, q_.floats(), kv_, 0, q_.floats());
    ops_->project_add(layer.output, rows, q_.floats(), x);
    if (shape_.encoder) {
      ops_->normalise(norm_, rows, shape_.embedding, x);
      ops_->project_gelu(layer.up, rows, x, hidden_.floats());
    } else {
      ops_->gated(layer.gated, rows, x, hidden_.floats());
    }
    ops_->project_add(layer.down, rows, hidden_.floats(), x);
    // Made weights make rows grow, turn by turn.
    ops_->normalise(norm_, rows, shape_.embedding, x);
    ops_->end();
    backend_.synchronise();
  }

  Backend& backend_;
  const Shape& shape_;
  int rows_;
  std::mt19937 random_{1};
  std::normal_distribution<float> normal_{0, 1};
  std::unique_ptr<Ops> ops_;
  Memory cache_, x_, q_, hidden_;
  Kv kv_{};
  Norm norm_{};
  std::vector<Layer> layers_;
  std::vector<double> frequencies_;
};

void tell(const std::string& name, int tokens, double seconds, double operations) {
  std::printf("| %-24s | %6d | %9.0f | %6.1f | %5.1f %% |\n", name.c_str(), tokens, tokens / seconds, operations / seconds / 1e12, 100 * operations / seconds / reference_flops);
}

}  // namespace

void bench_prompts(Backend& backend, bool tiny) {
  const int pass = tiny ? 48 : backend.pass_rows();
  const std::vector<int> lengths = tiny ? std::vector{20, 80} : std::vector{512, 2048, 8192};
  std::printf("One layer, times the number of layers; share of 790 TFLOP/s.\n| prompt | tokens | tokens/s | TFLOP/s | share |\n|---|---|---|---|---|\n");
  for (const Shape& shape : shapes(tiny)) {
    LayerBench bench(backend, shape, pass, lengths.back());
    if (shape.encoder) {
      const int length = tiny ? 16 : 512;
      const int texts = pass / length;
      tell(shape.name + ", texts of " + std::to_string(length), texts * length, bench.seconds(texts * length, 0, length), bench.operations(texts * length, length));
      continue;
    }
    for (const int tokens : lengths) {
      double seconds = 0;
      for (int from = 0; from < tokens; from += pass) seconds += bench.seconds(std::min(pass, tokens - from), from, 0);
      tell(shape.name, tokens, seconds, bench.operations(tokens, tokens / 2.0));
    }
  }
}

}  // namespace lectern::test
