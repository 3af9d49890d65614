#include "llm/sampling/penalty_window.h"

namespace lectern::llm {

PenaltyWindow::PenaltyWindow(int length, int vocabulary) : length_(length), vocabulary_(static_cast<std::size_t>(vocabulary)) {}

void PenaltyWindow::add(TokenId id) {
  if (length_ == 0) return;
  // Only now: many are made just to see that their options are good.
  entries_.resize(vocabulary_);
  if (length_ > 0) {
    // Grown by what comes, not made at once: the length may be any number that a client writes.
    if (last_.size() < static_cast<std::size_t>(length_)) {
      last_.push_back(id);
    } else {
      take_out(last_[oldest_]);
      last_[oldest_] = id;
      oldest_ = (oldest_ + 1) % last_.size();
    }
  }
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  if (entry.count++ > 0) return;
  entry.place = static_cast<std::uint32_t>(present_.size());
  present_.push_back(id);
}

void PenaltyWindow::take_out(TokenId id) {
  Entry& entry = entries_[static_cast<std::size_t>(id)];
  if (--entry.count > 0) return;
  const TokenId moved = present_.back();
  present_[entry.place] = moved;
  entries_[static_cast<std::size_t>(moved)].place = entry.place;
  present_.pop_back();
}

}  // namespace lectern::llm
