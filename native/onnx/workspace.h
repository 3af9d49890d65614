// The state that all graphs of one network share: the operations, the placed constants, and the limits.
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
  /// `host` computes on the processor the values that are known at planning. It may be the same backend. Both must outlive this object.
  /// Throws Error `invalid_state` if `host` is not a processor.
  Workspace(Backend& backend, Backend& host, int threads, Precision precision, std::size_t most_bytes);

  GraphOps& ops() { return *ops_; }
  GraphOps& host_ops() { return host_ops_ ? *host_ops_ : *ops_; }
  Backend& backend() { return backend_; }
  /// Memory of the backend. After its last holder has ended it returns to a pool, which hands it out again with its old contents: a repeated run allocates nothing.
  std::shared_ptr<void> memory(std::size_t bytes);
  /// The bytes that this many elements take in the backend's memory.
  std::size_t bytes(Element element, std::int64_t count) const { return static_cast<std::size_t>(count) * ops_->stored_bytes(element); }
  std::shared_ptr<const void> upload(Element element, std::int64_t count, const void* from);
  /// Waits for all earlier work.
  void download(Element element, std::int64_t count, const void* from, void* to);
  /// The limit of all memory that runs hold at once beside the weights: plans, loop-carried values, inputs and outputs in transfer, and scratch memory of threads.
  std::size_t most_bytes() const { return most_bytes_; }
  /// Like memory(), but of exactly this size, and freed with its last holder: the arena of one plan.
  std::shared_ptr<void> arena(std::size_t bytes);
  /// Counts memory that the caller allocates itself, until the returned handle is destroyed. Throws Error `too_large`.
  std::shared_ptr<void> counted(std::size_t bytes);

  /// Places the array where the operations can read it. `lasting`: a constant of the file, which all plans share.
  std::shared_ptr<const void> place(const Array& array, bool lasting);
  const void* packed_filter(const Array& weights, const Filter& filter, bool transposed);
  const void* packed_matrix(const Array& weights, std::int64_t inner, std::int64_t columns, bool transposed);
  const void* packed_recurrent(const Array& weights, const Array& recurrence, const Recurrent& recurrent);

 private:
  using Key = std::tuple<const void*, int, std::array<std::int64_t, 9>>;
  struct Packed {
    Array weights;  // keeps the address alive that is the key
    const void* packed;
    Array recurrence{};  // also
  };

  /// The returned memory, by size. Memory still in use keeps the pool alive after the workspace has ended.
  struct Spare {
    std::multimap<std::size_t, Memory> pieces;
    std::size_t bytes = 0;
    std::size_t held_bytes = 0;  // of arenas and blocks in use, without spare ones
  };

  /// Counts this many bytes as held, and frees spare blocks if necessary. Throws Error `too_large` above most_bytes().
  void hold(std::size_t bytes);

  /// Copies to memory of the backend, in its representation of such elements.
  void store(Element element, std::int64_t count, const void* from, void* to);
  bool converts(Element element) const { return ops_->stored_bytes(element) != bytes_of(element); }

  Backend& backend_;
  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
  std::unique_ptr<GraphOps> ops_;
  std::unique_ptr<GraphOps> host_ops_;  // null if ops_ works on the processor
  std::size_t most_bytes_;
  std::shared_ptr<void> scratch_;  // of ops_
  std::map<Key, Packed> packed_;
  std::unordered_map<const void*, std::pair<Array, std::shared_ptr<const void>>> placed_;
};

}  // namespace lectern::onnx
