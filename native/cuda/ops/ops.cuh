// The operations of a language model on one device.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "backend/ops.h"
#include "cuda/ops/decode_ops.cuh"
#include "cuda/ops/sizes.cuh"
#include "cuda/kernels/common/attention.cuh"
#include "cuda/kernels/common/experts.cuh"
#include "cuda/kernels/layout/quantise.cuh"
#include "cuda/kernels/common/row_ops.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/ops/repacked_weights.cuh"
#include "cuda/ops/prefill_ops.cuh"
#include "cuda/ops/prefill_attention.cuh"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/staged_copy.h"
#include "cuda/ops/token_sampling.h"
#include "cuda/simt/dispatch_type.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class DeviceOps final : public Ops {
 public:
  DeviceOps(const OpsShape& shape, Streams streams, DeviceLimits limits)
      : stream_(streams.work),
        shape_(shape),
        sizes_(shape),
        inputs_(sizes_.inputs),
        blocks_(sizes_.blocks),
        first_outputs_(sizes_.expert_outputs),
        second_outputs_(sizes_.outputs),
        keys_(sizes_.kv),
        values_(sizes_.kv),
        cosines_(sizes_.angles),
        sines_(sizes_.angles),
        second_cosines_(sizes_.second_angles),
        second_sines_(sizes_.second_angles),
        staged_(Sizes::staged_bytes(shape)),
        chosen_rows_(static_cast<std::size_t>(shape.logit_rows)),
        in_order_(static_cast<std::size_t>(shape.logit_rows)),
        scores_(sizes_.scores),
        chosen_(sizes_.expert_rows),
        chosen_weights_(sizes_.expert_rows),
        weights_(streams, sizes_.staging),
        decode_(shape, stream_, limits),
        prefill_(shape, stream_, limits),
        prefill_attention_(shape, stream_, limits.warpgroups),
        sampling_(shape, stream_) {
    if (shape.kv.head_size > longest_head) throw Error(ErrorCode::unsupported_format, "Heads of more than " + std::to_string(longest_head) + " elements do not run on the GPU.");
    host_in_order_.resize(static_cast<std::size_t>(shape.logit_rows));
    std::iota(host_in_order_.begin(), host_in_order_.end(), 0);
    copy_to_device(stream_, in_order_.get(), host_in_order_.data(), host_in_order_.size() * sizeof(int));
  }

  bool supports(Op op, DType dtype) const override { return device_supports(op, dtype); }

  Matrix load_matrix(const Tensor* parts, int count) override {
    prefill_.prepare(device_type(parts->dtype));
    return weights_.matrix(parts, count);
  }
  Matrix load_table(const Tensor& table) override { return weights_.matrix(&table, 1); }
  const float* load_vector(const float* values, std::size_t count) override { return weights_.vector(values, count); }
  std::size_t kv_bytes(const KvShape& shape) const override { return cache_bytes(shape); }

  void begin(const Batch& batch, const Rope& rope, const Rope& second) override {
    weights_.settle();
    const auto rows = static_cast<std::size_t>(batch.rows);
    pairs_ = rope.rotated / 2;
    second_pairs_ = second.rotated / 2;
    adjacent_ = rope.adjacent;
    decode_rows_ = batch.decode_rows;
    // In this order, so that recorded passes find their data at the same addresses.
    staged_.begin();
    tokens_ = staged_.add(batch.tokens, rows);
    slots_ = staged_.add(batch.slots, rows);
    positions_ = staged_.add(batch.positions, rows);
    cells_ = staged_.add(batch.cells, rows);
    first_ = staged_.add(batch.first, rows);
    visible_ = staged_.add(batch.visible, rows);
    local_first_ = batch.local_first == nullptr ? nullptr : staged_.add(batch.local_first, rows);
    local_visible_ = batch.local_visible == nullptr ? nullptr : staged_.add(batch.local_visible, rows);
    const double* const frequencies = staged_.add(rope.frequencies, static_cast<std::size_t>(pairs_));
    const double* const second_frequencies = second_pairs_ == 0 ? nullptr : staged_.add(second.frequencies, static_cast<std::size_t>(second_pairs_));
    prefill_attention_.begin(batch, staged_);
    staged_.send(stream_);
    if (second_pairs_ > 0) launch(stream_, rope_angles, Grid{batch.rows}, 64, second_frequencies, second_pairs_, second.magnitude, positions_, second_cosines_.get(), second_sines_.get());
    if (pairs_ == 0) return;
    launch(stream_, rope_angles, Grid{batch.rows}, 64, frequencies, pairs_, rope.magnitude, positions_, cosines_.get(), sines_.get());
  }
  void end() override { check_launches(); }

  void embed(const Matrix& table, Rows rows, float* x, float scale) override {
    dispatch_type(table.dtype, RunLookUp{stream_, table, rows.count, tokens_ + rows.first, nullptr, false, x});
    if (scale != 1.0F) launch(stream_, scale_rows, Grid{rows.count}, row_threads, table.columns, scale, x);
  }

  void add_positions(const Matrix& positions, const float* type_row, Rows rows, float* x) override {
    if (positions.data != nullptr) {
      dispatch_type(positions.dtype, RunLookUp{stream_, positions, rows.count, positions_ + rows.first, type_row, true, x});
    } else if (type_row != nullptr) {
      launch(stream_, add_to_rows, Grid{rows.count}, row_threads, type_row, positions.columns, x);
    }
  }

  void project_attention(const AttentionWeights& weights, Rows rows, const float* x, float* q, const Kv& kv, int layer, const PreparedRows& prepared) override {
    const int decoded = decode_.takes_heads(weights) ? decoded_of(rows) : 0;
    if (decoded > 0 && decode_.turns_heads(weights, kv.shape)) {
      decode_.project_heads(weights, decoded, x, q, cache_of(kv), head_work(weights, rows.first, layer), prepared);
    } else if (decoded > 0) {
      decode_.store(weights.norm, weights.query, nullptr, decoded, x, q);
      decode_.store(weights.norm, weights.key, nullptr, decoded, x, keys_.get());
      decode_.store(weights.norm, weights.value, nullptr, decoded, x, values_.get());
      finish({rows.first, decoded}, weights, q, kv, layer);
    }
    if (decoded == rows.count) return;
    x += static_cast<std::ptrdiff_t>(decoded) * weights.query.weight.columns;
    q += static_cast<std::ptrdiff_t>(decoded) * weights.query.weight.rows;
    rows = {rows.first + decoded, rows.count - decoded};
    prefill_.take(weights.norm, rows.count, weights.query.weight.columns, x, prepared);
    if (keeps_halves(weights, kv)) {
      prefill_.keep_heads(weights, 1.0F / std::sqrt(static_cast<float>(kv.shape.head_size)), q, {cache_of(kv), slots_, cells_, rows.first, layer, 0}, {cache_of(kv), slots_, cells_, rows.first, layer, 1});
      return;
    }
    prefill_.multiply_heads(weights, q, keys_.get(), values_.get());
    finish(rows, weights, q, kv, layer);
  }

  PreparedRows attend(int heads, Rows rows, const float* q, const Kv& kv, int layer, float* out, const AttentionReach& reach) override {
    const int decoded = decoded_of(rows);
    const int* const first = reach.local ? local_first_ : first_;
    const int* const visible = reach.local ? local_visible_ : visible_;
    PreparedRows prepared;
    // Only attend_rows changes scores.
    const bool plain = reach.cap == 0.0F && reach.slopes == nullptr && reach.sinks == nullptr;
    if (decoded > 0 && decode_.takes(heads, kv.shape) && plain) {
      prepared = decode_.attend(heads, decoded, q, kv.shape, cache_of(kv), layer, slots_, first, visible, out);
    } else if (decoded > 0) {
      attend_by_rows({rows.first, decoded}, heads, q, kv, layer, reach, out);
    }
    if (decoded == rows.count) return prepared;
    q += static_cast<std::ptrdiff_t>(decoded) * heads * kv.shape.head_size;
    out += static_cast<std::ptrdiff_t>(decoded) * heads * kv.shape.head_size;
    rows = {rows.first + decoded, rows.count - decoded};
    // The tiles of flash attention begin where the rows of the pass do, not where a window does.
    const bool flashes = !reach.local && plain;
    if (flashes && prefill_attention_.attend(rows.first, rows.count, heads, cache_of(kv), layer, first_, visible_, q, out)) return prepared;
    attend_by_rows(rows, heads, q, kv, layer, reach, out);
    return prepared;
  }

  void project(const Linear& weights, int rows, const float* in, float* out, const PreparedRows& prepared) override {
    const int decoded = decode_.takes(weights.weight) ? decoded_of({0, rows}) : 0;
    if (decoded > 0) decode_.store(Norm{}, weights, nullptr, decoded, in, out);
    if (decoded == rows) return;
    prefill_.take(Norm{}, rows - decoded, weights.weight.columns, in + static_cast<std::ptrdiff_t>(decoded) * weights.weight.columns, prepared);
    prefill_.multiply(weights, Epilogue::store, out + static_cast<std::ptrdiff_t>(decoded) * weights.weight.rows);
  }

  void add_normed(const Norm& norm, int rows, int columns, const float* in, float* x) override {
    launch(stream_, add_normed_rows, Grid{rows}, row_threads, parameters(norm), columns, in, x);
  }

  void cap_values(float cap, std::size_t count, float* values) override {
    launch(stream_, cap_elements, Grid{static_cast<int>((count + row_threads - 1) / row_threads)}, row_threads, cap, static_cast<int>(count), values);
  }

  PreparedRows project_add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows& prepared, const Norm* next) override {
    const int decoded = decode_.takes(weights.weight) ? decoded_of({0, rows}) : 0;
    const PreparedRows left = decoded > 0 ? decode_.add(weights, decoded, in, x, prepared, next) : PreparedRows{};
    if (decoded == rows) return left;
    in += static_cast<std::ptrdiff_t>(decoded) * weights.weight.columns;
    x += static_cast<std::ptrdiff_t>(decoded) * weights.weight.rows;
    rows -= decoded;
    prefill_.take(Norm{}, rows, weights.weight.columns, in, prepared);
    prefill_.multiply(weights, Epilogue::add, x);
    return left;
  }

  PreparedRows gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows& prepared) override {
    if (weights.activation != Activation::silu) {
      gated_by_parts(weights, rows, x, out);
      return {};
    }
    const int decoded = decode_.takes(weights) ? decoded_of({0, rows}) : 0;
    const PreparedRows left = decoded > 0 ? decode_.gated(weights, decoded, x, out, prepared) : PreparedRows{};
    if (decoded == rows) return left;
    x += static_cast<std::ptrdiff_t>(decoded) * weights.gate.columns;
    out += static_cast<std::ptrdiff_t>(decoded) * weights.gate.rows;
    rows -= decoded;
    prefill_.take(weights.norm, rows, weights.gate.columns, x, prepared);
    prefill_.multiply_gated(weights.gate, weights.up, out, second_outputs_.get());
    return left;
  }

  void project_gelu(const Linear& weights, int rows, const float* x, float* out, const PreparedRows& prepared) override {
    prefill_.take(Norm{}, rows, weights.weight.columns, x, prepared);
    prefill_.multiply(weights, Epilogue::gelu, out);
  }

  void project_gelu_add(const Linear& up, const Linear& down, int rows, float* hidden, float* x, const PreparedRows& prepared) override {
    if (!prefill_.packs_gelu(up, down)) return Ops::project_gelu_add(up, down, rows, hidden, x, prepared);
    prefill_.take(Norm{}, rows, up.weight.columns, x, prepared);
    prefill_.pack_gelu(up);
    prefill_.multiply(down, Epilogue::add, x);
  }

  void experts(const ExpertWeights& weights, int rows, float* x) override {
    const bool bytes = takes_quantised(weights.gate) || takes_quantised(weights.up) || takes_quantised(weights.router);
    prepare(weights.norm, rows, weights.router.columns, x, nullptr, bytes);
    product({weights.router, weights.router_bias}, rows, scores_.get(), false);
    launch(stream_, choose_experts, Grid{rows}, 32, weights.router.rows, weights.used, scores_.get(), chosen_.get(), chosen_weights_.get());
    const int expert_rows = rows * weights.used;
    expert_product({weights.gate, weights.gate_bias}, expert_rows, weights.used, first_outputs_.get());
    expert_product({weights.up, weights.up_bias}, expert_rows, weights.used, second_outputs_.get());
    launch(stream_, gate_rows, Grid{expert_rows}, row_threads, weights.activation, weights.gate.rows, static_cast<const float*>(first_outputs_.get()), static_cast<const float*>(second_outputs_.get()), inputs_.get(),
           takes_quantised(weights.down) ? blocks_.get() : nullptr);
    expert_product({weights.down, weights.down_bias}, expert_rows, 1, first_outputs_.get());
    launch(stream_, add_expert_outputs, Grid{rows}, row_threads, weights.used, weights.down.rows, static_cast<const float*>(chosen_weights_.get()), static_cast<const float*>(first_outputs_.get()), x);
  }

  PreparedRows normalise(const Norm& norm, int rows, int columns, float* x) override { return prefill_.normalise(norm, rows, columns, x); }

  void logits(const Norm& norm, const Matrix& weights, const std::int32_t* chosen, int count, const float* x, float* logits) override {
    // The numbers 0, 1, ... are on the device already: nothing is copied while a pass is recorded.
    const bool in_order = std::equal(chosen, chosen + count, host_in_order_.begin());
    if (!in_order) copy_to_device(stream_, chosen_rows_.get(), chosen, static_cast<std::size_t>(count) * sizeof(int));
    const int* const rows = in_order ? in_order_.get() : chosen_rows_.get();
    // There are few rows of logits, however many rows the pass has.
    if (decode_.takes(weights) && norm.bias == nullptr) return decode_.store(norm, {weights, nullptr}, rows, count, x, logits);
    prepare(norm, count, weights.columns, x, rows, takes_quantised(weights));
    product({weights, nullptr}, count, logits, false);
  }

  bool chooses(const TokenRule& rule) const override { return sampling_.takes(rule); }
  void choose_tokens(const TokenRule* rules, int count, const float* logits, TokenChoice* choices) override { sampling_.choose(rules, count, logits, choices); }

  void pool(Pooling pooling, int rows, int columns, const float* x, float* out) override {
    const int first = pooling == Pooling::last ? rows - 1 : 0;
    const int last = pooling == Pooling::first ? 0 : rows - 1;
    launch(stream_, pool_rows, Grid{1}, row_threads, first, last, columns, x, out);
  }

  void copy_positions(const Kv& kv, int from_slot, int to_slot, int count) override {
    const Cache cache = cache_of(kv);
    const std::size_t element = cache.type == CacheType::bytes ? 1 : cache.type == CacheType::halves ? 2 : 4;
    const std::size_t elements = static_cast<std::size_t>(count) * static_cast<std::size_t>(kv.shape.heads) * static_cast<std::size_t>(kv.shape.head_size);
    auto* const data = static_cast<std::uint8_t*>(kv.data);
    for (int layer = 0; layer < kv.shape.layers; ++layer) {
      for (int value = 0; value < 2; ++value) {
        const std::size_t to = offset(kv.shape, layer, to_slot, value);
        const std::size_t from = offset(kv.shape, layer, from_slot, value);
        copy_on_device(stream_, data + to * element, data + from * element, elements * element);
        if (cache.type == CacheType::bytes) copy_on_device(stream_, cache.scales() + to / 32, cache.scales() + from / 32, elements / 32 * 2);
      }
    }
  }

 private:
  /// How many rows of an op are decode rows, the first of a pass. An op whose rows have no number begins with the pass.
  int decoded_of(Rows rows) const { return std::clamp(decode_rows_ - rows.first, 0, rows.count); }
  HeadParams head_work(const AttentionWeights& weights, int first_row, int layer) const {
    const bool second = weights.second_rope;
    return {weights.query_norm, weights.key_norm, weights.norm.epsilon, weights.heads, second ? second_pairs_ : pairs_, adjacent_, second ? second_cosines_.get() : cosines_.get(),
            second ? second_sines_.get() : sines_.get(), slots_, cells_, first_row, layer};
  }
  /// Whether the epilogues of the products of queries, keys and values store them in their place: there is neither RoPE nor a head norm.
  bool keeps_halves(const AttentionWeights& weights, const Kv& kv) const {
    return pairs_ == 0 && weights.query_norm == nullptr && weights.key_norm == nullptr && kv.shape.dtype != DType::q8_0 && PrefillOps::keeps_halves(weights.query.weight) &&
           PrefillOps::keeps_halves(weights.key.weight) && PrefillOps::keeps_halves(weights.value.weight);
  }
  /// RoPE, head norms and the KV cache, for queries, keys and values as the products stored them.
  void finish(Rows rows, const AttentionWeights& weights, float* q, const Kv& kv, int layer) const {
    const int heads = weights.heads + 2 * kv.shape.heads;
    launch_shared(stream_, finish_heads, Grid{rows.count, (heads + heads_per_block - 1) / heads_per_block}, 32 * heads_per_block, sizeof(float) * static_cast<std::size_t>(heads_per_block * kv.shape.head_size), head_work(weights, rows.first, layer), cache_of(kv), q, static_cast<const float*>(keys_.get()),
           static_cast<const float*>(values_.get()));
  }
  static bool takes_quantised(const Matrix& weights) { return info_of(weights.dtype).block_elements > 1; }
  static NormParameters parameters(const Norm& norm) { return {norm.weight, norm.bias, norm.epsilon}; }
  static Cache cache_of(const Kv& kv) {
    const CacheType type = kv.shape.dtype == DType::f16 ? CacheType::halves : kv.shape.dtype == DType::q8_0 ? CacheType::bytes : CacheType::floats;
    return {kv.data, type, kv.shape.layers, kv.shape.slots, kv.shape.positions, kv.shape.heads, kv.shape.head_size};
  }
  static std::size_t offset(const KvShape& shape, int layer, int slot, int value) {
    const std::size_t sequence = (static_cast<std::size_t>(layer) * static_cast<std::size_t>(shape.slots) + static_cast<std::size_t>(slot)) * 2 + static_cast<std::size_t>(value);
    return sequence * static_cast<std::size_t>(shape.positions) * static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(shape.head_size);
  }

  /// Ops::gated with an activation that no epilogue has: both products, then the activation.
  void gated_by_parts(const GatedWeights& weights, int rows, const float* x, float* out) {
    const int decoded = decode_.takes(weights.gate) && decode_.takes(weights.up) && weights.norm.bias == nullptr ? decoded_of({0, rows}) : 0;
    float* const ups = second_outputs_.get();
    if (decoded > 0) {
      decode_.store(weights.norm, {weights.gate, nullptr}, nullptr, decoded, x, out);
      decode_.store(weights.norm, {weights.up, nullptr}, nullptr, decoded, x, ups);
    }
    if (decoded < rows) {
      const auto before = static_cast<std::ptrdiff_t>(decoded) * weights.gate.rows;
      prefill_.take(weights.norm, rows - decoded, weights.gate.columns, x + static_cast<std::ptrdiff_t>(decoded) * weights.gate.columns);
      prefill_.multiply({weights.gate, nullptr}, Epilogue::store, out + before);
      prefill_.multiply({weights.up, nullptr}, Epilogue::store, ups + before);
    }
    launch(stream_, gate_rows, Grid{rows}, row_threads, weights.activation, weights.gate.rows, static_cast<const float*>(out), static_cast<const float*>(ups), out, static_cast<QuantisedBlock*>(nullptr));
  }

  /// Stores norm(x), or that of chosen rows, as the input of products: floats, and quantised where `bytes`.
  void prepare(const Norm& norm, int rows, int columns, const float* x, const int* chosen, bool bytes) {
    launch(stream_, normalise_rows, Grid{rows}, row_threads, parameters(norm), columns, x, chosen, inputs_.get(), bytes ? blocks_.get() : nullptr);
  }

  void attend_by_rows(Rows rows, int heads, const float* q, const Kv& kv, int layer, const AttentionReach& reach, float* out) const {
    const int* const first = reach.local ? local_first_ : first_;
    const int* const visible = reach.local ? local_visible_ : visible_;
    launch(stream_, attend_rows, Grid{rows.count, heads}, attention_threads, cache_of(kv), heads, layer, slots_, first, visible, cells_, rows.first, ScoreParams{reach.cap, reach.slopes, reach.sinks}, q, out);
  }

  PlainGemmParams product_of(const Matrix& weights, int rows, float* y) const {
    const void* in = takes_quantised(weights) ? static_cast<const void*>(blocks_.get()) : inputs_.get();
    return {static_cast<const std::uint8_t*>(weights.data), repacked_row_bytes(weights.dtype, weights.columns), part_bytes(weights.dtype, weights.rows, weights.columns), weights.rows, weights.columns,
            in, rows, 1, nullptr, nullptr, y, false};
  }
  void product(const Linear& linear, int rows, float* y, bool adds) const {
    PlainGemmParams product = product_of(linear.weight, rows, y);
    product.bias = linear.bias;
    product.adds = adds;
    dispatch_type(linear.weight.dtype, RunPlainGemm{stream_, product});
  }
  /// The bias: (experts, outputs), or null.
  void expert_product(const Linear& linear, int expert_rows, int divisor, float* y) const {
    const Matrix& weights = linear.weight;
    PlainGemmParams product = product_of(weights, expert_rows, y);
    product.bias = linear.bias;
    product.row_divisor = divisor;
    product.part = chosen_.get();
    dispatch_type(weights.dtype, RunPlainGemm{stream_, product});
  }

  Stream stream_;
  OpsShape shape_;
  Sizes sizes_;
  DeviceArray<float> inputs_;
  DeviceArray<QuantisedBlock> blocks_;
  DeviceArray<float> first_outputs_, second_outputs_, keys_, values_, cosines_, sines_, second_cosines_, second_sines_;
  StagedCopy staged_;
  DeviceArray<int> chosen_rows_, in_order_;
  DeviceArray<float> scores_;
  DeviceArray<int> chosen_;
  DeviceArray<float> chosen_weights_;
  RepackedWeights weights_;
  DecodeOps decode_;
  PrefillOps prefill_;
  PrefillAttention prefill_attention_;
  TokenSampling sampling_;
  std::vector<std::int32_t> host_in_order_;
  const int* tokens_ = nullptr;
  const int* slots_ = nullptr;
  const int* positions_ = nullptr;
  const int* cells_ = nullptr;
  const int* first_ = nullptr;
  const int* visible_ = nullptr;
  const int* local_first_ = nullptr;
  const int* local_visible_ = nullptr;
  int decode_rows_ = 0;
  int pairs_ = 0;
  int second_pairs_ = 0;
  bool adjacent_ = false;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
