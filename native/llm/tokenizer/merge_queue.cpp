#include "llm/tokenizer/merge_queue.h"

#include <algorithm>
#include <array>
#include <functional>

namespace lectern::llm {
namespace {

constexpr unsigned digit_bits = 11;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
/// Below so many keys std::sort is faster than a radix sort, each of whose six passes counts the keys of 2,048 digit values.
constexpr std::size_t few_keys = 4096;

std::size_t digit(std::uint64_t key, unsigned shift) { return static_cast<std::size_t>(key >> shift) & (digit_values - 1); }

/// One pass of a radix sort by the digit at bit `shift`. Leaves `keys` as they are where all have the same digit.
void sort_by_digit(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& scratch, unsigned shift) {
  std::array<std::size_t, digit_values> places{};
  for (const std::uint64_t key : keys) places[digit(key, shift)]++;
  if (places[digit(keys.front(), shift)] == keys.size()) return;
  std::size_t before = 0;
  for (std::size_t& place : places) {
    const std::size_t count = place;
    place = before;
    before += count;
  }
  scratch.resize(keys.size());
  for (const std::uint64_t key : keys) scratch[places[digit(key, shift)]++] = key;
  keys.swap(scratch);
}

}  // namespace

void MergeQueue::push(std::uint64_t key) {
  heap_.push_back(key);
  if (!filling_) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

bool MergeQueue::pop(std::uint64_t& key) {
  if (filling_ || at_ == sorted_.size()) settle();
  if (sorted_.empty()) {
    filling_ = true;
    return false;
  }
  if (heap_.empty() || sorted_[at_] <= heap_.front()) {
    key = sorted_[at_++];
    return true;
  }
  key = heap_.front();
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
  heap_.pop_back();
  return true;
}

void MergeQueue::settle() {
  filling_ = false;
  sorted_.swap(heap_);
  heap_.clear();
  at_ = 0;
  if (!std::is_sorted(sorted_.begin(), sorted_.end())) sort();
}

void MergeQueue::sort() {
  if (sorted_.size() < few_keys) {
    std::sort(sorted_.begin(), sorted_.end());
    return;
  }
  for (unsigned shift = 0; shift < 64; shift += digit_bits) {
    pace_.step(sorted_.size());
    sort_by_digit(sorted_, scratch_, shift);
  }
}

}  // namespace lectern::llm
