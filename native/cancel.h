// The one flag by which a caller stops a job. It stands beside the errors, below every room that loops.
#pragma once

#include <atomic>

#include "error.h"

namespace lectern {

/// Set from any thread, read by the job at every step that takes around a millisecond. Never unset.
class Cancel {
 public:
  // Relaxed: the flag carries no data, and a step that misses it is followed by one that sees it.
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

  /// Throws Error `cancelled` once the flag is set.
  void check() const {
    if (requested()) throw Error(ErrorCode::cancelled, "The work was cancelled.");
  }

 private:
  std::atomic<bool> requested_{false};
};

}  // namespace lectern
