#include "llm/prefix_reuse.h"

#include <algorithm>

namespace lectern::llm {
namespace {

int cut(int positions) { return positions / position_tile * position_tile; }

}  // namespace

int SlotContents::reusable(PrefixReuse reuse) const {
  switch (reuse) {
    case PrefixReuse::computed: return cut(computed_);
    case PrefixReuse::generated: return positions();
    case PrefixReuse::none: break;
  }
  return 0;
}

void SlotContents::take(const SlotContents& from, int count) {
  if (&from == this) {
    tokens_.resize(static_cast<std::size_t>(count));
  } else {
    tokens_.assign(from.tokens_.begin(), from.tokens_.begin() + count);
  }
  computed_ = std::min(from.computed_, count);
}

void SlotContents::add_computed(std::span<const TokenId> tokens) {
  // Positions computed over decoded ones are not bit-identical to those of a fresh prefill.
  if (computed_ == positions()) computed_ += static_cast<int>(tokens.size());
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

int shared_positions(const SlotContents& slot, std::span<const TokenId> prompt, PrefixReuse reuse) {
  const int most = std::min(slot.reusable(reuse), static_cast<int>(prompt.size()) - 1);
  if (most <= 0) return 0;
  const auto end = prompt.begin() + most;
  const int shared = static_cast<int>(std::mismatch(prompt.begin(), end, slot.tokens().begin()).first - prompt.begin());
  return reuse == PrefixReuse::computed ? cut(shared) : shared;
}

// Slot and prefix are chosen separately. A prompt that hits at least half of what an idle slot holds continues there: it
// is the same conversation, and little or nothing is lost. Otherwise (a system prompt that two conversations share, or one whose slot
// still decodes) the least recently used idle slot is overwritten, and the longest prefix of any slot is copied to it.
SlotChoice choose_slot(std::span<const SlotContents> slots, std::span<const TokenId> prompt, PrefixReuse reuse) {
  int oldest = -1;
  int own = -1;
  int source = -1;
  std::vector<int> shared(slots.size());
  const auto at = [](int slot) { return static_cast<std::size_t>(slot); };
  for (int i = 0; i < static_cast<int>(slots.size()); i++) {
    const SlotContents& slot = slots[at(i)];
    shared[at(i)] = shared_positions(slot, prompt, reuse);
    if (source < 0 || shared[at(i)] > shared[at(source)]) source = i;
    if (slot.busy) continue;
    if (oldest < 0 || slot.last_used < slots[at(oldest)].last_used) oldest = i;
    const bool mostly = shared[at(i)] > 0 && 2 * shared[at(i)] >= slot.reusable(reuse);
    if (mostly && (own < 0 || shared[at(i)] > shared[at(own)])) own = i;
  }
  const int slot = own >= 0 ? own : oldest;
  if (shared[at(slot)] == shared[at(source)]) source = slot;
  return {slot, source, shared[at(source)]};
}

}  // namespace lectern::llm
