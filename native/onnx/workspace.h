// The state that all graphs of one network share: the operations, where constants lie, and the limits.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "backend/backend.h"
#include "backend/graph_ops.h"
#include "backend/precision.h"
#include "onnx/array.h"

namespace lectern::onnx {

class Workspace {
 public:
  /// `host` works on the processor: it computes what is known while planning. May be of the same backend. Both must outlive this.
  /// Throws Error `invalid_state` where `host` is no processor.
  Workspace(Backend& backend, Backend& host, int threads, Precision precision, std::size_t most_bytes);

  GraphOps& ops() { return *ops_; }
  GraphOps& host_ops() { return host_ops_ ? *host_ops_ : *ops_; }
  Backend& backend() { return backend_; }
  /// Memory of the backend. It returns to a pool when its last holder ends and is handed out again, with its old contents: a repeated run allocates nothing.
  std::shared_ptr<void> memory(std::size_t bytes);
  /// What so many elements take in the backend's memory.
  std::size_t bytes(Element element, std::int64_t count) const { return static_cast<std::size_t>(count) * ops_->stored_bytes(element); }
  std::shared_ptr<const void> upload(Element element, std::int64_t count, const void* from);
  /// Waits for all work before it.
  void download(Element element, std::int64_t count, const void* from, void* to);
  /// Of all that runs hold at once beside the weights: the memory of all plans, what loops carry, inputs and outputs on their way, what threads compute in.
  std::size_t most_bytes() const { return most_bytes_; }
  /// The same memory as memory(), but of exactly this size and back with its last holder: for what one plan computes in.
  std::shared_ptr<void> arena(std::size_t bytes);
  /// Counts memory that the caller allocates itself, until the returned handle is destroyed. Throws Error `too_large`.
  std::shared_ptr<void> counted(std::size_t bytes);

  /// The array where the operations can read it. `lasting`: a constant of the file, kept for all plans.
  std::shared_ptr<const void> place(const Array& array, bool lasting);
  const void* packed_filter(const Array& weights, const Filter& filter, bool transposed);
  const void* packed_matrix(const Array& weights, std::int64_t inner, std::int64_t columns, bool transposed);
  const void* packed_recurrent(const Array& weights, const Array& recurrence, const Recurrent& recurrent);

 private:
  using Key = std::tuple<const void*, int, std::array<std::int64_t, 9>>;
  struct Packed {
    Array weights;  // holds the address that is the key
    const void* packed;
    Array recurrence{};  // the same
  };

  /// What was given back, by size. Outlives the workspace in what is still held.
  struct Spare {
    std::multimap<std::size_t, Memory> pieces;
    std::size_t bytes = 0;
    std::size_t held_bytes = 0;  // of arenas and blocks that are in use; without the spare ones
  };

  /// Counts so many bytes as held; spare pieces go where they are in the way. Throws Error `too_large` beyond most_bytes().
  void hold(std::size_t bytes);

  /// Into memory of the backend, as it keeps such elements.
  void store(Element element, std::int64_t count, const void* from, void* to);
  bool converts(Element element) const { return ops_->stored_bytes(element) != bytes_of(element); }

  Backend& backend_;
  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
  std::unique_ptr<GraphOps> ops_;
  std::unique_ptr<GraphOps> host_ops_;  // null where ops_ works on the processor
  std::size_t most_bytes_;
  std::shared_ptr<void> scratch_;  // of ops_
  std::map<Key, Packed> packed_;
  std::unordered_map<const void*, std::pair<Array, std::shared_ptr<const void>>> placed_;
};

}  // namespace lectern::onnx
