// The rows of a pass that go on with answers, four at most at a time: products that read the weights once for all of them, and attention
// split over the chip. What is not served here (float weights, norms of heads, experts) takes the general way of ops.cuh.
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

class DecodeRows {
 public:
  DecodeRows(const OpsShape& shape, Stream stream, Chip chip)
      : stream_(stream), chip_(chip), input_(quantised_bytes(shape)), normed_input_(quantised_bytes(shape)), squares_(quantised_bytes(shape) / 40), values_(part_floats(shape) * static_cast<std::size_t>(shape.kv.head_size)), largest_(part_floats(shape)), totals_(part_floats(shape)), arrived_(arrivals(shape)) {
    clear(stream, arrived_.get(), arrivals(shape) * sizeof(int));
  }

  static std::size_t bytes(const OpsShape& shape) {
    return 2 * quantised_bytes(shape) + sizeof(float) * (quantised_bytes(shape) / 40) + sizeof(float) * part_floats(shape) * static_cast<std::size_t>(shape.kv.head_size + 2) + sizeof(int) * arrivals(shape) + 7 * 256;
  }

  /// Whether products with this matrix are served.
  bool takes(const Matrix& weights) const {
    return info_of(weights.dtype).block_elements > 1 && weights.count == 1 && decode_shared_bytes(weights.columns, 1) <= chip_.shared_bytes;
  }
  bool takes_heads(const AttentionWeights& weights) const {
    return takes(weights.query.weight) && takes(weights.key.weight) && takes(weights.value.weight) && weights.norm.bias == nullptr;
  }
  /// Whether heads() is served where takes_heads(): the two of a pair are turned where they are made, so a head must be whole groups of
  /// rows, without a norm of its own.
  static bool turns_heads(const AttentionWeights& weights, const KvShape& kv) {
    return weights.query_norm == nullptr && weights.key_norm == nullptr && kv.head_size % rows_per_warp == 0 && kept_as_floats(kv);
  }
  bool takes(const GatedWeights& weights) const {
    return takes(weights.gate) && takes(weights.up) && weights.gate.dtype == weights.up.dtype && weights.gate.rows % 32 == 0 && weights.norm.bias == nullptr;
  }
  /// Whether attend() is.
  bool takes(int heads, const KvShape& kv) const {
    return (kept_as_floats(kv) ? kv.head_size % 8 == 0 : kv.dtype == DType::q8_0 && kv.head_size % 32 == 0) && split_shared_bytes(kv, heads / kv.heads) <= chip_.shared_bytes;
  }

  /// Ops::project_attention of the first `rows` of the batch.
  void project_heads(const AttentionWeights& weights, int rows, const float* x, float* q, const Cache& cache, const HeadWork& heads, const PreparedRows& prepared) const {
    DecodeWork work = work_of(weights.norm, weights.query.weight.columns);
    work.then = Then::heads;
    work.matrices[0] = matrix_of(weights.query);
    work.matrices[1] = matrix_of(weights.key);
    work.matrices[2] = matrix_of(weights.value);
    work.heads = heads;
    work.cache = cache;
    launch_rows(work, rows, x, q, normed_input(work, x, prepared));
  }

  /// x[r] += W in[r] + bias. `prepared`: `in` as attend() or gated() left it. `next`: the norm of the project_heads() or gated() that reads x next, or null. Returns x
  /// quantised for that.
  PreparedRows add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows& prepared, const Norm* next) const {
    DecodeWork work = work_of(Norm{}, weights.weight.columns);
    work.then = Then::add;
    work.matrices[0] = matrix_of(weights);
    PreparedRows left;
    if (next != nullptr && next->weight != nullptr && next->bias == nullptr && weights.weight.rows % 32 == 0 && by_tiles(work)) {
      work.quantised_out = normed_input_.get();
      work.norm_out = next->weight;
      work.squares_out = squares_.get();
      left = {x, weights.weight.rows, next->weight, normed_input_buffer};
    }
    const bool quantised = prepared.buffer == input_buffer && prepared.rows == in && prepared.columns == work.columns;
    launch_rows(work, rows, in, x, quantised ? input_.get() : nullptr);
    return left;
  }

  /// Ops::gated. Returns out quantised for add().
  PreparedRows gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows& prepared) const {
    DecodeWork work = work_of(weights.norm, weights.gate.columns);
    work.then = Then::gated;
    work.matrices[0] = matrix_of({weights.gate, nullptr});
    work.matrices[1] = matrix_of({weights.up, nullptr});
    work.quantised_out = input_.get();
    launch_rows(work, rows, x, out, normed_input(work, x, prepared));
    return {out, weights.gate.rows, nullptr, input_buffer};
  }

  /// y[i] = W norm(x[chosen[i]]) + bias; chosen: on the device, or null for the first rows.
  void store(const Norm& norm, const Linear& weights, const int* chosen, int rows, const float* x, float* y) const {
    DecodeWork work = work_of(norm, weights.weight.columns);
    work.then = Then::store;
    work.matrices[0] = matrix_of(weights);
    work.chosen = chosen;
    launch_rows(work, rows, x, y, nullptr);
  }

  /// Ops::attend of the first `rows` of the batch; the arrays are the batch's. Returns out quantised for add(), where a head has whole quant blocks.
  PreparedRows attend(int heads, int rows, const float* q, const KvShape& kv, const Cache& cache, int layer, const int* slots, const int* first, const int* visible, float* out) const {
    const int columns = heads * kv.head_size;
    std::uint8_t* quantised = kv.head_size % 32 == 0 ? input_.get() : nullptr;
    const SplitParts parts{values_.get(), largest_.get(), totals_.get(), arrived_.get()};
    for (int row = 0; row < rows; row += most_decode_rows) {
      const int count = std::min(most_decode_rows, rows - row);
      const auto skipped = static_cast<std::ptrdiff_t>(row) * columns;
      launch_splits(stream_, cache, heads, layer, slots, first, visible, row, count, q + skipped, parts, out + skipped,
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
  static std::size_t arrivals(const OpsShape& shape) { return static_cast<std::size_t>(most_decode_rows) * static_cast<std::size_t>(shape.heads); }
  static std::size_t part_floats(const OpsShape& shape) { return static_cast<std::size_t>(most_decode_rows) * static_cast<std::size_t>(shape.heads) * most_splits; }
  static DecodeMatrix matrix_of(const Linear& linear) { 
    return {static_cast<const std::uint8_t*>(linear.weight.data), linear.bias, linear.weight.dtype, linear.weight.rows, static_cast<int>(placed_row_bytes(linear.weight.dtype, linear.weight.columns))};
  }
  static DecodeWork work_of(const Norm& norm, int columns) {
    DecodeWork work{};
    work.columns = columns;
    work.norm = {norm.weight, norm.bias, norm.epsilon};
    return work;
  }
  /// As many rows in a launch as a thread block's shared memory holds. The kernel does not depend on the number of rows: neither may a row's bits.
  void launch_rows(DecodeWork work, int rows, const float* x, float* y, const std::uint8_t* quantised) const {
    int together = most_decode_rows;
    while (decode_shared_bytes(work.columns, together) > chip_.shared_bytes) --together;
    const bool tiles = by_tiles(work);
    while (tiles && tile_shape(work, together).slots < least_slots) --together;
    const std::size_t row_bytes = static_cast<std::size_t>(activation_row_bytes(work.columns / 32));
    const int* chosen = work.chosen;
    std::uint8_t* quantised_out = work.quantised_out;
    const float* const squares = work.squares;
    float* const squares_out = work.squares_out;
    const int first_row = work.heads.first_row;
    for (int row = 0; row < rows; row += together) {
      const auto skipped = static_cast<std::size_t>(row);
      work.rows = std::min(together, rows - row);
      work.x = chosen == nullptr ? x + skipped * static_cast<std::size_t>(work.columns) : x;
      work.chosen = chosen == nullptr ? nullptr : chosen + row;
      work.quantised = quantised == nullptr ? nullptr : quantised + skipped * row_bytes;
      work.y = y + skipped * static_cast<std::size_t>(work.matrices[0].rows);
      work.quantised_out = quantised_out == nullptr ? nullptr : quantised_out + skipped * static_cast<std::size_t>(activation_row_bytes(work.matrices[0].rows / 32));
      work.squares = squares == nullptr ? nullptr : squares + skipped * static_cast<std::size_t>(work.columns / 32);
      work.squares_out = squares_out == nullptr ? nullptr : squares_out + skipped * static_cast<std::size_t>(work.matrices[0].rows / 32);
      work.heads.first_row = first_row + row;
      if (tiles) start_tiles(work);
      else start(work);
    }
  }

  /// Of heads the halves of tiles lie in one head each, and are turned as a whole or not at all.
  bool by_tiles(const DecodeWork& work) const {
    const bool whole = work.then != Then::heads || (work.cache.head_size % decode_tile_rows == 0 && work.heads.pairs % (decode_tile_rows / 2) == 0);
    return chip_.gemv == cuda::GemvKernel::tiles && whole && tile_shape(work, 1).slots >= least_slots;
  }

  /// The rows of x, quantised, where add() prepared them for this norm; else null.
  const std::uint8_t* normed_input(DecodeWork& work, const float* x, const PreparedRows& prepared) const {
    const bool quantised = prepared.buffer == normed_input_buffer && prepared.rows == x && prepared.columns == work.columns && prepared.norm == work.norm.weight;
    if (!quantised || !by_tiles(work)) return nullptr;
    work.squares = squares_.get();
    return normed_input_.get();
  }

  void start(const DecodeWork& work) const {
    if (work.rows == 1) start_of<1>(work);
    else if (work.rows == 2) start_of<2>(work);
    else start_of<4>(work);
  }

  /// Pieces of work that go to blocks: `rows` weight rows a time, or stretches of what is left as bytes.
  static int units_of(const DecodeWork& work, int rows) {
    if (work.quantised_out != nullptr) return work.matrices[0].rows / 32;
    int units = 0;
    for (const DecodeMatrix& matrix : work.matrices) units += (matrix.rows + rows - 1) / rows;
    return units;
  }

  template <int width>
  void start_of(const DecodeWork& work) const {
    const RingShape shape = ring_shape(work);
    if (chip_.gemv != cuda::GemvKernel::registers && shape.slots >= least_slots) launch_ring_decode<width>(stream_, std::min(chip_.multiprocessors, units_of(work, ring_rows)), shape, work);
    else launch_decode<width>(stream_, std::min(chip_.multiprocessors, units_of(work, rows_per_warp)), work);
  }

  void start_tiles(const DecodeWork& work) const {
    DecodeTileShape shape = tile_shape(work, work.rows);
    const int units = units_of(work, decode_tile_rows);
    const int blocks = std::min(chip_.multiprocessors, units);
    shape.each = units / blocks;
    shape.more = units % blocks;
    shape.ahead = most_asked / shape.slot_bytes + 1;
    if (work.rows == 1) launch_decode_tiles<1>(stream_, blocks, shape, work);
    else if (work.rows == 2) launch_decode_tiles<2>(stream_, blocks, shape, work);
    else launch_decode_tiles<4>(stream_, blocks, shape, work);
  }

  // One slot alone would leave nothing under way while it is worked on.
  static constexpr int least_slots = 2;

  /// As many slots as the input leaves room for.
  RingShape ring_shape(const DecodeWork& work) const {
    const int stretches = work.then == Then::gated ? units_of(work, ring_rows) : 0;
    RingShape shape{0, work.rows * activation_row_bytes(work.columns / 32), (stretches + chip_.multiprocessors - 1) / chip_.multiprocessors};
    while (shape.slots < most_slots && ring_shared_bytes({shape.slots + 1, shape.input_bytes, shape.gathered}) <= chip_.shared_bytes) ++shape.slots;
    return shape;
  }
  DecodeTileShape tile_shape(const DecodeWork& work, int rows) const {
    DecodeTileShape shape{0, 0, rows * activation_row_bytes(work.columns / 32)};
    for (const DecodeMatrix& matrix : work.matrices) {
      if (matrix.rows > 0) shape.slot_bytes = std::max(shape.slot_bytes, tile_slot_bytes(matrix.type));
    }
    while (shape.slots < most_tile_slots && decode_tile_shared_bytes({shape.slots + 1, shape.slot_bytes, shape.input_bytes}) <= chip_.shared_bytes) ++shape.slots;
    return shape;
  }

  Stream stream_;
  Chip chip_;
  DeviceArray<std::uint8_t> input_;         // (slots, activation_row_bytes): quantised rows that attend() and gated() leave
  DeviceArray<std::uint8_t> normed_input_;  // the same of x times the weights of the next norm, which add() leaves
  DeviceArray<float> squares_;              // (slots, quant blocks): sums of squares of x, for the rest of that norm
  DeviceArray<float> values_, largest_, totals_;
  DeviceArray<int> arrived_;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
