// Products of the rows of prompts and texts, many at a time. Those of rows that go on with answers are in ops.cuh.
#pragma once

#include <algorithm>
#include <climits>
#include <utility>

#include "backend/ops.h"
#include "cuda/chip.h"
#include "cuda/group_choice.cuh"
#include "cuda/kernels/rows.cuh"
#include "cuda/launchers.h"
#include "cuda/placed_weights.cuh"
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

/// Where quantised weights are unpacked to, a part at a time.
struct Unpacked {
  std::uint16_t* values;
  std::size_t elements;
  int from;  // so many rows are worth it
};

struct RunTiles {
  Stream stream;
  int large_from;
  const GroupChoice& groups;
  const Unpacked& unpacked;
  const TileProduct& product;
  template <DType type>
  void run() const {
    if constexpr (goes_by_groups(type)) {
      if (groups.takes_dense(type) && is_worth<type>()) return run_dense<type>();
      if (groups.takes(type)) return launch_group_tiles<type>(stream, groups.processors(), product);
    }
    if constexpr (type != DType::f32) {
      launch_tiles<type>(stream, large_from, product);
    }
  }

 private:
  int matrices() const { return product.ending == Ending::gated ? 2 : 1; }
  /// Outputs of a part: so many that their weights have room.
  int most_outputs() const {
    const std::size_t rows = unpacked.elements / static_cast<std::size_t>(matrices() * packed_stride(product.columns));
    return static_cast<int>(std::min<std::size_t>(rows, static_cast<std::size_t>(product.outputs))) / dense_part_outputs * dense_part_outputs;
  }
  template <DType type>
  bool is_worth() const {
    // Halves are there already: where there is a tile for most multiprocessors.
    if constexpr (type == DType::f16) return 4 * ((product.rows + 127) / 128) * ((matrices() * product.outputs + 255) / 256) >= 3 * groups.processors();
    return product.rows >= unpacked.from && (most_outputs() > 0 || fits());
  }
  bool fits() const { return static_cast<std::size_t>(matrices()) * static_cast<std::size_t>(product.outputs) * static_cast<std::size_t>(packed_stride(product.columns)) <= unpacked.elements; }

  template <DType type>
  void run_dense() const {
    const bool pairs = groups.takes_pairs(type);
    if constexpr (type == DType::f16) {
      return launch_dense_tiles(stream, groups.processors(), pairs, true, {product.weights, product.second, product.row_bytes, 0, product.outputs}, product);
    } else {
      const int stride = packed_stride(product.columns);
      // Parts of one size, so that none leaves most of the chip idle.
      const int most = fits() ? product.outputs : most_outputs();
      const int parts = (product.outputs + most - 1) / most;
      const int each = parts == 1 ? product.outputs : ((product.outputs + parts - 1) / parts + dense_part_outputs - 1) / dense_part_outputs * dense_part_outputs;
      for (int first = 0; first < product.outputs; first += each) {
        const int count = std::min(each, product.outputs - first);
        const std::size_t skipped = static_cast<std::size_t>(first) * product.row_bytes;
        std::uint16_t* const second = unpacked.values + static_cast<std::size_t>(count) * static_cast<std::size_t>(stride);
        launch_unpack<type>(stream, product.weights + skipped, product.row_bytes, count, product.columns, unpacked.values);
        if (product.second != nullptr) launch_unpack<type>(stream, product.second + skipped, product.row_bytes, count, product.columns, second);
        launch_dense_tiles(stream, groups.processors(), pairs, false, {unpacked.values, second, 2 * static_cast<std::size_t>(stride), first, count}, product);
      }
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

/// Of one input after the other: take() it, then multiply it. Inputs that normalise() or pack_gelu() made are there already.
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
        unpacked_from_(chip.unpacked_from),
        unpacked_elements_(unpacked_elements(shape)),
        unpacked_(unpacked_elements_) {}

  static std::size_t bytes(const OpsShape& shape) {
    const std::size_t packed = 2 * static_cast<std::size_t>(packed_stride(shape.columns)) + 4;
    return static_cast<std::size_t>(shape.part_rows) * ((hands_on(shape) ? 2 : 1) * packed + 4 + 4 * static_cast<std::size_t>(shape.columns)) + 2 * unpacked_elements(shape) + 7 * 256;
  }

  /// Before weights of this type are placed.
  void prepare(DType type) { groups_.prepare(type); }

  /// The input of what follows is norm(x).  x: (rows, columns), unchanged until the last product.
  void take(const Norm& norm, int rows, int columns, const float* x) {
    const bool there = normalised_ && norm.weight == nullptr && rows == rows_ && columns == columns_ && x == x_;
    normalised_ = false;
    if (there) return;
    norm_ = {norm.weight, norm.bias, norm.epsilon};
    rows_ = rows;
    columns_ = columns;
    x_ = x;
    made_ = Operand::none;
  }

  /// x[r] = norm(x[r]), packed on the way as the last product wanted its input: the next is likely to want it so. Until forget(), x is not
  /// written otherwise.
  void normalise(const Norm& norm, int rows, int columns, float* x) {
    const NormParameters parameters{norm.weight, norm.bias, norm.epsilon};
    if (last_ == Operand::none || last_ == Operand::floats) {
      forget();
      launch(stream_, normalise_rows, Grid{rows}, row_threads, parameters, columns, static_cast<const float*>(x), static_cast<const int*>(nullptr), x, static_cast<QuantisedBlock*>(nullptr));
      return;
    }
    take(Norm{}, rows, columns, x);
    made_ = last_;
    launch_pack(stream_, rows, parameters, columns, x, packed(made_ == Operand::halves), x);
    normalised_ = true;
  }

  /// Somebody else writes what normalise() left.
  void forget() { normalised_ = false; }

  /// Whether project_gelu_add() of these is pack_gelu() and a product.
  bool packs_gelu(const Linear& up, const Linear& down) const {
    return next_values_.get() != nullptr && operand_of(up.weight) == Operand::halves && operand_of(down.weight) == Operand::halves && up.weight.rows % step_columns == 0;
  }
  /// gelu(W x + bias) is the input of what follows.
  void pack_gelu(const Linear& up) {
    make(Operand::halves);
    TileProduct product = product_of(up.weight, nullptr, up.bias, nullptr, Ending::pack);
    product.end = {{next_values_.get(), next_scales_.get(), packed_stride(up.weight.rows), nullptr}, largest_of(up.weight), largest_of(up.bias, up.weight.rows)};
    with_type(up.weight.dtype, RunTiles{stream_, large_from_, groups_, unpacked_of(), product});
    std::swap(values_, next_values_);
    std::swap(scales_, next_scales_);
    columns_ = up.weight.rows;
    x_ = nullptr;
    norm_ = {};
  }

  /// Whether products with this matrix end as scale() and keep() do.
  static bool hands_on(const Matrix& weights) { return operand_of(weights) == Operand::halves; }
  /// y = factor (W x + bias).
  void scale(const Linear& linear, float factor, float* y) {
    make(Operand::halves);
    TileProduct product = product_of(linear.weight, nullptr, linear.bias, y, Ending::scale);
    product.factor = factor;
    with_type(linear.weight.dtype, RunTiles{stream_, large_from_, groups_, unpacked_of(), product});
  }
  /// W x + bias goes to the cache.
  void keep(const Linear& linear, const KeptRows& kept) {
    make(Operand::halves);
    TileProduct product = product_of(linear.weight, nullptr, linear.bias, nullptr, Ending::keep);
    product.kept = kept;
    with_type(linear.weight.dtype, RunTiles{stream_, large_from_, groups_, unpacked_of(), product});
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
    with_type(weights.dtype, RunTiles{stream_, large_from_, groups_, unpacked_of(), product_of(weights, nullptr, linear.bias, y, ending)});
  }

  /// y = silu(gate x) * (up x). `second`: memory as y.
  void multiply_gated(const Matrix& gate, const Matrix& up, float* y, float* second) {
    if (gate.dtype == up.dtype && make(operand_of(gate))) {
      with_type(gate.dtype, RunTiles{stream_, large_from_, groups_, unpacked_of(), product_of(gate, &up, nullptr, y, Ending::gated)});
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
  PackedRows packed(bool halves) const { return {values_.get(), halves ? scales_.get() : nullptr, packed_stride(columns_), halves ? sizes_.get() : nullptr}; }
  /// Of the largest matrices of a 70B model a quarter and less: more would be read no faster.
  static std::size_t unpacked_elements(const OpsShape& shape) {
    constexpr std::size_t most = std::size_t{128} << 20;
    return std::min(most, 2 * static_cast<std::size_t>(shape.outputs) * static_cast<std::size_t>(packed_stride(shape.columns)));
  }
  Unpacked unpacked_of() const { return {unpacked_.get(), unpacked_elements_, unpacked_from_}; }
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
  int unpacked_from_;
  std::size_t unpacked_elements_;
  DeviceArray<std::uint16_t> unpacked_;
  NormParameters norm_{};
  int rows_ = 0;
  int columns_ = 0;
  const float* x_ = nullptr;
  Operand made_ = Operand::none;
  Operand last_ = Operand::none;  // of the last product
  bool normalised_ = false;       // x_ is what normalise() left, and values_ are its
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
