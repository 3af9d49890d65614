#include "llm/kv_cache.h"

#include <string>

#include "error.h"

namespace lectern::llm {
namespace {

Memory allocate(Backend& backend, const Ops& ops, const KvShape& shape, std::size_t bytes) {
  if (!ops.supports(Op::attention, shape.dtype)) {
    throw Error(ErrorCode::unsupported_format, "This device does not keep keys and values as " + std::string(info_of(shape.dtype).name) + ".");
  }
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
    : bytes_(ops.kv_bytes(shape)), memory_(allocate(backend, ops, shape, bytes_)), kv_{shape, memory_.data()} {}

}  // namespace lectern::llm
