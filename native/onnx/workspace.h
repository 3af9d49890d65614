// What all graphs of one network share: the operations, where constants lie, and the bounds.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "backend/backend.h"
#include "backend/graph_ops.h"
#include "onnx/array.h"

namespace lectern::onnx {

class Workspace {
 public:
  /// `host` works on the processor: it computes what is known while planning. May be of the same backend. Both must outlive this.
  Workspace(Backend& backend, Backend& host, int threads, std::size_t most_bytes);

  GraphOps& ops() { return *ops_; }
  GraphOps& host_ops() { return host_ops_ ? *host_ops_ : *ops_; }
  Backend& backend() { return backend_; }
  /// Of one tensor, and of everything that one plan computes.
  std::size_t most_bytes() const { return most_bytes_; }

  /// The array where the operations can read it. `lasting`: a constant of the file, kept for all plans.
  std::shared_ptr<const void> place(const Array& array, bool lasting);
  const void* packed_filter(const Array& weights, const Filter& filter, bool transposed);
  const void* packed_matrix(const Array& weights, std::int64_t inner, std::int64_t columns, bool transposed);

 private:
  using Key = std::tuple<const void*, int, std::array<std::int64_t, 9>>;
  struct Packed {
    Array weights;  // holds the address that is the key
    const void* packed;
  };

  Backend& backend_;
  std::unique_ptr<GraphOps> ops_;
  std::unique_ptr<GraphOps> host_ops_;  // null where ops_ works on the processor
  std::size_t most_bytes_;
  std::map<Key, Packed> packed_;
  std::unordered_map<const void*, std::pair<Array, std::shared_ptr<const void>>> placed_;
};

}  // namespace lectern::onnx
