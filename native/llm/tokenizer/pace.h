// Cancellation points of a long tokenisation.
#pragma once

#include <cstddef>

#include "cancel.h"

namespace lectern::llm {

/// Counts the units of work (characters, words, merges) that are done, and checks for cancellation after every few thousand: some tens of microseconds to a
/// millisecond, whatever the text is.
class Pace {
 public:
  static constexpr std::size_t stride = 4096;

  virtual ~Pace() = default;

  void step(std::size_t pieces = 1) {
    done_ += pieces;
    if (done_ < stride) return;
    done_ = 0;
    look();
  }

 private:
  /// May throw, which ends the work.
  virtual void look() = 0;

  std::size_t done_ = 0;
};

/// Throws Error `cancelled` once the flag is set.
class CancelPace : public Pace {
 public:
  explicit CancelPace(const Cancel& cancel) : cancel_(cancel) {}

 private:
  void look() override { cancel_.check(); }

  const Cancel& cancel_;
};

}  // namespace lectern::llm
