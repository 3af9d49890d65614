#include <algorithm>
#include <numeric>

#include "onnx/plan.h"

namespace lectern::onnx {

std::size_t lay_out(std::vector<Storage>& storages) {
  constexpr std::size_t alignment = 64;
  std::vector<std::size_t> order(storages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return storages[a].bytes != storages[b].bytes ? storages[a].bytes > storages[b].bytes : a < b; });
  std::vector<const Storage*> placed;  // by rising offset
  std::size_t total = 0;
  for (const std::size_t index : order) {
    Storage& storage = storages[index];
    if (storage.bytes == 0) continue;
    const std::size_t size = (storage.bytes + alignment - 1) / alignment * alignment;
    std::size_t offset = 0;
    for (const Storage* other : placed) {
      if (other->first > storage.last || other->last < storage.first) continue;
      if (offset + size <= other->offset) break;
      offset = std::max(offset, other->offset + (other->bytes + alignment - 1) / alignment * alignment);
    }
    storage.offset = offset;
    total = std::max(total, offset + size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset, [](std::size_t at, const Storage* other) { return at < other->offset; }), &storage);
  }
  return total;
}

}  // namespace lectern::onnx
