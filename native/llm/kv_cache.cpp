#include "llm/kv_cache.h"

#include <string>

#include "error.h"

namespace lectern::llm {
namespace {

Memory allocate(Backend& backend, const KvShape& shape, std::size_t bytes) {
  try {
    return Memory(backend, bytes);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    throw Error(ErrorCode::out_of_memory, "There is no memory for the keys and values of " + std::to_string(shape.slots) + " slots with " +
                                              std::to_string(shape.positions) + " tokens each (" + std::to_string(bytes >> 20) + " MiB).");
  }
}

}  // namespace

KvCache::KvCache(Backend& backend, Ops& ops, const KvShape& shape)
    : bytes_(ops.kv_bytes(shape)), memory_(allocate(backend, shape, bytes_)), kv_{shape, memory_.data()} {}

}  // namespace lectern::llm
