// The window of the penalties: the last tokens and how often each occurs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

class PenaltyWindow {
 public:
  /// The last `length` tokens; -1: all of them, 0: none.
  PenaltyWindow(int length, int vocabulary);

  void add(TokenId id);

  /// Each token of the window once, in no particular order.
  const std::vector<TokenId>& present() const { return present_; }
  std::uint32_t count(TokenId id) const { return entries_[static_cast<std::size_t>(id)].count; }

 private:
  struct Entry {
    std::uint32_t count = 0;
    std::uint32_t place = 0;  // in present_
  };
  void take_out(TokenId id);

  int length_;
  std::size_t vocabulary_;
  std::vector<Entry> entries_;
  std::vector<TokenId> present_;
  std::vector<TokenId> last_;  // a ring, once it is full; none where all tokens count
  std::size_t oldest_ = 0;
};

}  // namespace lectern::llm
