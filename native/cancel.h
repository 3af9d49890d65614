// The flags by which a caller stops a job, or lets it stand still. They stand beside the errors, below every room that loops.
#pragma once

#include <atomic>

#include "error.h"

namespace lectern {

/// Set from any thread, read by the job at every step that takes around a millisecond. A request to stop is never taken back.
class Cancel {
 public:
  // Relaxed: the flag carries no data, and a step that misses it is followed by one that sees it.
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

  /// Whether a generation is to decode no further for now. Other jobs do not read it.
  void hold(bool held) noexcept { held_.store(held, std::memory_order_relaxed); }
  bool held() const noexcept { return held_.load(std::memory_order_relaxed); }

  /// Throws Error `cancelled` once the flag is set.
  void check() const {
    if (requested()) throw Error(ErrorCode::cancelled, "The work was cancelled.");
  }

 private:
  std::atomic<bool> requested_{false};
  std::atomic<bool> held_{false};
};

}  // namespace lectern
