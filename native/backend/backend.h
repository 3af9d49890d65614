// A device as the place where models live: its memory, its identity and the operations it offers. C++17: the CUDA sources
// see this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "backend/device.h"

namespace lectern {

class GraphOps;
class Ops;
enum class DType : std::uint8_t;
/// How tensors of networks are kept: as the device is fastest with (CPU: floats, CUDA: halves, with sums in float), or floats.
enum class FloatStorage : std::uint8_t { fastest, floats };
enum class Op;
struct KvShape;
struct OpsShape;

/// One thread at a time, except info(). Addresses that it hands out mean something on its device only.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Device info() const = 0;

  /// Zeroed, aligned to 64 bytes. Throws Error `out_of_memory`.
  virtual void* allocate(std::size_t bytes) = 0;
  /// What allocate() gave, or null.
  virtual void release(void* memory) noexcept = 0;

  /// Copies to the device; `from` may be reused when it returns.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  /// Copies to the host, after all work queued before it.
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Waits for all queued work. Throws Error `device_lost`.
  virtual void synchronise() = 0;

  /// Rows of a pass from which on more make it no faster.
  virtual int pass_rows() const = 0;
  /// The same of an encoder, whose matrices are small.
  virtual int text_rows() const { return pass_rows(); }

  /// The operations of one language model; everything that they need beside the weights is allocated here, for the
  /// largest pass that `shape` allows. Must not outlive the backend. Throws Error `out_of_memory`.
  virtual std::unique_ptr<Ops> make_ops(const OpsShape& shape) = 0;

  /// The operations of networks from files; `threads` of the processor, 0: one for each. Must not outlive the backend.
  virtual std::unique_ptr<GraphOps> make_graph_ops(int threads, FloatStorage storage) = 0;

  // --- The memory that a model would take here; nothing is allocated. ---

  /// As Ops::supports.
  virtual bool supports(Op op, DType dtype) const = 0;
  /// Of make_ops().
  virtual std::size_t ops_bytes(const OpsShape& shape) const = 0;
  /// Of Ops::load_matrix with `count` parts of `rows` outputs and `columns` inputs.
  virtual std::size_t matrix_bytes(DType dtype, std::int64_t rows, std::int64_t columns, int count) const = 0;
  /// Of Ops::load_table.
  virtual std::size_t table_bytes(DType dtype, std::int64_t rows, std::int64_t columns) const = 0;
  /// As Ops::kv_bytes.
  virtual std::size_t kv_bytes(const KvShape& shape) const = 0;
};

/// Memory of a backend, released with its owner.
class Memory {
 public:
  Memory() = default;
  Memory(Backend& backend, std::size_t bytes) : backend_(&backend), data_(backend.allocate(bytes)) {}
  Memory(Memory&& other) noexcept
      : backend_(std::exchange(other.backend_, nullptr)), data_(std::exchange(other.data_, nullptr)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Memory() {
    if (backend_ != nullptr) backend_->release(data_);
  }

  void* data() const { return data_; }
  float* floats() const { return static_cast<float*>(data_); }

 private:
  Backend* backend_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace lectern
