// The operations of networks from files, one virtual each: what the many operators of ONNX come down to. Shapes, strides and tables are
// worked out by the caller, so that a kernel only counts. C++17: the CUDA sources see this file.
//
// Every pointer to a tensor is memory of the backend, dense and row-major (NCHW for pictures) unless strides are given. Where
// stored_bytes(f32) is 2, what is a float* below points to halves: tensors of f32 are kept in 16 bits, sums and functions of them are
// still of floats. Outputs do not overlap inputs but where an op says so. Promise of every op: what becomes of one picture, row or position depends on its own inputs
// alone, bit for bit, never on how many there are beside it or which thread took it. NaN and infinities are values like others: they
// never lead outside of a tensor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "cancel.h"
#include "tensor/element.h"
#include "tensor/shape.h"

namespace lectern {

using Strides = std::array<std::int64_t, max_rank>;

enum class UnaryKind : std::uint8_t {
  identity, absolute, negate, sign, exp, log, sqrt, reciprocal, floor, ceil, round, sin, cos, logical_not,
  erf,           // erf(a x)
  sigmoid, tanh, relu,
  leaky_relu,    // x < 0 ? a x : x
  elu,           // x < 0 ? a (exp(x) - 1) : x
  hard_sigmoid,  // clip(a x + b, 0, 1)
  hard_swish,    // x clip(a x + b, 0, 1)
  silu,          // x sigmoid(a x)
  gelu,          // x / 2 (1 + erf(x / sqrt(2)))
  gelu_tanh,     // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  softplus,      // log(1 + exp(x))
  softsign,      // x / (1 + |x|)
  mish,          // x tanh(softplus(x))
  clip,          // min(max(x, a), b)
};

/// A function of one number, scale f(x) + shift. Also what convolve(), multiply() and others apply to their result.
struct Unary {
  UnaryKind kind = UnaryKind::identity;
  float a = 0;
  float b = 0;
  float scale = 1;
  float shift = 0;
};

enum class BinaryKind : std::uint8_t {
  add, subtract, multiply,
  divide,  // of integers: towards zero; by 0: 0
  power,
  modulo,     // the sign of the divisor; by 0: 0 for integers
  remainder,  // the sign of the dividend, as fmod
  minimum, maximum,  // NaN where one is NaN
  prelu,  // a < 0 ? a b : a
  equal, less, less_or_equal,  // to bool
  logical_and, logical_or, logical_xor,
};

/// Up to three operands walked together: element i of the output (row-major over `shape`) meets those at sum over axes of index * stride.
struct Broadcast {
  Shape shape;
  std::array<Strides, 3> strides;  // 0 where an operand repeats
};

/// Boxes copied: out[out_offset + sum i * out_strides] = in[in_offset + sum i * in_strides] for every index i of `shape`.
struct Move {
  Shape shape;
  std::int64_t in_offset = 0, out_offset = 0;
  Strides in_strides{}, out_strides{};
};

/// out[i0, i1, ...] = in[tables[0][i0], tables[1][i1], ...], or the fill where one of them is -1.
struct Take {
  Shape in, out;                                       // of one rank
  std::array<const std::int32_t*, max_rank> tables{};  // host memory, (out[axis]); null: the axis as it is
  std::array<std::byte, 8> fill{};                     // one element as the host has it
};

/// Along one axis, out[j] = sum over taps t of weights[j, t] in[indices[j, t]]; the fill where the first index is -1.
struct Taps {
  int count = 0;                          // per output; 0: the axis as it is
  const std::int32_t* indices = nullptr;  // host memory, (out, count)
  const float* weights = nullptr;         // host memory, (out, count)
};

struct Resample {
  Shape in, out;  // of one rank
  std::array<Taps, max_rank> axes{};
  float fill = 0;
};

enum class ReductionKind : std::uint8_t { sum, mean, product, maximum, minimum, l1, l2, sum_of_squares, log_sum, log_sum_exp };

/// out[k] (row-major over `kept`) = the reduction over all r of in[sum k * kept_strides + sum r * reduced_strides].
struct Reduction {
  ReductionKind kind;
  Shape kept, reduced;
  Strides kept_strides{}, reduced_strides{};
};

/// The axis that an op works along: x is (outer, size, inner).
struct Axis {
  std::int64_t outer, size, inner;
};

/// C[i] = f(alpha A[i] B[i] + beta bias), i over `batches`.
struct Product {
  Shape batches;                                  // may be of rank 0: one product
  Strides a_strides{}, b_strides{};               // in elements, per axis of `batches`; 0 where one matrix serves all
  std::int64_t rows, columns, inner;              // A (rows, inner), B (inner, columns), C dense (batches, rows, columns)
  bool a_transposed = false, b_transposed = false;  // A is (inner, rows), B is (columns, inner)
  float alpha = 1, beta = 1;
  std::int64_t bias_row_stride = 0, bias_column_stride = 0;  // of the bias, the same for all of `batches`
  Unary activation;
};

/// What is known of a filter when a file is loaded. One axis is two with height 1.
struct Filter {
  std::int64_t outputs = 0;  // channels
  std::int64_t inputs = 0;   // channels of the picture
  std::int64_t groups = 1;
  std::array<std::int64_t, 2> kernel{1, 1}, strides{1, 1}, dilations{1, 1};  // height, width
};

/// x (batch, inputs, in[0], in[1]) to y (batch, outputs, out[0], out[1]).
struct Convolution {
  Filter filter;
  std::int64_t batch = 0;
  std::array<std::int64_t, 2> in{}, out{}, pads{};  // pads: before the first row and column; what is outside counts as 0
  Unary activation;  // after bias and residual
};

struct Pool {
  bool average = false;        // else the maximum
  bool count_padding = false;  // of an average: what lies in the padding counts as 0s
  bool column_major = false;   // of the indices
  std::int64_t planes = 0;     // batch * channels
  std::array<std::int64_t, 2> in{}, out{}, kernel{1, 1}, strides{1, 1}, dilations{1, 1}, pads{}, pads_after{};
};

enum class SampleMode : std::uint8_t { nearest, linear, cubic };
enum class SamplePadding : std::uint8_t { zeros, border, reflection };

/// x (batch, channels, in...) at the points of grid (batch, out..., axes), x first, in -1 .. 1.
struct GridSample {
  SampleMode mode;
  SamplePadding padding;
  bool align_corners;
  int axes;  // 2, or 3 with `nearest` and `linear`
  std::int64_t batch, channels;
  std::array<std::int64_t, 3> in{}, out{};  // the last `axes` count
};

struct Recurrent {
  bool gru = false;  // else LSTM
  int directions = 1;
  bool reverse = false;              // the only direction runs backwards; of two the second does
  bool linear_before_reset = false;  // GRU
  bool input_forget = false;         // LSTM
  std::int64_t steps, batch, inputs, hidden;
  std::array<Unary, 6> activations;  // per direction f, g, h (of a GRU f, g)
  float clip = 0;                    // 0: none
};

/// Null where absent; the layouts are those of ONNX's LSTM and GRU.
struct RecurrentTensors {
  const float *x, *weights, *recurrence, *bias, *initial_hidden, *initial_cell, *peepholes;
  const std::int32_t* lengths;
  float *y, *last_hidden, *last_cell;
  const void* packed = nullptr;  // of pack_recurrent: then weights and recurrence are those
  float* sums = nullptr;         // (directions, steps, batch, 4 hidden) to compute in, for an LSTM
  const Cancel* cancel = nullptr;
};

/// out[b, h] = softmax(scale Q K^T + mask) V over dense (batch, heads, positions, size) tensors.
struct Attention {
  std::int64_t batch, heads, queries, keys, size, value_size;
  float scale;
  // In elements; so Q, K, V may lie in one tensor and the output be (batch, queries, heads * value_size).
  std::int64_t q_batch, q_head, q_row, k_batch, k_head, k_row, v_batch, v_head, v_row, out_batch, out_head, out_row;
  std::int64_t mask_batch, mask_head, mask_row;
};

enum class ScatterKind : std::uint8_t { replace, add, multiply, minimum, maximum };

/// One thread at a time. Ops may queue: results are there after Backend::download or synchronise.
class GraphOps {
 public:
  virtual ~GraphOps() = default;

  /// Whether tensors may lie in any host memory: then constants are read where they are and nothing is uploaded.
  virtual bool reads_host_memory() const = 0;
  /// What an element of a tensor takes: bytes_of(element), but 2 of an f32 where floats are kept as halves.
  virtual std::size_t stored_bytes(Element element) const = 0;
  /// Whether factors of products that are kept as floats become pairs of halves, f16x3; to be said before anything is packed. Nothing to the processor.
  virtual void split_factors(bool) {}

  /// Counts its scratch memory, which tensors and weights do not include: `hold` is called with the whole size before it changes. If `hold` throws, the op has no scratch memory.
  virtual void count_scratch(std::function<void(std::size_t bytes)> hold) { static_cast<void>(hold); }

  // --- Load: constant weights as the kernels want them. What is returned lives as long as the ops and goes with every call that reads
  //     the same weights; null: they are read as they lie. ---

  /// weights: host memory, (outputs, inputs / groups, kernel...); of transposed ones (inputs, outputs / groups, kernel...).
  virtual const void* pack_filter(const Filter&, const float* weights, bool transposed) = 0;
  /// A constant B of Product, one matrix: host memory, (inner, columns), or (columns, inner) transposed.
  virtual const void* pack_matrix(std::int64_t inner, std::int64_t columns, bool transposed, const float* weights) = 0;
  /// Constant weights and recurrence of a Recurrent whose steps and batch are open: host memory, as RecurrentTensors has them.
  virtual const void* pack_recurrent(const Recurrent&, const float* weights, const float* recurrence) = 0;

  // --- Data moved ---

  /// Floats as the host has them to floats as tensors keep them, and back. Both in memory of the backend. What is finite stays finite.
  virtual void keep_floats(std::int64_t count, const float* in, void* out) = 0;
  virtual void give_floats(std::int64_t count, const void* in, float* out) = 0;
  virtual void move(const Move&, Element element, const void* in, void* out) = 0;
  /// value: one element as the host has it.
  virtual void fill(std::int64_t count, Element element, const std::byte* value, void* out) = 0;
  virtual void take(const Take&, Element element, const void* in, void* out) = 0;
  /// Between any two types but f16 to others than f32 and f64. Floats to integers: towards zero, saturated, NaN as 0.
  virtual void cast(Element from, Element to, std::int64_t count, const void* in, void* out) = 0;
  /// out[o, i, r] = in[o, indices[i], r]; negative indices count from the end. x (outer, size, inner), out (outer, count, inner). An
  /// index outside throws Error `invalid_model` where the device can detect it, else reads some element.
  virtual void gather(Axis axis, Element element, std::int64_t count, const void* in, const std::int64_t* indices, void* out) = 0;
  /// out[i...] = in[i..., but the index at i along `axis`]; out and indices have the shape `out`.
  virtual void gather_elements(const Shape& in, const Shape& out, int axis, Element element, const void* data, const std::int64_t* indices, void* to) = 0;
  /// The same turned around, onto what `to` holds already.
  virtual void scatter_elements(ScatterKind kind, Element element, const Shape& to_shape, const Shape& updates_shape, int axis, const std::int64_t* indices,
                                const void* updates, void* to) = 0;
  /// `tuples` times: a slice of `slice` elements from in[b, indices[tuple] ...]. `in` is (batches, sizes..., slice), indices (batches, tuples / batches, sizes.rank).
  virtual void gather_nd(std::int64_t batches, const Shape& sizes, std::int64_t slice, std::int64_t tuples, Element element, const void* in,
                         const std::int64_t* indices, void* out) = 0;
  virtual void scatter_nd(ScatterKind kind, Element element, const Shape& sizes, std::int64_t slice, std::int64_t tuples, const std::int64_t* indices,
                          const void* updates, void* to) = 0;

  // --- Element by element ---

  /// f32, f64; absolute, negate, sign, relu of integers too, without scale and shift; logical_not of bool. out may be in.
  virtual void unary(Unary op, Element element, std::int64_t count, const void* in, void* out) = 0;
  /// Numbers of one type, or bools for the logical ones and `equal`. out may be an operand that does not repeat (with an output of its size).
  virtual void binary(BinaryKind kind, Element element, const Broadcast&, const void* a, const void* b, void* out) = 0;
  /// out = condition ? a : b.
  virtual void select(const Broadcast&, Element element, const std::uint8_t* condition, const void* a, const void* b, void* out) = 0;
  /// y = f((x - mean) / sqrt(variance + epsilon) * scale + bias), all (channels); x (batch, channels, inner). out may be in.
  virtual void batch_normalise(Axis axis, float epsilon, const float* scale, const float* bias, const float* mean, const float* variance, Unary activation,
                               const float* in, float* out) = 0;

  // --- Along axes ---

  /// f32, f64, i64, i32. The extreme of nothing is the type's infinity or last number.
  virtual void reduce(const Reduction&, Element element, const void* in, void* out) = 0;
  /// The index of the largest (or smallest) element along the axis, the first or the last of equals; NaN counts as largest and smallest.
  virtual void find_extreme(Axis axis, Element element, bool largest, bool last, const void* in, std::int64_t* out) = 0;
  /// exp(x - max) / sum exp(x - max), or its logarithm. out may be in.
  virtual void softmax(Axis axis, bool logarithm, const float* in, float* out) = 0;
  /// (x - mean) / sqrt(variance + epsilon) * scale + bias over rows; scale and bias (columns), bias may be null; mean (rows) and inverse_deviation
  /// (rows), which is 1 / sqrt(variance + epsilon), may be null. out may be in.
  virtual void layer_normalise(std::int64_t rows, std::int64_t columns, float epsilon, const float* scale, const float* bias, const float* in, float* out, float* mean,
                               float* inverse_deviation) = 0;
  /// The same over each of the groups of neighbouring channels; scale and bias (channels); x (batch, channels, inner).
  virtual void group_normalise(Axis axis, std::int64_t groups, float epsilon, const float* scale, const float* bias, const float* in, float* out) = 0;
  /// f32, f64, i64, i32.
  virtual void cumulate(Axis axis, Element element, bool exclusive, bool reverse, const void* in, void* out) = 0;
  /// The k largest (smallest) along the axis, in order; of equals the lower index first. NaN counts as the largest. f32, i64, i32.
  virtual void top_k(Axis axis, Element element, std::int64_t k, bool largest, const void* in, void* values, std::int64_t* indices) = 0;

  // --- Matrices and pictures: float, sums in float or wider ---

  /// packed: of pack_matrix, then B is that matrix; bias may be null.
  virtual void multiply(const Product&, const float* a, const float* b, const void* packed, const float* bias, float* out) = 0;
  /// y = f(w * x + bias + residual); bias (outputs) and residual (as y) may be null; y may be the residual.
  virtual void convolve(const Convolution&, const float* in, const float* weights, const void* packed, const float* bias, const float* residual, float* out) = 0;
  /// Each input element adds its filter to the output at its index * stride - pad.
  virtual void convolve_transposed(const Convolution&, const float* in, const float* weights, const void* packed, const float* bias, float* out) = 0;
  /// f32; the maximum of i8 and u8 too. indices (of maxima, into all planes) may be null.
  virtual void pool(const Pool&, Element element, const void* in, void* out, std::int64_t* indices) = 0;
  virtual void resample(const Resample&, const float* in, float* out) = 0;
  virtual void grid_sample(const GridSample&, const float* in, const float* grid, float* out) = 0;
  virtual void recur(const Recurrent&, const RecurrentTensors&) = 0;
  /// mask may be null.
  virtual void attend(const Attention&, const float* q, const float* k, const float* v, const float* mask, float* out) = 0;
};

}  // namespace lectern
