// Products of prefill rows and of embedding models. For decode rows see decode_ops.cuh.
#pragma once

#include <climits>
#include <utility>

#include "backend/ops.h"
#include "cuda/runtime/device_limits.h"
#include "cuda/ops/dense_gemm_ops.cuh"
#include "cuda/selection/warpgroup_selection.cuh"
#include "cuda/kernels/common/row_ops.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/ops/repacked_weights.cuh"
#include "cuda/runtime/runtime.h"
#include "cuda/simt/dispatch_type.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The form in which a matrix reads its input: floats, f16 (`halves`) or bf16 (`brains`).
enum class Operand { none, floats, halves, brains };

inline Operand operand_of(const Matrix& weights) {
  if (!has_mma_gemm(weights.dtype, weights.columns)) return Operand::floats;
  return weights.dtype == DType::f16 ? Operand::halves : Operand::brains;
}

struct RunGemm {
  Stream stream;
  int large_from;
  const WarpgroupSelection& groups;
  const GemmParams& product;
  template <DType type>
  void run() const {
    if constexpr (has_wgmma_gemm(type)) {
      if (groups.takes(type)) return launch_wgmma_gemm<type>(stream, groups.processors(), product);
    }
    if constexpr (type != DType::f32) {
      launch_mma_gemm<type>(stream, large_from, product);
    }
  }
};

struct RunFloatGemm {
  Stream stream;
  const PlainGemmParams& product;
  template <DType type>
  void run() const {
    if constexpr (!is_quantised<type>) {
      launch_float_gemm<type>(stream, product);
    }
  }
};

/// Products of one input after the other: take() it, then multiply it. An input that normalise() or pack_gelu() packed is not packed again.
class PrefillOps {
 public:
  PrefillOps(const OpsShape& shape, Stream stream, DeviceLimits limits)
      : stream_(stream),
        // Devices with less shared memory than a large tile needs (8.6, 8.9, 12.0) do not use them.
        large_from_(limits.shared_bytes < large_tile_shared_bytes() ? INT_MAX : limits.multiprocessors),
        groups_(stream, limits.warpgroups ? limits.multiprocessors : 0),
        values_(static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(packed_stride(shape.columns))),
        scales_(static_cast<std::size_t>(shape.part_rows)),
        sizes_(static_cast<std::size_t>(shape.part_rows)),
        next_values_(keeps_halves(shape) ? static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(packed_stride(shape.columns)) : 0),
        next_scales_(keeps_halves(shape) ? static_cast<std::size_t>(shape.part_rows) : 0),
        floats_(static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(shape.columns)),
        dense_(stream, limits, groups_, shape.columns, shape.outputs) {}

  static std::size_t bytes(const OpsShape& shape, bool warpgroups) {
    const std::size_t packed = 2 * static_cast<std::size_t>(packed_stride(shape.columns)) + 4;
    return static_cast<std::size_t>(shape.part_rows) * ((keeps_halves(shape) ? 2 : 1) * packed + 4 + 4 * static_cast<std::size_t>(shape.columns)) + 6 * 256 + DenseGemmOps::bytes(shape.columns, shape.outputs, warpgroups);
  }

  /// Called before weights of this type are placed.
  void prepare(DType type) { groups_.prepare(type); }

  /// Makes norm(x) the input of the next products.  x: (rows, columns), unchanged until the last product. `prepared`: x as normalise() left it.
  void take(const Norm& norm, int rows, int columns, const float* x, const PreparedRows& prepared = {}) {
    if (prepared.buffer == packed_buffer && prepared.rows == x && prepared.columns == columns && norm.weight == nullptr && rows == rows_) return;
    norm_ = {norm.weight, norm.bias, norm.epsilon};
    rows_ = rows;
    columns_ = columns;
    x_ = x;
    made_ = Operand::none;
  }

  /// x[r] = norm(x[r]), packed on the way in the form that the last product read: the next one is likely to read the same. Returns x packed for take(), where it is.
  PreparedRows normalise(const Norm& norm, int rows, int columns, float* x) {
    const NormParameters parameters{norm.weight, norm.bias, norm.epsilon};
    if (last_ == Operand::none || last_ == Operand::floats) {
      // The same kernel: a row's bits may not depend on the products before.
      launch_pack_rows(stream_, rows, parameters, columns, x, {nullptr, nullptr, packed_stride(columns), nullptr}, x);
      return {};
    }
    take(Norm{}, rows, columns, x);
    made_ = last_;
    launch_pack_rows(stream_, rows, parameters, columns, x, packed(made_ == Operand::halves), x);
    return {x, columns, nullptr, packed_buffer};
  }

  /// Whether project_gelu_add() of these matrices is pack_gelu() and a product.
  bool packs_gelu(const Linear& up, const Linear& down) const {
    return next_values_.get() != nullptr && operand_of(up.weight) == Operand::halves && operand_of(down.weight) == Operand::halves && up.weight.rows % tile_k == 0;
  }
  /// gelu(W x + bias) becomes the input of the next products.
  void pack_gelu(const Linear& up) {
    make(Operand::halves);
    GemmParams product = product_of(up.weight, nullptr, up.bias, nullptr, Epilogue::pack);
    product.packed = {{next_values_.get(), next_scales_.get(), packed_stride(up.weight.rows), nullptr}, largest_of(up.weight), largest_of(up.bias, up.weight.rows)};
    mma_gemm(up.weight.dtype, product);
    std::swap(values_, next_values_);
    std::swap(scales_, next_scales_);
    columns_ = up.weight.rows;
    x_ = nullptr;
    norm_ = {};
  }

  /// Whether products with this matrix have the epilogues of keep_heads().
  static bool keeps_halves(const Matrix& weights) { return operand_of(weights) == Operand::halves; }
  /// q = factor (W x + bias); keys and values go to the KV cache.
  void keep_heads(const AttentionWeights& weights, float factor, float* q, const KvTarget& keys, const KvTarget& values) {
    make(Operand::halves);
    DenseGemmOps::Work works[] = {{weights.query.weight.dtype, product_of(weights.query.weight, nullptr, weights.query.bias, q, Epilogue::scale)},
                                   {weights.key.weight.dtype, product_of(weights.key.weight, nullptr, weights.key.bias, nullptr, Epilogue::store_kv)},
                                   {weights.value.weight.dtype, product_of(weights.value.weight, nullptr, weights.value.bias, nullptr, Epilogue::store_kv)}};
    works[0].product.factor = factor;
    works[1].product.kv = keys;
    works[2].product.kv = values;
    mma_gemm(works);
  }

  /// q, k, v: (rows, rows of their weight).
  void multiply_heads(const AttentionWeights& weights, float* q, float* k, float* v) {
    const Operand operand = operand_of(weights.query.weight);
    if (operand == Operand::floats || operand_of(weights.key.weight) != operand || operand_of(weights.value.weight) != operand) {
      multiply(weights.query, Epilogue::store, q);
      multiply(weights.key, Epilogue::store, k);
      multiply(weights.value, Epilogue::store, v);
      return;
    }
    make(operand);
    const DenseGemmOps::Work works[] = {{weights.query.weight.dtype, product_of(weights.query.weight, nullptr, weights.query.bias, q, Epilogue::store)},
                                         {weights.key.weight.dtype, product_of(weights.key.weight, nullptr, weights.key.bias, k, Epilogue::store)},
                                         {weights.value.weight.dtype, product_of(weights.value.weight, nullptr, weights.value.bias, v, Epilogue::store)}};
    mma_gemm(works);
  }

  /// y: (rows, rows of the weight); the epilogue is store, add or gelu.
  void multiply(const Linear& linear, Epilogue epilogue, float* y) {
    const Matrix& weights = linear.weight;
    if (!make(operand_of(weights))) {
      PlainGemmParams product{static_cast<const std::uint8_t*>(weights.data), repacked_row_bytes(weights.dtype, weights.columns), 0, weights.rows, columns_, floats_.get(), rows_, 1, nullptr, linear.bias, y,
                      epilogue == Epilogue::add};
      dispatch_type(weights.dtype, RunFloatGemm{stream_, product});
      if (epilogue == Epilogue::gelu) launch(stream_, gelu_rows, Grid{rows_}, row_threads, weights.rows, y);
      return;
    }
    mma_gemm(weights.dtype, product_of(weights, nullptr, linear.bias, y, epilogue));
  }

  /// y = silu(gate x) * (up x). `second`: scratch memory of the size of y.
  void multiply_gated(const Matrix& gate, const Matrix& up, float* y, float* second) {
    if (gate.dtype == up.dtype && make(operand_of(gate))) {
      mma_gemm(gate.dtype, product_of(gate, &up, nullptr, y, Epilogue::gated));
      return;
    }
    multiply({gate, nullptr}, Epilogue::store, y);
    multiply({up, nullptr}, Epilogue::store, second);
    launch(stream_, gate_rows, Grid{rows_}, row_threads, Activation::silu, gate.rows, static_cast<const float*>(y), static_cast<const float*>(second), y, static_cast<QuantisedBlock*>(nullptr));
  }

 private:
  /// A number of PreparedRows::buffer; decode_ops.cuh has the others.
  static constexpr int packed_buffer = 3;

  GemmParams product_of(const Matrix& weights, const Matrix* second, const float* bias, float* y, Epilogue epilogue) const {
    return {static_cast<const std::uint8_t*>(weights.data), second == nullptr ? nullptr : static_cast<const std::uint8_t*>(second->data), repacked_row_bytes(weights.dtype, weights.columns),
            weights.rows, weights.columns, packed(made_ == Operand::halves), rows_, bias, y, epilogue};
  }
  void mma_gemm(DType type, const GemmParams& product) const {
    const DenseGemmOps::Work work{type, product};
    if (!dense_.run(&work, 1)) dispatch_type(type, RunGemm{stream_, large_from_, groups_, product});
  }
  /// For queries, keys and values.
  void mma_gemm(const DenseGemmOps::Work (&works)[3]) const {
    if (dense_.run(works, 3)) return;
    for (const DenseGemmOps::Work& work : works) mma_gemm(work.type, work.product);
  }
  PackedRows packed(bool halves) const { return {values_.get(), halves ? scales_.get() : nullptr, packed_stride(columns_), halves ? sizes_.get() : nullptr}; }
  /// Embedding models alone pass f16 from product to product.
  static bool keeps_halves(const OpsShape& shape) { return shape.vocabulary == 0; }

  /// Converts the input to this form; returns false for floats.
  bool make(Operand operand) {
    if (operand != made_) {
      made_ = last_ = operand;
      if (operand == Operand::floats) {
        launch(stream_, normalise_rows, Grid{rows_}, row_threads, norm_, columns_, x_, static_cast<const int*>(nullptr), floats_.get(), static_cast<QuantisedBlock*>(nullptr));
      } else if (operand == Operand::halves) {
        launch_pack_rows(stream_, rows_, norm_, columns_, x_, packed(true), nullptr);
      } else {
        launch_pack_rows(stream_, rows_, norm_, columns_, x_, packed(false), nullptr);
      }
    }
    return operand != Operand::floats;
  }

  Stream stream_;
  int large_from_;  // large tiles are used from so many on
  WarpgroupSelection groups_;
  DeviceArray<std::uint16_t> values_;
  DeviceArray<float> scales_, sizes_;
  DeviceArray<std::uint16_t> next_values_;  // what pack_gelu() stores while values_ are read
  DeviceArray<float> next_scales_;
  DeviceArray<float> floats_;
  DenseGemmOps dense_;
  NormParameters norm_{};
  int rows_ = 0;
  int columns_ = 0;
  const float* x_ = nullptr;
  Operand made_ = Operand::none;
  Operand last_ = Operand::none;  // of the last product
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
