// The operations of a language model, one pure virtual each, as coarse as fused kernels want them. C++17: the CUDA sources
// see this file.
//
// Every `float*` is memory of the backend and holds rows, one a token, one after the other. Arithmetic is in float or
// wider. Promise of every op: what a row becomes depends on that row alone (and on the KV cache, and on whether it is one
// of Batch::decode_rows), bit for bit, never on which other rows are in the pass, how many there are, or which thread took
// them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/backend.h"
#include "backend/token_rule.h"
#include "cancel.h"
#include "tensor/tensor.h"

namespace lectern {

/// A matrix, or `count` of one shape (experts), as the backend keeps it: repacked, on its device.
struct Matrix {
  DType dtype;
  std::int32_t rows;     // outputs
  std::int32_t columns;  // inputs
  std::int32_t count;
  const void* data;
};

/// y = W x + bias.
struct Linear {
  Matrix weight;
  const float* bias;  // (rows), or null
};

/// RMS norm when bias is null: y = x / sqrt(mean(x^2) + epsilon) * weight. Layer norm otherwise:
/// y = (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * weight + bias.
struct Norm {
  const float* weight;
  const float* bias;
  float epsilon;
};

/// Rotation of positions: of each head's first `rotated` elements pair i turns by position * frequencies[i], times magnitude.
struct Rope {
  const double* frequencies;  // host memory, (rotated / 2)
  int rotated;                // 0: no rotation
  float magnitude;
  bool adjacent;  // pairs (2i, 2i + 1) as llama has them; else (i, i + rotated / 2)
};

/// The rows of one pass, in host memory. Rows of one slot follow one another, positions rising by one.
///
/// A cell is the index of a key and value in a slot's KV cache. In a decoder it is the position; an encoder's texts lie in one
/// slot side by side, each from a multiple of 64 cells on.
struct Batch {
  int rows;
  /// The first rows are decode rows: the next token of a sequence, and behind it in the same slot the tokens of a draft that the pass verifies. A device that reads weights once for a few rows (GEMV) and one
  /// that works in tiles (GEMM) sum in different orders; whether a row is a decode row, and not how many there are, decides its order.
  int decode_rows;
  const std::int32_t* tokens;     // (rows)
  const std::int32_t* slots;      // (rows) whose sequence of the KV cache the row belongs to
  const std::int32_t* positions;  // (rows) from 0, in the text
  const std::int32_t* cells;      // (rows) where the row's key and value go
  const std::int32_t* first;      // (rows) below visible: the row attends to the cells first .. visible - 1 of its slot
  const std::int32_t* visible;    // (rows)
  bool watched = false;           // the host downloads between the ops: each must be complete before the next
  /// Once it is requested, ops may skip work that has not begun: the result of the pass is discarded. Null where the pass cannot be cancelled.
  const Cancel* cancel = nullptr;
  /// (rows) In the place of `first` and `visible` where AttentionReach::local; null in models without such layers.
  const std::int32_t* local_first = nullptr;
  const std::int32_t* local_visible = nullptr;
};

/// A part of the batch that begin() announced.
struct Rows {
  int first;
  int count;
};

/// The keys and values of `slots` sequences of up to `positions` tokens, a number of layers deep; f16 or f32.
struct KvShape {
  int layers;
  int slots;
  int positions;
  int heads;
  int head_size;
  DType dtype;
};

/// The memory layout is private to the backend.
struct Kv {
  KvShape shape;
  void* data;
};

struct AttentionWeights {
  Norm norm;  // before the projections; weight null where there is none
  Linear query, key, value;
  const float* query_norm;  // (head_size) RMS norm of each head before the rotation, with norm.epsilon; or null
  const float* key_norm;
  int heads;  // of the query; a multiple of the KV heads, which share them in order
  bool second_rope = false;  // of the two that begin() was given
};

/// What a layer's queries attend to, and how.
struct AttentionReach {
  bool local = false;  // cells Batch::local_first .. local_visible - 1
  float cap = 0.0F;    // a score s becomes cap * tanh(s / cap); 0: it stays as it is
  /// (heads) ALiBi: the score of cell p for a row at cell c loses slopes[h] * |c - p|, after the cap; or null.
  const float* slopes = nullptr;
  /// (heads) Attention sinks: each head's softmax has one more score, sinks[h], whose value is zero; or null.
  const float* sinks = nullptr;
};

/// What a gated product makes of a gate z and of the up value u beside it.
enum class Activation {
  silu,            // z / (1 + exp(-z)) * u
  gelu_tanh,       // z / 2 * (1 + tanh(sqrt(2 / pi) * (z + 0.044715 z^3))) * u
  gelu,            // z / 2 * (1 + erf(z / sqrt(2))) * u
  clamped_swiglu,  // of gpt-oss: z' / (1 + exp(-1.702 z')) * (u' + 1), z' = min(z, 7), u' = u clamped to -7 .. 7
};
/// Of clamped_swiglu.
constexpr float swiglu_slope = 1.702F;
constexpr float swiglu_limit = 7.0F;

struct GatedWeights {
  Norm norm;
  Matrix gate, up;
  Activation activation = Activation::silu;
};

struct ExpertWeights {
  Norm norm;
  Matrix router;          // (experts, n_embd), float
  Matrix gate, up, down;  // `count` experts each
  int used;               // experts per token
  Activation activation = Activation::silu;
  const float* router_bias = nullptr;  // (experts) or null
  const float* gate_bias = nullptr;    // (experts, rows of gate), and so on; all three or none
  const float* up_bias = nullptr;
  const float* down_bias = nullptr;
};

/// Rows that an op left beside its floats in the form that the next product reads (quantised or packed), as a value that the caller hands from the one op to the next. Empty where an op left
/// nothing.
///
/// It is valid for the op that directly follows the one that returned it, if that op reads the same rows; every other op ignores it and reads the floats. So no op can read rows that
/// were overwritten.
struct PreparedRows {
  const float* rows = nullptr;  // the tensor that was prepared
  int columns = 0;              // of the tensor
  const float* norm = nullptr;  // weights of the norm that the rows were prepared for, or null
  int buffer = 0;               // where the backend keeps them, in its own numbers; 0: nowhere
  std::uint64_t generation = 0;  // counts the backend's ops
};

enum class Pooling { mean, first, last };

/// What the largest pass may need; all memory of the ops is sized by it.
struct OpsShape {
  int rows;          // per pass
  int part_rows;     // of one op, but for begin() and pool()
  int columns;       // the longest input of any matrix
  int outputs;       // the longest output of any matrix but that of logits()
  int logit_rows;    // of logits()
  int vocabulary;    // columns of the logits that tokens are chosen from; 0: none are
  int heads;         // of the query
  int rotated;       // of Rope
  int experts;       // 0 without
  int experts_used;
  int threads;       // on the CPU; 0: one per processor
  KvShape kv;
  bool records = true;  // a device may record decode passes (CUDA graphs) and launch each as one
  bool local_layers = false;  // begin() gets a second rotation, and batches have local_first
};

enum class Op { table, linear, gated, experts, attention };

class Ops {
 public:
  virtual ~Ops() = default;

  /// Whether an op takes weights (of attention: keys and values) of this type. Asked at load.
  virtual bool supports(Op op, DType dtype) const = 0;

  // --- Load. What is placed lives as long as the ops. Each throws Error `out_of_memory`. ---

  /// `parts` are (columns, rows) matrices of one shape and type. Their bytes are not read again afterwards.
  virtual Matrix load_matrix(const Tensor* parts, int count) = 0;
  /// A matrix whose rows are looked up by number. Its bytes must stay readable.
  virtual Matrix load_table(const Tensor& table) = 0;
  virtual const float* load_vector(const float* values, std::size_t count) = 0;
  virtual std::size_t kv_bytes(const KvShape& shape) const = 0;

  // --- A pass: begin, ops in order, end. Between them a backend may queue, record and replay: results are there after
  //     Backend::download or synchronise. Nothing is allocated. ---

  /// Rows are at most OpsShape::rows, their numbers in range. The arrays may be reused after end(). `second`: the rotation of layers with AttentionWeights::second_rope; of no more
  /// elements than `rope`.
  virtual void begin(const Batch& batch, const Rope& rope, const Rope& second = {}) = 0;
  virtual void end() = 0;

  /// x[r] = scale * table[token of r].  x: (rows, columns)
  virtual void embed(const Matrix& table, Rows rows, float* x, float scale = 1.0F) = 0;

  /// x[r] += positions[position of r] + type_row, either may be absent (data or type_row null; positions.columns is needed all the same).
  virtual void add_positions(const Matrix& positions, const float* type_row, Rows rows, float* x) = 0;

  /// q[r] = rotated, head-normed Wq norm(x[r]) + bias, scaled by 1 / sqrt(head_size); the same of k (not scaled) and v go
  /// to layer `layer` of the cache at the row's slot and cell.
  /// x: (rows, n_embd); q: (rows, heads * head_size), not x. `prepared`: x, as the op before left it.
  virtual void project_attention(const AttentionWeights& weights, Rows rows, const float* x, float* q, const Kv& kv, int layer, const PreparedRows& prepared = {}) = 0;

  /// out[r, h] = sum over the visible cells p of softmax_p(q[r, h] . k[p, h']) v[p, h'], h' = h / (heads / KV heads).
  /// out: as q, may be q. Returns out prepared for project_add().
  virtual PreparedRows attend(int heads, Rows rows, const float* q, const Kv& kv, int layer, float* out, const AttentionReach& reach = {}) = 0;

  /// out[r] = W in[r] + bias.  in: (rows, columns); out: (rows, rows of W), not in. `prepared`: `in`, as the op before left it.
  virtual void project(const Linear& weights, int rows, const float* in, float* out, const PreparedRows& prepared = {}) = 0;

  /// x[r] += norm(in[r]).  in, x: (rows, columns)
  virtual void add_normed(const Norm& norm, int rows, int columns, const float* in, float* x) = 0;

  /// x[r] += W in[r] + bias.  in: (rows, columns); x: (rows, rows of W), not in. `prepared`: `in`, as the op before left it.
  /// `next`: the norm of the gated() or project_attention() that reads x next, or null. Returns x prepared for that.
  virtual PreparedRows project_add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows& prepared = {}, const Norm* next = nullptr) = 0;

  /// out[r] = activation(Wgate n, Wup n), n = norm(x[r]).  out: (rows, rows of Wgate), not x. `prepared`: x, as the op before left it. Returns out prepared
  /// for project_add().
  virtual PreparedRows gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows& prepared = {}) = 0;

  /// out[r] = gelu(W x[r] + bias), gelu(z) = z / 2 * (1 + erf(z / sqrt(2))).  out: (rows, rows of W), not x.
  virtual void project_gelu(const Linear& weights, int rows, const float* x, float* out, const PreparedRows& prepared = {}) = 0;

  /// x[r] += Wdown gelu(Wup x[r] + bias) + bias.  hidden: memory of (rows, rows of Wup), whose contents mean nothing afterwards.
  virtual void project_gelu_add(const Linear& up, const Linear& down, int rows, float* hidden, float* x, const PreparedRows& prepared = {}) {
    project_gelu(up, rows, x, hidden, prepared);
    project_add(down, rows, hidden, x);
  }

  /// x[r] += sum over the best `used` experts e of w_e (Wdown_e activation(Wgate_e n + bias, Wup_e n + bias) + bias), n = norm(x[r]); w = softmax
  /// over all experts of Wrouter n + bias, those kept divided by their sum. Of equal weights the first counts as better.
  virtual void experts(const ExpertWeights& weights, int rows, float* x) = 0;

  /// x[r] = norm(x[r]), in place.  x: (rows, columns). Returns x prepared for a product without a norm.
  virtual PreparedRows normalise(const Norm& norm, int rows, int columns, float* x) = 0;

  /// logits[i] = W norm(x[chosen[i]]).  chosen: host memory, (count); logits: (count, rows of W)
  virtual void logits(const Norm& norm, const Matrix& weights, const std::int32_t* chosen, int count, const float* x, float* logits) = 0;

  /// values[i] = cap * tanh(values[i] / cap)
  virtual void cap_values(float cap, std::size_t count, float* values) = 0;

  /// Whether choose_tokens() takes this rule. A device that is as near to the caller as its memory leaves choices to him.
  virtual bool chooses(const TokenRule&) const { return false; }

  /// choices[i]: what rules[i], each taken by chooses(), chooses from its row of the logits (logit_rows, OpsShape::vocabulary), by the
  /// definition in sampling.h. Outside of passes, at most one rule a row; rules and choices are of the host, and the choices are there when
  /// it returns. Throws Error `device_lost`.
  virtual void choose_tokens(const TokenRule* rules, int count, const float* logits, TokenChoice* choices) {
    static_cast<void>(rules), static_cast<void>(count), static_cast<void>(logits), static_cast<void>(choices);
  }

  /// out = the mean, the first or the last of x's rows.  x: (rows, columns)
  virtual void pool(Pooling pooling, int rows, int columns, const float* x, float* out) = 0;

  /// Copies positions 0 .. count - 1 of every layer from one slot to another. Outside of passes too.
  virtual void copy_positions(const Kv& kv, int from_slot, int to_slot, int count) = 0;
};

}  // namespace lectern
