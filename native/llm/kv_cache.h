// The keys and values of every slot, sized once at load. prefix_reuse.h decides which of them a prompt can use again.
#pragma once

#include "backend/backend.h"
#include "backend/ops.h"

namespace lectern::llm {

class KvCache {
 public:
  /// Allocates all of it. Throws Error `out_of_memory` with the size.
  KvCache(Backend& backend, Ops& ops, const KvShape& shape);

  const Kv& kv() const { return kv_; }
  const KvShape& shape() const { return kv_.shape; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  Memory memory_;
  Kv kv_;
};

}  // namespace lectern::llm
