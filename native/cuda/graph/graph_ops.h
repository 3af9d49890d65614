// The operations of ONNX networks on one device: the class, whose members are compiled in units/graph_*.cu. C++17.
//
// Floats are stored as f32 or, in the fastest precision, as f16; sums and functions are f32 in both cases. The order of every sum
// depends on nothing but its length.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "backend/backend.h"
#include "backend/graph_ops.h"
#include "cuda/runtime/runtime.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Tables of the host, cached on the device by their contents.
class DeviceTables {
 public:
  explicit DeviceTables(Stream stream) : stream_(stream) {}

  /// To be called before the tables of an op are requested: tables of earlier ops may be evicted.
  void begin() {
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    if (bytes_ <= most_bytes) return;
    tables_.clear();
    bytes_ = 0;
  }
  template <class T>
  const T* find(const T* host, std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    std::string contents(reinterpret_cast<const char*>(host), bytes);
    auto entry = tables_.find(contents);
    if (entry == tables_.end()) {
      DeviceArray<std::uint8_t> table(bytes);
      copy_to_device(stream_, table.get(), host, bytes);
      entry = tables_.emplace(std::move(contents), std::move(table)).first;
      bytes_ += bytes;
    }
    return reinterpret_cast<const T*>(entry->second.get());
  }

 private:
  Stream stream_;
  std::unordered_map<std::string, DeviceArray<std::uint8_t>> tables_;
  std::size_t bytes_ = 0;
};

/// How the floats of an operand become f16: times `scale`, a power of two, in two parts, or in one that holds them exactly.
struct Factors {
  /// For values that are not known beforehand: magnitudes up to two millions are representable, and from 0.002 on with all 22 bits.
  float scale = 1.0F / 32.0F;
  bool single = false;
};

class DeviceGraphOps final : public GraphOps {
 public:
  /// halves: f32 tensors are stored in 16 bits.
  DeviceGraphOps(Stream stream, int multiprocessors, bool halves) : stream_(stream), multiprocessors_(multiprocessors), halves_(halves), tables_(stream) {}

  bool reads_host_memory() const override { return false; }
  std::size_t stored_bytes(Element element) const override { return halves_ && element == Element::f32 ? 2 : bytes_of(element); }
  void split_factors(bool wanted) override { splits_ = wanted && !halves_; }
  // Weights are read in their file order: the rows of a filter are the matrix. The packed data are the scale factors.
  const void* pack_filter(const Filter& filter, const float* weights, bool transposed) override {
    return transposed ? nullptr : keep_factors(filter.outputs * (filter.inputs / filter.groups) * filter.kernel[0] * filter.kernel[1], weights);
  }
  const void* pack_matrix(std::int64_t inner, std::int64_t columns, bool, const float* weights) override { return keep_factors(inner * columns, weights); }
  const void* pack_recurrent(const Recurrent&, const float*, const float*) override { return nullptr; }

  // graph_move.cu
  void keep_floats(std::int64_t count, const float* in, void* out) override;
  void give_floats(std::int64_t count, const void* in, float* out) override;
  void move(const Move& move, Element element, const void* in, void* out) override;
  void fill(std::int64_t count, Element element, const std::byte* value, void* out) override;
  void take(const Take& take, Element element, const void* in, void* out) override;
  void cast(Element from, Element to, std::int64_t count, const void* in, void* out) override;
  // graph_index.cu; an index outside reads the nearest element, and is not written.
  void gather(Axis axis, Element element, std::int64_t count, const void* in, const std::int64_t* indices, void* out) override;
  void gather_elements(const Shape& in, const Shape& out, int axis, Element element, const void* data, const std::int64_t* indices, void* to) override;
  void scatter_elements(ScatterKind kind, Element element, const Shape& to_shape, const Shape& updates_shape, int axis, const std::int64_t* indices, const void* updates,
                        void* to) override;
  void gather_nd(std::int64_t batches, const Shape& sizes, std::int64_t slice, std::int64_t tuples, Element element, const void* in, const std::int64_t* indices,
                 void* out) override;
  void scatter_nd(ScatterKind kind, Element element, const Shape& sizes, std::int64_t slice, std::int64_t tuples, const std::int64_t* indices, const void* updates,
                  void* to) override;
  // graph_elementwise.cu
  void unary(Unary op, Element element, std::int64_t count, const void* in, void* out) override;
  void binary(BinaryKind kind, Element element, const Broadcast& broadcast, const void* a, const void* b, void* out) override;
  void select(const Broadcast& broadcast, Element element, const std::uint8_t* condition, const void* a, const void* b, void* out) override;
  void batch_normalise(Axis axis, float epsilon, const float* scale, const float* bias, const float* mean, const float* variance, Unary activation, const float* in,
                       float* out) override;
  // graph_axes.cu
  void reduce(const Reduction& reduction, Element element, const void* in, void* out) override;
  void find_extreme(Axis axis, Element element, bool largest, bool last, const void* in, std::int64_t* out) override;
  void cumulate(Axis axis, Element element, bool exclusive, bool reverse, const void* in, void* out) override;
  void top_k(Axis axis, Element element, std::int64_t k, bool largest, const void* in, void* values, std::int64_t* indices) override;
  // graph_norm.cu
  void softmax(Axis axis, bool logarithm, const float* in, float* out) override;
  void layer_normalise(std::int64_t rows, std::int64_t columns, float epsilon, const float* scale, const float* bias, const float* in, float* out, float* mean,
                       float* inverse_deviation) override;
  void group_normalise(Axis axis, std::int64_t groups, float epsilon, const float* scale, const float* bias, const float* in, float* out) override;
  // graph_multiply.cu
  void multiply(const lectern::Product& product, const float* a, const float* b, const void* packed, const float* bias, float* out) override;
  // graph_convolve.cu
  void convolve(const Convolution& convolution, const float* in, const float* weights, const void* packed, const float* bias, const float* residual, float* out) override;
  // graph_picture.cu
  void convolve_transposed(const Convolution& convolution, const float* in, const float* weights, const void* packed, const float* bias, float* out) override;
  void pool(const Pool& pool, Element element, const void* in, void* out, std::int64_t* indices) override;
  void resample(const Resample& resample, const float* in, float* out) override;
  void grid_sample(const GridSample& sample, const float* in, const float* grid, float* out) override;
  // graph_sequence.cu
  void recur(const Recurrent& recurrent, const RecurrentTensors& tensors) override;
  void attend(const Attention& attention, const float* q, const float* k, const float* v, const float* mask, float* out) override;

 private:
  /// Launches threads that loop over the elements 0 .. count - 1 and do not wait for each other.
  template <class... Parameters, class... Arguments>
  void each(void (*kernel)(Parameters...), std::int64_t count, Arguments... arguments);
  /// Launches blocks whose threads work together.
  template <class... Parameters, class... Arguments>
  void blocks(void (*kernel)(Parameters...), Grid grid, int threads, std::size_t shared_bytes, Arguments... arguments);
  /// graph_multiply.cu: how host constants become f16; null where they need not.
  const Factors* keep_factors(std::int64_t count, const float* constants);
  /// graph_picture.cu: a thread for each output; for filters that would leave a GEMM tile nearly empty.
  void convolve_directly(const Convolution& convolution, const float* in, const float* weights, const float* bias, const float* residual, float* out);

  Stream stream_;
  int multiprocessors_;
  bool halves_;
  bool splits_ = false;
  std::deque<Factors> factors_;  // of constants: their addresses are stored outside
  DeviceTables tables_;
};

inline std::unique_ptr<GraphOps> make_graph_ops(Stream stream, int multiprocessors, FloatStorage storage) {
  return std::make_unique<DeviceGraphOps>(stream, multiprocessors, storage == FloatStorage::fastest);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
