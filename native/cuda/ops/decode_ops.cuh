// The decode rows of a pass, up to four per launch: GEMV reads the weights once for all of them, and attention
// splits the KV cache over the GPU. Float weights, head norms and experts take the general kernels of ops.cuh.
#pragma once

#include <algorithm>

#include "backend/ops.h"
#include "cuda/runtime/device_limits.h"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/kernels/gemv/weight_stages.cuh"
#include "cuda/ops/launchers.h"
#include "cuda/runtime/runtime.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

class DecodeOps {
 public:
  DecodeOps(const OpsShape& shape, Stream stream, DeviceLimits limits)
      : stream_(stream), limits_(limits), input_(quantised_bytes(shape)), normed_input_(quantised_bytes(shape)), squares_(quantised_bytes(shape) / 40), values_(part_floats(shape) * static_cast<std::size_t>(shape.kv.head_size)), largest_(part_floats(shape)), totals_(part_floats(shape)), arrived_(arrivals(shape)) {
    clear(stream, arrived_.get(), arrivals(shape) * sizeof(int));
  }

  static std::size_t bytes(const OpsShape& shape) {
    return 2 * quantised_bytes(shape) + sizeof(float) * (quantised_bytes(shape) / 40) + sizeof(float) * part_floats(shape) * static_cast<std::size_t>(shape.kv.head_size + 2) + sizeof(int) * arrivals(shape) + 7 * 256;
  }

  /// Whether products with this matrix are supported.
  bool takes(const Matrix& weights) const {
    return info_of(weights.dtype).block_elements > 1 && weights.count == 1 && register_gemv_shared_bytes(weights.columns, 1) <= limits_.shared_bytes;
  }
  bool takes_heads(const AttentionWeights& weights) const {
    return takes(weights.query.weight) && takes(weights.key.weight) && takes(weights.value.weight) && weights.norm.bias == nullptr;
  }
  /// Whether project_heads() is supported where takes_heads(): RoPE runs in the epilogue, so a head must have whole groups of
  /// rows, and no norm of its own.
  static bool turns_heads(const AttentionWeights& weights, const KvShape& kv) {
    return weights.query_norm == nullptr && weights.key_norm == nullptr && kv.head_size % rows_per_warp == 0 && kept_as_floats(kv);
  }
  bool takes(const GatedWeights& weights) const {
    return takes(weights.gate) && takes(weights.up) && weights.gate.dtype == weights.up.dtype && weights.gate.rows % 32 == 0 && weights.norm.bias == nullptr;
  }
  /// Whether attend() is supported.
  bool takes(int heads, const KvShape& kv) const {
    return (kept_as_floats(kv) ? kv.head_size % 8 == 0 : kv.dtype == DType::q8_0 && kv.head_size % 32 == 0) && split_kv_shared_bytes(kv, heads / kv.heads) <= limits_.shared_bytes;
  }

  /// Ops::project_attention of the first `rows` of the batch.
  void project_heads(const AttentionWeights& weights, int rows, const float* x, float* q, const Cache& cache, const HeadParams& heads, const PreparedRows& prepared) const {
    GemvParams params = params_of(weights.norm, weights.query.weight.columns);
    params.epilogue = GemvEpilogue::qkv;
    params.matrices[0] = matrix_of(weights.query);
    params.matrices[1] = matrix_of(weights.key);
    params.matrices[2] = matrix_of(weights.value);
    params.heads = heads;
    params.cache = cache;
    launch_rows(params, rows, x, q, normed_input(params, x, prepared));
  }

  /// x[r] += W in[r] + bias. `prepared`: `in` as attend() or gated() left it. `next`: the norm of the project_heads() or gated() that reads x next, or null. Returns x
  /// quantised for that.
  PreparedRows add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows& prepared, const Norm* next) const {
    GemvParams params = params_of(Norm{}, weights.weight.columns);
    params.epilogue = GemvEpilogue::add;
    params.matrices[0] = matrix_of(weights);
    PreparedRows left;
    if (next != nullptr && next->weight != nullptr && next->bias == nullptr && weights.weight.rows % 32 == 0 && by_tiles(params)) {
      params.quantised_out = normed_input_.get();
      params.norm_out = next->weight;
      params.squares_out = squares_.get();
      left = {x, weights.weight.rows, next->weight, normed_input_buffer};
    }
    const bool quantised = prepared.buffer == input_buffer && prepared.rows == in && prepared.columns == params.columns;
    launch_rows(params, rows, in, x, quantised ? input_.get() : nullptr);
    return left;
  }

  /// Ops::gated. Returns out quantised for add().
  PreparedRows gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows& prepared) const {
    GemvParams params = params_of(weights.norm, weights.gate.columns);
    params.epilogue = GemvEpilogue::gated;
    params.matrices[0] = matrix_of({weights.gate, nullptr});
    params.matrices[1] = matrix_of({weights.up, nullptr});
    params.quantised_out = input_.get();
    launch_rows(params, rows, x, out, normed_input(params, x, prepared));
    return {out, weights.gate.rows, nullptr, input_buffer};
  }

  /// y[i] = W norm(x[chosen[i]]) + bias; chosen: device memory, or null for the first rows.
  void store(const Norm& norm, const Linear& weights, const int* chosen, int rows, const float* x, float* y) const {
    GemvParams params = params_of(norm, weights.weight.columns);
    params.epilogue = GemvEpilogue::store;
    params.matrices[0] = matrix_of(weights);
    params.chosen = chosen;
    launch_rows(params, rows, x, y, nullptr);
  }

  /// Ops::attend of the first `rows` of the batch; the arrays are the batch's. Returns out quantised for add(), where a head has whole quant blocks.
  PreparedRows attend(int heads, int rows, const float* q, const KvShape& kv, const Cache& cache, int layer, const int* slots, const int* first, const int* visible, float* out) const {
    const int columns = heads * kv.head_size;
    std::uint8_t* quantised = kv.head_size % 32 == 0 ? input_.get() : nullptr;
    const SplitKvPartials parts{values_.get(), largest_.get(), totals_.get(), arrived_.get()};
    for (int row = 0; row < rows; row += max_gemv_rows) {
      const int count = std::min(max_gemv_rows, rows - row);
      const auto skipped = static_cast<std::ptrdiff_t>(row) * columns;
      launch_split_kv(stream_, cache, heads, layer, slots, first, visible, row, count, q + skipped, parts, out + skipped,
                    quantised == nullptr ? nullptr : quantised + static_cast<std::ptrdiff_t>(row) * activation_row_bytes(columns / 32));
    }
    return quantised == nullptr ? PreparedRows{} : PreparedRows{out, columns, nullptr, input_buffer};
  }

 private:
  /// Numbers of PreparedRows::buffer; prefill_ops.cuh has the next.
  static constexpr int input_buffer = 1;
  static constexpr int normed_input_buffer = 2;

  static bool kept_as_floats(const KvShape& kv) { return kv.dtype == DType::f16 || kv.dtype == DType::f32; }
  static std::size_t quantised_bytes(const OpsShape& shape) {
    const int longest = std::max(shape.columns, shape.heads * shape.kv.head_size);
    return static_cast<std::size_t>(shape.logit_rows) * static_cast<std::size_t>(activation_row_bytes(longest / 32));
  }
  static std::size_t arrivals(const OpsShape& shape) { return static_cast<std::size_t>(max_gemv_rows) * static_cast<std::size_t>(shape.heads); }
  static std::size_t part_floats(const OpsShape& shape) { return static_cast<std::size_t>(max_gemv_rows) * static_cast<std::size_t>(shape.heads) * max_splits; }
  static GemvMatrix matrix_of(const Linear& linear) { 
    return {static_cast<const std::uint8_t*>(linear.weight.data), linear.bias, linear.weight.dtype, linear.weight.rows, static_cast<int>(repacked_row_bytes(linear.weight.dtype, linear.weight.columns))};
  }
  static GemvParams params_of(const Norm& norm, int columns) {
    GemvParams params{};
    params.columns = columns;
    params.norm = {norm.weight, norm.bias, norm.epsilon};
    return params;
  }
  /// As many rows in a launch as a thread block's shared memory holds. The kernel does not depend on the number of rows: neither may a row's bits.
  void launch_rows(GemvParams params, int rows, const float* x, float* y, const std::uint8_t* quantised) const {
    int together = max_gemv_rows;
    while (register_gemv_shared_bytes(params.columns, together) > limits_.shared_bytes) --together;
    const bool tiles = by_tiles(params);
    while (tiles && tile_shape(params, together).stages < min_stages) --together;
    const std::size_t row_bytes = static_cast<std::size_t>(activation_row_bytes(params.columns / 32));
    const int* chosen = params.chosen;
    std::uint8_t* quantised_out = params.quantised_out;
    const float* const squares = params.squares;
    float* const squares_out = params.squares_out;
    const int first_row = params.heads.first_row;
    for (int row = 0; row < rows; row += together) {
      const auto skipped = static_cast<std::size_t>(row);
      params.rows = std::min(together, rows - row);
      params.x = chosen == nullptr ? x + skipped * static_cast<std::size_t>(params.columns) : x;
      params.chosen = chosen == nullptr ? nullptr : chosen + row;
      params.quantised = quantised == nullptr ? nullptr : quantised + skipped * row_bytes;
      params.y = y + skipped * static_cast<std::size_t>(params.matrices[0].rows);
      params.quantised_out = quantised_out == nullptr ? nullptr : quantised_out + skipped * static_cast<std::size_t>(activation_row_bytes(params.matrices[0].rows / 32));
      params.squares = squares == nullptr ? nullptr : squares + skipped * static_cast<std::size_t>(params.columns / 32);
      params.squares_out = squares_out == nullptr ? nullptr : squares_out + skipped * static_cast<std::size_t>(params.matrices[0].rows / 32);
      params.heads.first_row = first_row + row;
      if (tiles) start_tiles(params);
      else start(params);
    }
  }

  /// For RoPE each half of a tile lies in one head, and is rotated as a whole or not at all.
  bool by_tiles(const GemvParams& params) const {
    const bool whole = params.epilogue != GemvEpilogue::qkv || (params.cache.head_size % gemv_tile_rows == 0 && params.heads.pairs % (gemv_tile_rows / 2) == 0);
    return limits_.gemv == cuda::GemvKernel::tiles && whole && tile_shape(params, 1).stages >= min_stages;
  }

  /// The rows of x, quantised, where add() prepared them for this norm; else null.
  const std::uint8_t* normed_input(GemvParams& params, const float* x, const PreparedRows& prepared) const {
    const bool quantised = prepared.buffer == normed_input_buffer && prepared.rows == x && prepared.columns == params.columns && prepared.norm == params.norm.weight;
    if (!quantised || !by_tiles(params)) return nullptr;
    params.squares = squares_.get();
    return normed_input_.get();
  }

  void start(const GemvParams& params) const {
    if (params.rows == 1) start_of<1>(params);
    else if (params.rows == 2) start_of<2>(params);
    else start_of<4>(params);
  }

  /// Units of work for thread blocks: `rows` weight rows each, or quant blocks of an output that is quantised.
  static int units_of(const GemvParams& params, int rows) {
    if (params.quantised_out != nullptr) return params.matrices[0].rows / 32;
    int units = 0;
    for (const GemvMatrix& matrix : params.matrices) units += (matrix.rows + rows - 1) / rows;
    return units;
  }

  template <int width>
  void start_of(const GemvParams& params) const {
    const RingGemvShape shape = ring_shape(params);
    if (limits_.gemv != cuda::GemvKernel::registers && shape.stages >= min_stages) launch_ring_gemv<width>(stream_, std::min(limits_.multiprocessors, units_of(params, ring_gemv_rows)), shape, params);
    else launch_register_gemv<width>(stream_, std::min(limits_.multiprocessors, units_of(params, rows_per_warp)), params);
  }

  void start_tiles(const GemvParams& params) const {
    MmaGemvShape shape = tile_shape(params, params.rows);
    const int units = units_of(params, gemv_tile_rows);
    const int blocks = std::min(limits_.multiprocessors, units);
    shape.units_per_block = units / blocks;
    shape.blocks_with_extra = units % blocks;
    shape.prefetch_stages = max_bytes_in_flight / shape.stage_bytes + 1;
    if (params.rows == 1) launch_mma_gemv<1>(stream_, blocks, shape, params);
    else if (params.rows == 2) launch_mma_gemv<2>(stream_, blocks, shape, params);
    else launch_mma_gemv<4>(stream_, blocks, shape, params);
  }

  // With one stage nothing would be in flight while it is used.
  static constexpr int min_stages = 2;

  /// As many stages as the input leaves room for.
  RingGemvShape ring_shape(const GemvParams& params) const {
    const int quant_blocks = params.epilogue == GemvEpilogue::gated ? units_of(params, ring_gemv_rows) : 0;
    RingGemvShape shape{0, params.rows * activation_row_bytes(params.columns / 32), (quant_blocks + limits_.multiprocessors - 1) / limits_.multiprocessors};
    while (shape.stages < max_ring_stages && ring_gemv_shared_bytes({shape.stages + 1, shape.input_bytes, shape.gathered}) <= limits_.shared_bytes) ++shape.stages;
    return shape;
  }
  MmaGemvShape tile_shape(const GemvParams& params, int rows) const {
    MmaGemvShape shape{0, 0, rows * activation_row_bytes(params.columns / 32)};
    for (const GemvMatrix& matrix : params.matrices) {
      if (matrix.rows > 0) shape.stage_bytes = std::max(shape.stage_bytes, weight_stage_bytes(matrix.type));
    }
    while (shape.stages < max_mma_stages && mma_gemv_shared_bytes({shape.stages + 1, shape.stage_bytes, shape.input_bytes}) <= limits_.shared_bytes) ++shape.stages;
    return shape;
  }

  Stream stream_;
  DeviceLimits limits_;
  DeviceArray<std::uint8_t> input_;         // (slots, activation_row_bytes): quantised rows that attend() and gated() leave
  DeviceArray<std::uint8_t> normed_input_;  // the same of x times the weights of the next norm, which add() leaves
  DeviceArray<float> squares_;              // (slots, quant blocks): sums of squares of x, for the scale of that norm
  DeviceArray<float> values_, largest_, totals_;
  DeviceArray<int> arrived_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
