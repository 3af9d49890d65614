// Ranked places of a text, least first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "llm/tokenizer/pace.h"

namespace lectern::llm {

/// A queue of keys. What is pushed before the first pop is sorted once; only what comes later goes through a heap, and that is sorted too when the first part is
/// used up: long runs of one letter, where a heap is slow, come in order.
class PlaceQueue {
 public:
  /// `pace`, which must outlive this, is stepped through while keys are sorted.
  explicit PlaceQueue(Pace& pace) : pace_(pace) {}
  void push(std::uint64_t key);
  /// False when empty; the queue then begins anew.
  bool pop(std::uint64_t& key);

 private:
  void settle();
  void sort();

  Pace& pace_;
  bool filling_ = true;
  std::vector<std::uint64_t> sorted_;
  std::size_t at_ = 0;
  std::vector<std::uint64_t> heap_;
  std::vector<std::uint64_t> scratch_;
};

}  // namespace lectern::llm
