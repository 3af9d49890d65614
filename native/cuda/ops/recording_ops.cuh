// The operations of DeviceOps, whose decode passes are recorded and launched as one. Compiled in units/backend.cu.
#pragma once

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "cuda/ops/ops.cuh"
#include "cuda/ops/recorded_passes.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class RecordingOps final : public Ops {
 public:
  RecordingOps(const OpsShape& shape, Streams streams, DeviceLimits limits) : ops_(shape, streams, limits), passes_(streams.work), records_(shape.records), in_order_(static_cast<std::size_t>(shape.logit_rows)) {
    std::iota(in_order_.begin(), in_order_.end(), 0);
  }

  bool supports(Op op, DType dtype) const override { return ops_.supports(op, dtype); }
  Matrix load_matrix(const Tensor* parts, int count) override { return ops_.load_matrix(parts, count); }
  Matrix load_table(const Tensor& table) override { return ops_.load_table(table); }
  const float* load_vector(const float* values, std::size_t count) override { return ops_.load_vector(values, count); }
  std::size_t kv_bytes(const KvShape& shape) const override { return ops_.kv_bytes(shape); }

  void begin(const Batch& batch, const Rope& rope, const Rope& second) override {
    ops_.begin(batch, rope, second);
    passes_.begin(records_ && !batch.watched && batch.rows == batch.decode_rows ? batch.rows : 0);
  }
  void end() override {
    passes_.end();
    ops_.end();
  }

  void embed(const Matrix& table, Rows rows, float* x, float scale) override {
    call(CallKey(0, table.data, rows.first, rows.count, x), [=](DeviceOps& ops) { ops.embed(table, rows, x, scale); });
  }
  void add_positions(const Matrix& positions, const float* type_row, Rows rows, float* x) override {
    call(CallKey(1, positions.data, type_row, rows.first, rows.count, x), [=](DeviceOps& ops) { ops.add_positions(positions, type_row, rows, x); });
  }
  void project_attention(const AttentionWeights& weights, Rows rows, const float* x, float* q, const Kv& kv, int layer, const PreparedRows& prepared) override {
    const PreparedRows in = passes_.valid(prepared);
    call(CallKey(2, weights.query.weight.data, weights.key.weight.data, weights.value.weight.data, weights.norm.weight, rows.first, rows.count, x, q, kv.data, layer, in.rows, in.norm, in.buffer),
         [=](DeviceOps& ops) { ops.project_attention(weights, rows, x, q, kv, layer, in); });
  }
  PreparedRows attend(int heads, Rows rows, const float* q, const Kv& kv, int layer, float* out, const AttentionReach& reach) override {
    return call(CallKey(3, heads, rows.first, rows.count, q, kv.data, layer, reach.local ? 1 : 0, out), [=](DeviceOps& ops) { return ops.attend(heads, rows, q, kv, layer, out, reach); });
  }
  void project(const Linear& weights, int rows, const float* in, float* out, const PreparedRows& prepared) override {
    const PreparedRows valid = passes_.valid(prepared);
    call(CallKey(12, weights.weight.data, weights.bias, rows, in, out, valid.rows, valid.norm, valid.buffer), [=](DeviceOps& ops) { ops.project(weights, rows, in, out, valid); });
  }
  void add_normed(const Norm& norm, int rows, int columns, const float* in, float* x) override {
    call(CallKey(13, norm.weight, norm.bias, rows, columns, in, x), [=](DeviceOps& ops) { ops.add_normed(norm, rows, columns, in, x); });
  }
  void cap_values(float cap, std::size_t count, float* values) override {
    call(CallKey(14, static_cast<int>(count), values), [=](DeviceOps& ops) { ops.cap_values(cap, count, values); });
  }
  PreparedRows project_add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows& prepared, const Norm* next) override {
    const PreparedRows valid = passes_.valid(prepared);
    const Norm norm = next == nullptr ? Norm{} : *next;
    return call(CallKey(4, weights.weight.data, weights.bias, rows, in, x, norm.weight, valid.rows, valid.norm, valid.buffer),
                [=](DeviceOps& ops) { return ops.project_add(weights, rows, in, x, valid, norm.weight == nullptr ? nullptr : &norm); });
  }
  PreparedRows gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows& prepared) override {
    const PreparedRows in = passes_.valid(prepared);
    return call(CallKey(5, weights.gate.data, weights.up.data, weights.norm.weight, rows, x, out, in.rows, in.norm, in.buffer), [=](DeviceOps& ops) { return ops.gated(weights, rows, x, out, in); });
  }
  void project_gelu(const Linear& weights, int rows, const float* x, float* out, const PreparedRows& prepared) override {
    const PreparedRows in = passes_.valid(prepared);
    call(CallKey(6, weights.weight.data, weights.bias, rows, x, out, in.rows, in.norm, in.buffer), [=](DeviceOps& ops) { ops.project_gelu(weights, rows, x, out, in); });
  }
  void project_gelu_add(const Linear& up, const Linear& down, int rows, float* hidden, float* x, const PreparedRows& prepared) override {
    const PreparedRows in = passes_.valid(prepared);
    call(CallKey(11, up.weight.data, up.bias, down.weight.data, down.bias, rows, hidden, x, in.rows, in.norm, in.buffer), [=](DeviceOps& ops) { ops.project_gelu_add(up, down, rows, hidden, x, in); });
  }
  void experts(const ExpertWeights& weights, int rows, float* x) override {
    call(CallKey(7, weights.gate.data, weights.up.data, weights.down.data, weights.router.data, rows, x), [=](DeviceOps& ops) { ops.experts(weights, rows, x); });
  }
  PreparedRows normalise(const Norm& norm, int rows, int columns, float* x) override {
    return call(CallKey(8, norm.weight, norm.bias, rows, columns, x), [=](DeviceOps& ops) { return ops.normalise(norm, rows, columns, x); });
  }
  void logits(const Norm& norm, const Matrix& weights, const std::int32_t* chosen, int count, const float* x, float* logits) override {
    if (count > static_cast<int>(in_order_.size()) || !std::equal(chosen, chosen + count, in_order_.begin())) {
      // The row numbers are copied from the host, which a recorded pass cannot do.
      passes_.run_apart();
      return ops_.logits(norm, weights, chosen, count, x, logits);
    }
    call(CallKey(9, norm.weight, weights.data, count, x, logits), [=, rows = in_order_.data()](DeviceOps& ops) { ops.logits(norm, weights, rows, count, x, logits); });
  }
  bool chooses(const TokenRule& rule) const override { return ops_.chooses(rule); }
  void choose_tokens(const TokenRule* rules, int count, const float* logits, TokenChoice* choices) override { ops_.choose_tokens(rules, count, logits, choices); }
  void pool(Pooling pooling, int rows, int columns, const float* x, float* out) override {
    call(CallKey(10, static_cast<int>(pooling), rows, columns, x, out), [=](DeviceOps& ops) { ops.pool(pooling, rows, columns, x, out); });
  }
  void copy_positions(const Kv& kv, int from_slot, int to_slot, int count) override { ops_.copy_positions(kv, from_slot, to_slot, count); }

 private:
  /// `work` may return nothing.
  template <class Work>
  PreparedRows call(const CallKey& key, const Work& work) {
    return passes_.call(key, [work, &ops = ops_] {
      if constexpr (std::is_void_v<decltype(work(ops))>) {
        work(ops);
        return PreparedRows{};
      } else {
        return work(ops);
      }
    });
  }

  DeviceOps ops_;
  RecordedPasses passes_;
  bool records_;
  std::vector<std::int32_t> in_order_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
