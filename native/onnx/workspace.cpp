#include "onnx/workspace.h"

namespace lectern::onnx {

Workspace::Workspace(Backend& backend, Backend& host, int threads, std::size_t most_bytes)
    : backend_(backend), ops_(backend.make_graph_ops(threads)), host_ops_(ops_->reads_host_memory() ? nullptr : host.make_graph_ops(threads)), most_bytes_(most_bytes) {}

std::shared_ptr<const void> Workspace::place(const Array& array, bool lasting) {
  if (ops_->reads_host_memory()) return {array.bytes, array.data()};
  if (lasting) {
    const auto entry = placed_.find(array.data());
    if (entry != placed_.end()) return entry->second.second;
  }
  auto memory = std::make_shared<Memory>(backend_, array.bytes->size());
  backend_.upload(memory->data(), array.data(), array.bytes->size());
  std::shared_ptr<const void> placed(memory, memory->data());
  if (lasting) placed_.emplace(array.data(), std::pair(array, placed));
  return placed;
}

const void* Workspace::packed_filter(const Array& weights, const Filter& filter, bool transposed) {
  const Key key(weights.data(), transposed ? 1 : 0,
                {filter.outputs, filter.inputs, filter.groups, filter.kernel[0], filter.kernel[1], filter.strides[0], filter.strides[1], filter.dilations[0], filter.dilations[1]});
  const auto entry = packed_.find(key);
  if (entry != packed_.end()) return entry->second.packed;
  const void* packed = ops_->pack_filter(filter, weights.as<float>().data(), transposed);
  packed_.emplace(key, Packed{weights, packed});
  return packed;
}

const void* Workspace::packed_matrix(const Array& weights, std::int64_t inner, std::int64_t columns, bool transposed) {
  const Key key(weights.data(), transposed ? 3 : 2, {inner, columns});
  const auto entry = packed_.find(key);
  if (entry != packed_.end()) return entry->second.packed;
  const void* packed = ops_->pack_matrix(inner, columns, transposed, weights.as<float>().data());
  packed_.emplace(key, Packed{weights, packed});
  return packed;
}

}  // namespace lectern::onnx
