// The operations of device_ops with the passes of answers launched as one. Compiled in units/backend.cu.
#pragma once

#include <numeric>
#include <vector>

#include "cuda/ops/ops.cuh"
#include "cuda/ops/recorded_passes.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class RecordingOps final : public Ops {
 public:
  RecordingOps(const OpsShape& shape, Streams streams, Chip chip) : ops_(shape, streams, chip), passes_(streams.work), records_(shape.records), in_order_(static_cast<std::size_t>(shape.logit_rows)) {
    std::iota(in_order_.begin(), in_order_.end(), 0);
  }

  bool supports(Op op, DType dtype) const override { return ops_.supports(op, dtype); }
  Matrix load_matrix(const Tensor* parts, int count) override { return ops_.load_matrix(parts, count); }
  Matrix load_table(const Tensor& table) override { return ops_.load_table(table); }
  const float* load_vector(const float* values, std::size_t count) override { return ops_.load_vector(values, count); }
  std::size_t kv_bytes(const KvShape& shape) const override { return ops_.kv_bytes(shape); }

  void begin(const Batch& batch, const Rope& rope) override {
    ops_.begin(batch, rope);
    passes_.begin(records_ && !batch.watched && batch.rows == batch.decode_rows ? batch.rows : 0);
  }
  void end() override {
    passes_.end();
    ops_.end();
  }

  void embed(const Matrix& table, Rows rows, float* x) override {
    passes_.call(CallKey(0, table.data, rows.first, rows.count, x), [=, &ops = ops_] { ops.embed(table, rows, x); });
  }
  void add_positions(const Matrix& positions, const float* type_row, Rows rows, float* x) override {
    passes_.call(CallKey(1, positions.data, type_row, rows.first, rows.count, x), [=, &ops = ops_] { ops.add_positions(positions, type_row, rows, x); });
  }
  void project_attention(const AttentionWeights& weights, Rows rows, const float* x, float* q, const Kv& kv, int layer) override {
    passes_.call(CallKey(2, weights.query.weight.data, weights.key.weight.data, weights.value.weight.data, weights.norm.weight, rows.first, rows.count, x, q, kv.data, layer),
                 [=, &ops = ops_] { ops.project_attention(weights, rows, x, q, kv, layer); });
  }
  void attend(int heads, Rows rows, const float* q, const Kv& kv, int layer, float* out) override {
    passes_.call(CallKey(3, heads, rows.first, rows.count, q, kv.data, layer, out), [=, &ops = ops_] { ops.attend(heads, rows, q, kv, layer, out); });
  }
  void project_add(const Linear& weights, int rows, const float* in, float* x) override {
    passes_.call(CallKey(4, weights.weight.data, weights.bias, rows, in, x), [=, &ops = ops_] { ops.project_add(weights, rows, in, x); });
  }
  void project_add_before(const Norm& next, const Linear& weights, int rows, const float* in, float* x) override {
    passes_.call(CallKey(12, next.weight, weights.weight.data, weights.bias, rows, in, x), [=, &ops = ops_] { ops.project_add_before(next, weights, rows, in, x); });
  }
  void gated(const GatedWeights& weights, int rows, const float* x, float* out) override {
    passes_.call(CallKey(5, weights.gate.data, weights.up.data, weights.norm.weight, rows, x, out), [=, &ops = ops_] { ops.gated(weights, rows, x, out); });
  }
  void project_gelu(const Linear& weights, int rows, const float* x, float* out) override {
    passes_.call(CallKey(6, weights.weight.data, weights.bias, rows, x, out), [=, &ops = ops_] { ops.project_gelu(weights, rows, x, out); });
  }
  void project_gelu_add(const Linear& up, const Linear& down, int rows, float* hidden, float* x) override {
    passes_.call(CallKey(11, up.weight.data, up.bias, down.weight.data, down.bias, rows, hidden, x), [=, &ops = ops_] { ops.project_gelu_add(up, down, rows, hidden, x); });
  }
  void experts(const ExpertWeights& weights, int rows, float* x) override {
    passes_.call(CallKey(7, weights.gate.data, weights.up.data, weights.down.data, weights.router.data, rows, x), [=, &ops = ops_] { ops.experts(weights, rows, x); });
  }
  void normalise(const Norm& norm, int rows, int columns, float* x) override {
    passes_.call(CallKey(8, norm.weight, norm.bias, rows, columns, x), [=, &ops = ops_] { ops.normalise(norm, rows, columns, x); });
  }
  void logits(const Norm& norm, const Matrix& weights, const std::int32_t* chosen, int count, const float* x, float* logits) override {
    if (count > static_cast<int>(in_order_.size()) || !std::equal(chosen, chosen + count, in_order_.begin())) {
      // Which rows is told by a copy from the host.
      passes_.run_apart();
      return ops_.logits(norm, weights, chosen, count, x, logits);
    }
    passes_.call(CallKey(9, norm.weight, weights.data, count, x, logits), [=, &ops = ops_, rows = in_order_.data()] { ops.logits(norm, weights, rows, count, x, logits); });
  }
  bool chooses(const TokenRule& rule) const override { return ops_.chooses(rule); }
  void choose_tokens(const TokenRule* rules, int count, const float* logits, TokenChoice* choices) override { ops_.choose_tokens(rules, count, logits, choices); }
  void pool(Pooling pooling, int rows, int columns, const float* x, float* out) override {
    passes_.call(CallKey(10, static_cast<int>(pooling), rows, columns, x, out), [=, &ops = ops_] { ops.pool(pooling, rows, columns, x, out); });
  }
  void copy_positions(const Kv& kv, int from_slot, int to_slot, int count) override { ops_.copy_positions(kv, from_slot, to_slot, count); }

 private:
  DeviceOps ops_;
  RecordedPasses passes_;
  bool records_;
  std::vector<std::int32_t> in_order_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
