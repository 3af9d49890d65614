// Products of the rows of prompts and texts, many at a time. Those of rows that go on with answers are in ops.cuh.
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

/// What a matrix wants to be multiplied with.
enum class Operand { none, floats, halves, brains };

inline Operand operand_of(const Matrix& weights) {
  if (!goes_by_tiles(weights.dtype, weights.columns)) return Operand::floats;
  return weights.dtype == DType::f16 ? Operand::halves : Operand::brains;
}

struct RunTiles {
  Stream stream;
  int large_from;
  const GroupChoice& groups;
  const TileProduct& product;
  template <DType type>
  void run() const {
    if constexpr (goes_by_groups(type)) {
      if (groups.takes(type)) return launch_group_tiles<type>(stream, groups.processors(), product);
    }
    if constexpr (type != DType::f32) {
      launch_tiles<type>(stream, large_from, product);
    }
  }
};

struct RunFloats {
  Stream stream;
  const Product& product;
  template <DType type>
  void run() const {
    if constexpr (!is_quantised<type>) {
      launch_float_tiles<type>(stream, product);
    }
  }
};

/// Products of one input after the other: take() it, then multiply it. An input that normalise() or pack_gelu() packed is not packed again.
class PromptRows {
 public:
  PromptRows(const OpsShape& shape, Stream stream, Chip chip)
      : stream_(stream),
        // Chips with less shared memory than a large tile takes (8.6, 8.9, 12.0) do without it.
        large_from_(chip.shared_bytes < large_tile_bytes() ? INT_MAX : chip.multiprocessors),
        groups_(stream, chip.warpgroups ? chip.multiprocessors : 0),
        values_(static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(packed_stride(shape.columns))),
        scales_(static_cast<std::size_t>(shape.part_rows)),
        sizes_(static_cast<std::size_t>(shape.part_rows)),
        next_values_(hands_on(shape) ? static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(packed_stride(shape.columns)) : 0),
        next_scales_(hands_on(shape) ? static_cast<std::size_t>(shape.part_rows) : 0),
        floats_(static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(shape.columns)),
        dense_(stream, chip, groups_, shape.columns, shape.outputs) {}

  static std::size_t bytes(const OpsShape& shape, bool warpgroups) {
    const std::size_t packed = 2 * static_cast<std::size_t>(packed_stride(shape.columns)) + 4;
    return static_cast<std::size_t>(shape.part_rows) * ((hands_on(shape) ? 2 : 1) * packed + 4 + 4 * static_cast<std::size_t>(shape.columns)) + 6 * 256 + DenseProducts::bytes(shape.columns, shape.outputs, warpgroups);
  }

  /// Before weights of this type are placed.
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
      launch_pack(stream_, rows, parameters, columns, x, {nullptr, nullptr, packed_stride(columns), nullptr}, x);
      return {};
    }
    take(Norm{}, rows, columns, x);
    made_ = last_;
    launch_pack(stream_, rows, parameters, columns, x, packed(made_ == Operand::halves), x);
    return {x, columns, nullptr, packed_buffer};
  }

  /// Whether project_gelu_add() of these is pack_gelu() and a product.
  bool packs_gelu(const Linear& up, const Linear& down) const {
    return next_values_.get() != nullptr && operand_of(up.weight) == Operand::halves && operand_of(down.weight) == Operand::halves && up.weight.rows % step_columns == 0;
  }
  /// gelu(W x + bias) is the input of what follows.
  void pack_gelu(const Linear& up) {
    make(Operand::halves);
    TileProduct product = product_of(up.weight, nullptr, up.bias, nullptr, Ending::pack);
    product.end = {{next_values_.get(), next_scales_.get(), packed_stride(up.weight.rows), nullptr}, largest_of(up.weight), largest_of(up.bias, up.weight.rows)};
    multiply_tiles(up.weight.dtype, product);
    std::swap(values_, next_values_);
    std::swap(scales_, next_scales_);
    columns_ = up.weight.rows;
    x_ = nullptr;
    norm_ = {};
  }

  /// Whether products with this matrix end as those of keep_heads() do.
  static bool hands_on(const Matrix& weights) { return operand_of(weights) == Operand::halves; }
  /// q = factor (W x + bias); keys and values go to the cache.
  void keep_heads(const AttentionWeights& weights, float factor, float* q, const KeptRows& keys, const KeptRows& values) {
    make(Operand::halves);
    DenseProducts::Work works[] = {{weights.query.weight.dtype, product_of(weights.query.weight, nullptr, weights.query.bias, q, Ending::scale)},
                                   {weights.key.weight.dtype, product_of(weights.key.weight, nullptr, weights.key.bias, nullptr, Ending::keep)},
                                   {weights.value.weight.dtype, product_of(weights.value.weight, nullptr, weights.value.bias, nullptr, Ending::keep)}};
    works[0].product.factor = factor;
    works[1].product.kept = keys;
    works[2].product.kept = values;
    multiply_tiles(works);
  }

  /// q, k, v: (rows, rows of their weight).
  void multiply_heads(const AttentionWeights& weights, float* q, float* k, float* v) {
    const Operand operand = operand_of(weights.query.weight);
    if (operand == Operand::floats || operand_of(weights.key.weight) != operand || operand_of(weights.value.weight) != operand) {
      multiply(weights.query, Ending::put, q);
      multiply(weights.key, Ending::put, k);
      multiply(weights.value, Ending::put, v);
      return;
    }
    make(operand);
    const DenseProducts::Work works[] = {{weights.query.weight.dtype, product_of(weights.query.weight, nullptr, weights.query.bias, q, Ending::put)},
                                         {weights.key.weight.dtype, product_of(weights.key.weight, nullptr, weights.key.bias, k, Ending::put)},
                                         {weights.value.weight.dtype, product_of(weights.value.weight, nullptr, weights.value.bias, v, Ending::put)}};
    multiply_tiles(works);
  }

  /// y: (rows, rows of the weight), as the ending says: put, add or gelu.
  void multiply(const Linear& linear, Ending ending, float* y) {
    const Matrix& weights = linear.weight;
    if (!make(operand_of(weights))) {
      Product product{static_cast<const std::uint8_t*>(weights.data), placed_row_bytes(weights.dtype, weights.columns), 0, weights.rows, columns_, floats_.get(), rows_, 1, nullptr, linear.bias, y,
                      ending == Ending::add};
      with_type(weights.dtype, RunFloats{stream_, product});
      if (ending == Ending::gelu) launch(stream_, gelu_rows, Grid{rows_}, row_threads, weights.rows, y);
      return;
    }
    multiply_tiles(weights.dtype, product_of(weights, nullptr, linear.bias, y, ending));
  }

  /// y = silu(gate x) * (up x). `second`: memory as y.
  void multiply_gated(const Matrix& gate, const Matrix& up, float* y, float* second) {
    if (gate.dtype == up.dtype && make(operand_of(gate))) {
      multiply_tiles(gate.dtype, product_of(gate, &up, nullptr, y, Ending::gated));
      return;
    }
    multiply({gate, nullptr}, Ending::put, y);
    multiply({up, nullptr}, Ending::put, second);
    launch(stream_, gate_rows, Grid{rows_}, row_threads, gate.rows, static_cast<const float*>(y), static_cast<const float*>(second), y, static_cast<QuantisedBlock*>(nullptr));
  }

 private:
  /// A number of PreparedRows::buffer; decode_ops.cuh has the others.
  static constexpr int packed_buffer = 3;

  TileProduct product_of(const Matrix& weights, const Matrix* second, const float* bias, float* y, Ending ending) const {
    return {static_cast<const std::uint8_t*>(weights.data), second == nullptr ? nullptr : static_cast<const std::uint8_t*>(second->data), placed_row_bytes(weights.dtype, weights.columns),
            weights.rows, weights.columns, packed(made_ == Operand::halves), rows_, bias, y, ending};
  }
  void multiply_tiles(DType type, const TileProduct& product) const {
    const DenseProducts::Work work{type, product};
    if (!dense_.run(&work, 1)) with_type(type, RunTiles{stream_, large_from_, groups_, product});
  }
  /// Of queries, keys and values.
  void multiply_tiles(const DenseProducts::Work (&works)[3]) const {
    if (dense_.run(works, 3)) return;
    for (const DenseProducts::Work& work : works) multiply_tiles(work.type, work.product);
  }
  PackedRows packed(bool halves) const { return {values_.get(), halves ? scales_.get() : nullptr, packed_stride(columns_), halves ? sizes_.get() : nullptr}; }
  /// Texts alone go from product to product as halves.
  static bool hands_on(const OpsShape& shape) { return shape.vocabulary == 0; }

  /// The input as this operand; false where that is floats.
  bool make(Operand operand) {
    if (operand != made_) {
      made_ = last_ = operand;
      if (operand == Operand::floats) {
        launch(stream_, normalise_rows, Grid{rows_}, row_threads, norm_, columns_, x_, static_cast<const int*>(nullptr), floats_.get(), static_cast<QuantisedBlock*>(nullptr));
      } else if (operand == Operand::halves) {
        launch_pack(stream_, rows_, norm_, columns_, x_, packed(true), nullptr);
      } else {
        launch_pack(stream_, rows_, norm_, columns_, x_, packed(false), nullptr);
      }
    }
    return operand != Operand::floats;
  }

  Stream stream_;
  int large_from_;  // so many large tiles are worth it
  GroupChoice groups_;
  DeviceArray<std::uint16_t> values_;
  DeviceArray<float> scales_, sizes_;
  DeviceArray<std::uint16_t> next_values_;  // what pack_gelu() makes while values_ are read
  DeviceArray<float> next_scales_;
  DeviceArray<float> floats_;
  DenseProducts dense_;
  NormParameters norm_{};
  int rows_ = 0;
  int columns_ = 0;
  const float* x_ = nullptr;
  Operand made_ = Operand::none;
  Operand last_ = Operand::none;  // of the last product
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
