// Products of the rows of prompts and texts, many at a time. Those of rows that go on with answers are in ops.cuh.
#pragma once

#include <climits>

#include "backend/ops.h"
#include "cuda/chip.h"
#include "cuda/group_choice.cuh"
#include "cuda/kernels/rows.cuh"
#include "cuda/launchers.h"
#include "cuda/runtime.h"
#include "cuda/with_type.h"

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

/// Of one input after the other: take() it, then multiply it.
class PromptRows {
 public:
  PromptRows(const OpsShape& shape, Stream stream, Chip chip)
      : stream_(stream),
        // Chips with less shared memory than a large tile takes (8.6, 8.9, 12.0) do without it.
        large_from_(chip.shared_bytes < large_tile_bytes() ? INT_MAX : chip.multiprocessors),
        groups_(stream, chip.warpgroups ? chip.multiprocessors : 0),
        values_(static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(packed_stride(shape.columns))),
        scales_(static_cast<std::size_t>(shape.part_rows)),
        floats_(static_cast<std::size_t>(shape.part_rows) * static_cast<std::size_t>(shape.columns)) {}

  static std::size_t bytes(const OpsShape& shape) {
    return static_cast<std::size_t>(shape.part_rows) * (2 * static_cast<std::size_t>(packed_stride(shape.columns)) + 4 + 4 * static_cast<std::size_t>(shape.columns)) + 3 * 256;
  }

  /// Before weights of this type are placed.
  void prepare(DType type) { groups_.prepare(type); }

  /// The input of what follows is norm(x).  x: (rows, columns), unchanged until the last product.
  void take(const Norm& norm, int rows, int columns, const float* x) {
    norm_ = {norm.weight, norm.bias, norm.epsilon};
    rows_ = rows;
    columns_ = columns;
    x_ = x;
    made_ = Operand::none;
  }

  /// y: (rows, rows of the weight), as the ending says; not `gated`.
  void multiply(const Linear& linear, Ending ending, float* y) {
    const Matrix& weights = linear.weight;
    if (!make(operand_of(weights))) {
      Product product{static_cast<const std::uint8_t*>(weights.data), placed_row_bytes(weights.dtype, weights.columns), 0, weights.rows, columns_, floats_.get(), rows_, 1, nullptr, linear.bias, y,
                      ending == Ending::add};
      with_type(weights.dtype, RunFloats{stream_, product});
      if (ending == Ending::gelu) launch(stream_, gelu_rows, Grid{rows_}, row_threads, weights.rows, y);
      return;
    }
    with_type(weights.dtype, RunTiles{stream_, large_from_, groups_, product_of(weights, nullptr, linear.bias, y, ending)});
  }

  /// y = silu(gate x) * (up x). `second`: memory as y.
  void multiply_gated(const Matrix& gate, const Matrix& up, float* y, float* second) {
    if (gate.dtype == up.dtype && make(operand_of(gate))) {
      with_type(gate.dtype, RunTiles{stream_, large_from_, groups_, product_of(gate, &up, nullptr, y, Ending::gated)});
      return;
    }
    multiply({gate, nullptr}, Ending::put, y);
    multiply({up, nullptr}, Ending::put, second);
    launch(stream_, gate_rows, Grid{rows_}, row_threads, gate.rows, static_cast<const float*>(y), static_cast<const float*>(second), y, static_cast<QuantisedBlock*>(nullptr));
  }

 private:
  TileProduct product_of(const Matrix& weights, const Matrix* second, const float* bias, float* y, Ending ending) const {
    return {static_cast<const std::uint8_t*>(weights.data), second == nullptr ? nullptr : static_cast<const std::uint8_t*>(second->data), placed_row_bytes(weights.dtype, weights.columns),
            weights.rows, weights.columns, packed(made_ == Operand::halves), rows_, bias, y, ending};
  }
  PackedRows packed(bool halves) const { return {values_.get(), halves ? scales_.get() : nullptr, packed_stride(columns_)}; }

  /// The input as this operand; false where that is floats.
  bool make(Operand operand) {
    if (operand != made_) {
      made_ = operand;
      if (operand == Operand::floats) {
        launch(stream_, normalise_rows, Grid{rows_}, row_threads, norm_, columns_, x_, static_cast<const int*>(nullptr), floats_.get(), static_cast<QuantisedBlock*>(nullptr));
      } else if (operand == Operand::halves) {
        launch_pack(stream_, rows_, norm_, columns_, x_, packed(true));
      } else {
        launch_pack(stream_, rows_, norm_, columns_, x_, packed(false));
      }
    }
    return operand != Operand::floats;
  }

  Stream stream_;
  int large_from_;  // so many large tiles are worth it
  GroupChoice groups_;
  DeviceArray<std::uint16_t> values_;
  DeviceArray<float> scales_;
  DeviceArray<float> floats_;
  NormParameters norm_{};
  int rows_ = 0;
  int columns_ = 0;
  const float* x_ = nullptr;
  Operand made_ = Operand::none;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
