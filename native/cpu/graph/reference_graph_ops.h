// The reference implementation of the operations of networks: plain loops, sums in double, one thread. The fast implementation is tested against it
// and inherits the operations that need not be fast.
#pragma once

#include <memory>

#include "backend/graph_ops.h"

namespace lectern::cpu {

class ReferenceGraphOps : public GraphOps {
 public:
  bool reads_host_memory() const override { return true; }
  std::size_t stored_bytes(Element element) const override { return bytes_of(element); }
  const void* pack_filter(const Filter&, const float*, bool) override { return nullptr; }
  const void* pack_matrix(std::int64_t, std::int64_t, bool, const float*) override { return nullptr; }
  const void* pack_recurrent(const Recurrent&, const float*, const float*) override { return nullptr; }

  void keep_floats(std::int64_t count, const float* in, void* out) override;
  void give_floats(std::int64_t count, const void* in, float* out) override;
  void move(const Move& move, Element element, const void* in, void* out) override;
  void fill(std::int64_t count, Element element, const std::byte* value, void* out) override;
  void take(const Take& take, Element element, const void* in, void* out) override;
  void cast(Element from, Element to, std::int64_t count, const void* in, void* out) override;
  void gather(Axis axis, Element element, std::int64_t count, const void* in, const std::int64_t* indices, void* out) override;
  void gather_elements(const Shape& in, const Shape& out, int axis, Element element, const void* data, const std::int64_t* indices, void* to) override;
  void scatter_elements(ScatterKind kind, Element element, const Shape& to_shape, const Shape& updates_shape, int axis, const std::int64_t* indices, const void* updates,
                        void* to) override;
  void gather_nd(std::int64_t batches, const Shape& sizes, std::int64_t slice, std::int64_t tuples, Element element, const void* in, const std::int64_t* indices,
                 void* out) override;
  void scatter_nd(ScatterKind kind, Element element, const Shape& sizes, std::int64_t slice, std::int64_t tuples, const std::int64_t* indices, const void* updates,
                  void* to) override;

  void unary(Unary op, Element element, std::int64_t count, const void* in, void* out) override;
  void binary(BinaryKind kind, Element element, const Broadcast& broadcast, const void* a, const void* b, void* out) override;
  void select(const Broadcast& broadcast, Element element, const std::uint8_t* condition, const void* a, const void* b, void* out) override;
  void batch_normalise(Axis axis, float epsilon, const float* scale, const float* bias, const float* mean, const float* variance, Unary activation, const float* in,
                       float* out) override;

  void reduce(const Reduction& reduction, Element element, const void* in, void* out) override;
  void find_extreme(Axis axis, Element element, bool largest, bool last, const void* in, std::int64_t* out) override;
  void softmax(Axis axis, bool logarithm, const float* in, float* out) override;
  void layer_normalise(std::int64_t rows, std::int64_t columns, float epsilon, const float* scale, const float* bias, const float* in, float* out, float* mean,
                       float* inverse_deviation) override;
  void group_normalise(Axis axis, std::int64_t groups, float epsilon, const float* scale, const float* bias, const float* in, float* out) override;
  void cumulate(Axis axis, Element element, bool exclusive, bool reverse, const void* in, void* out) override;
  void top_k(Axis axis, Element element, std::int64_t k, bool largest, const void* in, void* values, std::int64_t* indices) override;

  void multiply(const Product& product, const float* a, const float* b, const void* packed, const float* bias, float* out) override;
  void convolve(const Convolution& convolution, const float* in, const float* weights, const void* packed, const float* bias, const float* residual, float* out) override;
  void convolve_transposed(const Convolution& convolution, const float* in, const float* weights, const void* packed, const float* bias, float* out) override;
  void pool(const Pool& pool, Element element, const void* in, void* out, std::int64_t* indices) override;
  void resample(const Resample& resample, const float* in, float* out) override;
  void grid_sample(const GridSample& sample, const float* in, const float* grid, float* out) override;
  void recur(const Recurrent& recurrent, const RecurrentTensors& tensors) override;
  void attend(const Attention& attention, const float* q, const float* k, const float* v, const float* mask, float* out) override;
};

/// Applies an activation to one number, as unary() does.
float activate(Unary op, float x);

}  // namespace lectern::cpu
