// The fast implementation of the operations on this processor: repacked weights, rows quantised to 8 bits, threads.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "backend/instructions.h"
#include "backend/ops.h"
#include "cpu/kernels/kernels.h"
#include "cpu/threads.h"

namespace lectern::cpu {

/// Uses the kernels of `level`, which the processor must have.
std::unique_ptr<Ops> make_fast_ops(const OpsShape& shape, Instructions level);

bool fast_supports(Op op, DType dtype);
/// The memory that FastOps allocates when it is made, that a matrix (or `count` of one shape) takes, and that a cache takes.
std::size_t fast_ops_bytes(const OpsShape& shape);
std::size_t packed_matrix_bytes(DType dtype, std::int64_t rows, std::int64_t columns, int count);
std::size_t fast_kv_bytes(const KvShape& shape);

/// Zeroed memory, in large pages if the system has them.
class LargeMemory {
 public:
  explicit LargeMemory(std::size_t bytes);
  ~LargeMemory();
  LargeMemory(LargeMemory&& other) noexcept;
  LargeMemory& operator=(LargeMemory&&) = delete;

  std::byte* data() const { return data_; }
  float* floats() const { return reinterpret_cast<float*>(data_); }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// The object to which Matrix::data points.
struct PackedMatrix {
  DType dtype;
  int rows;
  int columns;
  std::size_t group_bytes;
  std::size_t part_bytes;  // of one expert
  LargeMemory memory;
};

class FastOps final : public Ops {
 public:
  FastOps(const OpsShape& shape, const Kernels& kernels);

  bool supports(Op op, DType dtype) const override { return fast_supports(op, dtype); }
  Matrix load_matrix(const Tensor* parts, int count) override;
  Matrix load_table(const Tensor& table) override;
  const float* load_vector(const float* values, std::size_t count) override;
  std::size_t kv_bytes(const KvShape& shape) const override { return fast_kv_bytes(shape); }

  void begin(const Batch& batch, const Rope& rope, const Rope& second) override;
  void end() override {}
  void embed(const Matrix& table, Rows rows, float* x, float scale) override;
  void add_positions(const Matrix& positions, const float* type_row, Rows rows, float* x) override;
  void project_attention(const AttentionWeights& weights, Rows rows, const float* x, float* q, const Kv& kv, int layer, const PreparedRows& prepared) override;
  PreparedRows attend(int heads, Rows rows, const float* q, const Kv& kv, int layer, float* out, const AttentionReach& reach) override;
  void project(const Linear& weights, int rows, const float* in, float* out, const PreparedRows& prepared) override;
  void add_normed(const Norm& norm, int rows, int columns, const float* in, float* x) override;
  void cap_values(float cap, std::size_t count, float* values) override;
  PreparedRows project_add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows& prepared, const Norm* next) override;
  PreparedRows gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows& prepared) override;
  void project_gelu(const Linear& weights, int rows, const float* x, float* out, const PreparedRows& prepared) override;
  void experts(const ExpertWeights& weights, int rows, float* x) override;
  PreparedRows normalise(const Norm& norm, int rows, int columns, float* x) override;
  void logits(const Norm& norm, const Matrix& weights, const std::int32_t* chosen, int count, const float* x, float* logits) override;
  void pool(Pooling pooling, int rows, int columns, const float* x, float* out) override;
  void copy_positions(const Kv& kv, int from_slot, int to_slot, int count) override;

 private:
  struct AttentionPart {
    int first;
    int rows;
    int head;  // of the keys and values
  };

  /// Buffers of one thread.
  struct Scratch {
    LargeMemory products;  // two of products_floats_
    std::vector<float> row;
    std::vector<const float*> queries;
    std::vector<float*> outs;
    std::vector<std::int32_t> first, visible, cells;
    std::vector<float> slopes, sinks;
  };

  /// Runs work(part, thread) on all threads, as Threads::each does, until the pass is cancelled. After that only parts that have begun are completed.
  template <class Work>
  void each_part(int parts, Work& work);
  /// The same for rows; too few rows stay on the calling thread.
  template <class Work>
  void each_row(int rows, Work& work);
  /// Prepares rows(0) .. rows(count - 1) as the input of matrices of these types, normalised first if `norm` has a weight.
  template <class RowAt>
  void prepare(const Norm& norm, int count, int columns, std::initializer_list<const PackedMatrix*> readers, RowAt row_at);
  /// Multiplies the prepared rows with `groups` groups of part `part`, to out (count, 16 * groups).
  void multiply(const PackedMatrix& matrix, int part, int first_group, int groups, int count, float* out) const;
  /// Calls finish(matrix, row, column, n, values) for n columns of a row at a time, until all columns of all matrices are done.
  template <class Finish>
  void multiply_all(std::initializer_list<const PackedMatrix*> matrices, int part, int count, Finish finish);
  /// What gate_all() multiplies and how: part `part` of both matrices, plus biases of that part or null.
  struct GatedPart {
    const PackedMatrix& gate;
    const PackedMatrix& up;
    lectern::Activation activation;
    int part = 0;
    const float* gate_bias = nullptr;
    const float* up_bias = nullptr;
  };
  void gate_all(const GatedPart& work, int count, float* out);
  int chunk_groups(int groups, int count) const;

  void split_rows(const Norm& norm, const std::int32_t* chosen, int count, int columns, const float* x, float* out);

  void finish_attention_row(const AttentionWeights& weights, int row, float* qkv, float* q, const Kv& kv, int layer, float* head_scratch) const;
  void turn(bool second, int row, float* head) const;
  void attend_part(const AttentionPart& part, int group, int heads, const float* q, const Kv& kv, int layer, const AttentionReach& reach, float* out, Scratch& scratch) const;

  void route(const ExpertWeights& weights, int rows);
  void run_expert(const ExpertWeights& weights, int expert, int rows);

  OpsShape shape_;
  const Kernels& kernels_;
  Threads threads_;
  std::deque<PackedMatrix> packed_;
  std::deque<Tensor> tables_;
  std::deque<std::vector<float>> vectors_;

  Batch batch_{};
  Rope ropes_[2]{};
  std::size_t products_floats_;
  std::vector<Scratch> scratch_;         // by thread
  LargeMemory quantised_;                // (part_rows or twice logit_rows, columns), laid out as in kernels.h
  LargeMemory wide_;                     // (part_rows or twice logit_rows, columns), laid out as in kernels.h
  LargeMemory floats_;                   // (part_rows or twice logit_rows, columns), laid out as in kernels.h
  LargeMemory qkv_;                      // (part_rows, outputs of all three)
  LargeMemory logit_rows_;               // (2 * logit_rows, columns)
  std::vector<float> cosines_[2], sines_[2];  // of each rotation (rows, rotated / 2)
  std::vector<AttentionPart> attention_parts_;
  LargeMemory expert_rows_;              // (part_rows, columns) normalised
  LargeMemory expert_hidden_;            // (part_rows, outputs)
  LargeMemory expert_out_;               // (part_rows * used, columns)
  std::vector<float> expert_scores_;     // (part_rows, experts)
  std::vector<int> chosen_;              // (part_rows * used)
  std::vector<float> chosen_weights_;    // (part_rows * used)
  std::vector<int> expert_list_;         // places in chosen_ of the rows of one expert
};

}  // namespace lectern::cpu
