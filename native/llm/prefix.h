// What each slot of the KV cache holds, and where a prompt finds most of itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

enum class PrefixReuse {
  computed,   // positions that prefill computed, cut to a tile: the same bytes as without
  generated,  // also what decoding added: faster, and not always the same bytes
  none,
};

/// Prefixes are taken over, and prompts cut into chunks, at multiples of this many positions.
inline constexpr int position_tile = 64;

/// The valid positions of one slot. Adding allocates nothing within the context.
class SlotContents {
 public:
  explicit SlotContents(int context) { tokens_.reserve(static_cast<std::size_t>(context)); }

  const std::vector<TokenId>& tokens() const { return tokens_; }
  int positions() const { return static_cast<int>(tokens_.size()); }
  /// Positions from 0 on that prefill computed, over nothing but such ones.
  int computed() const { return computed_; }
  /// How much of itself a prompt could find here at most.
  int reusable(PrefixReuse reuse) const;

  /// Makes this the first `count` positions of `from`, which may be this.
  void take(const SlotContents& from, int count);
  void add_computed(std::span<const TokenId> tokens);
  void add_generated(TokenId token) { tokens_.push_back(token); }

  bool busy = false;
  std::uint64_t last_used = 0;  // a count that rises; 0: never

 private:
  std::vector<TokenId> tokens_;
  int computed_ = 0;
};

struct SlotChoice {
  int slot;       // an idle one
  int source;     // where the prefix is: `slot` itself, or another to copy from
  int positions;  // of the prompt that need no prefill; less than all of it
};

/// How many of the prompt's first positions the slot has in a form that `reuse` takes. The last token is never one: its logits are wanted.
int shared_positions(const SlotContents& slot, std::span<const TokenId> prompt, PrefixReuse reuse);

/// At least one slot is idle.
SlotChoice choose_slot(std::span<const SlotContents> slots, std::span<const TokenId> prompt, PrefixReuse reuse);

}  // namespace lectern::llm
