// The queue of merges that a tokenizer may still apply to a text, lowest rank first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "llm/tokenizer/pace.h"

namespace lectern::llm {

/// A queue of keys: the rank of a merge in the upper 32 bits, the position of its left piece in the lower. pop() returns the least key, that is the merge of
/// the lowest rank, of equal ones the leftmost.
///
/// Keys pushed before the first pop() are sorted once. Later ones go into a binary heap. When the sorted keys are used up, the keys of the heap are sorted and take their place: in a long
/// run of one letter, where a heap would cost log n for each merge, they arrive in order and need no sort.
class MergeQueue {
 public:
  /// `pace` must outlive the queue. Sorting reports its work to it, so that a cancelled tokenisation also ends there: pop() throws what the pace throws.
  explicit MergeQueue(Pace& pace) : pace_(pace) {}
  void push(std::uint64_t key);
  /// Returns false when the queue is empty. The next push() then begins a new set of keys to sort.
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
