// The fast implementation of the operations of networks on this processor. Rare and small operations are inherited from the reference.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "backend/instructions.h"
#include "cpu/graph/convolution.h"
#include "cpu/graph/matrix_product.h"
#include "cpu/graph/reference_graph_ops.h"
#include "cpu/graph/transposed_convolution.h"
#include "cpu/threads.h"

namespace lectern::cpu {

/// For each direction of an LSTM.
struct PackedRecurrent {
  std::vector<PackedProduct> weights, recurrences;
};

class FastGraphOps final : public ReferenceGraphOps {
 public:
  /// Uses the kernels of `level`, which the processor must have; threads as in Threads.
  FastGraphOps(Instructions level, int threads);

  void count_scratch(std::function<void(std::size_t bytes)> hold) override { shop_.workspace.count(std::move(hold)); }
  const void* pack_filter(const Filter& filter, const float* weights, bool transposed) override;
  const void* pack_matrix(std::int64_t inner, std::int64_t columns, bool transposed, const float* weights) override;
  const void* pack_recurrent(const Recurrent& recurrent, const float* weights, const float* recurrence) override;

  void move(const Move& move, Element element, const void* in, void* out) override;
  void take(const Take& take, Element element, const void* in, void* out) override;

  void unary(Unary op, Element element, std::int64_t count, const void* in, void* out) override;
  void binary(BinaryKind kind, Element element, const Broadcast& broadcast, const void* a, const void* b, void* out) override;
  void batch_normalise(Axis axis, float epsilon, const float* scale, const float* bias, const float* mean, const float* variance, Unary activation, const float* in,
                       float* out) override;

  void reduce(const Reduction& reduction, Element element, const void* in, void* out) override;
  void softmax(Axis axis, bool logarithm, const float* in, float* out) override;
  void layer_normalise(std::int64_t rows, std::int64_t columns, float epsilon, const float* scale, const float* bias, const float* in, float* out, float* mean,
                       float* inverse_deviation) override;

  void multiply(const Product& product, const float* a, const float* b, const void* packed, const float* bias, float* out) override;
  void convolve(const Convolution& convolution, const float* in, const float* weights, const void* packed, const float* bias, const float* residual, float* out) override;
  void convolve_transposed(const Convolution& convolution, const float* in, const float* weights, const void* packed, const float* bias, float* out) override;
  void pool(const Pool& pool, Element element, const void* in, void* out, std::int64_t* indices) override;
  void resample(const Resample& resample, const float* in, float* out) override;
  void grid_sample(const GridSample& sample, const float* in, const float* grid, float* out) override;
  void recur(const Recurrent& recurrent, const RecurrentTensors& tensors) override;
  void attend(const Attention& attention, const float* q, const float* k, const float* v, const float* mask, float* out) override;

 private:
  /// Calls work(first, count) for ranges of `count` elements, on all threads if there are enough.
  template <class Work>
  void each_piece(std::int64_t count, std::int64_t cost, Work&& work);
  /// Applies `finish` to an array.
  void finish_all(const Finish& finish, std::int64_t count, const float* in, float* out);

  void softmax_columns(const Axis& axis, int count, const float* in, float* out) const;
  /// Powers with the exponent 2 or -1; false for other exponents.
  bool raise(const Broadcast& broadcast, const float* a, const float* exponent, float* out);

  const NetworkKernels& kernels_;
  Threads threads_;
  GraphContext shop_;
  std::vector<std::unique_ptr<PackedConvolution>> filters_;
  std::vector<std::unique_ptr<PackedTransposed>> transposed_filters_;
  std::vector<std::unique_ptr<PackedProduct>> matrices_;
  std::vector<std::unique_ptr<PackedRecurrent>> recurrents_;
  std::vector<float> expanded_;  // biases and matrices in the form of the kernels
};

/// The kernels' form of a function; none if they do not have it.
bool has_finish(Unary op, Finish& finish);

/// The number of ranges for elements that cost this many steps each, for division among the threads.
template <class Work>
void FastGraphOps::each_piece(std::int64_t count, std::int64_t cost, Work&& work) {
  // Work of about 10 microseconds justifies another thread.
  constexpr std::int64_t few_steps = 64 * 1024;
  const std::int64_t parts = std::clamp<std::int64_t>(count * cost / few_steps, 1, 4 * threads_.count());
  if (parts == 1 || threads_.count() == 1) return work(std::int64_t{0}, count);
  auto part_work = [&](int part, int) {
    const std::int64_t begin = count * part / parts;
    work(begin, count * (part + 1) / parts - begin);
  };
  threads_.each(static_cast<int>(parts), part_work);
}

}  // namespace lectern::cpu
