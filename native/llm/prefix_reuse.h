// The contents of each slot of the KV cache, and the search for the longest prefix-cache hit of a prompt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

enum class PrefixReuse {
  computed,   // positions that prefill computed, rounded down to a tile: the same bytes as without a cache
  generated,  // decoded positions too: faster, and not always the same bytes
  none,
};

/// Prefixes are reused, and prompts cut into prefill chunks, at multiples of this many positions.
inline constexpr int position_tile = 64;

/// The valid positions of one slot. Adding allocates nothing within the context.
class SlotContents {
 public:
  explicit SlotContents(int context) { tokens_.reserve(static_cast<std::size_t>(context)); }

  const std::vector<TokenId>& tokens() const { return tokens_; }
  int positions() const { return static_cast<int>(tokens_.size()); }
  /// The leading positions that prefill computed, over other such positions only.
  int computed() const { return computed_; }
  /// The longest prefix-cache hit that a prompt could have here.
  int reusable(PrefixReuse reuse) const;

  /// Makes this the first `count` positions of `from`, which may be this.
  void take(const SlotContents& from, int count);
  void add_computed(std::span<const TokenId> tokens);
  void add_generated(TokenId token) { tokens_.push_back(token); }

  bool busy = false;
  std::uint64_t last_used = 0;  // a counter that only rises; 0: never

 private:
  std::vector<TokenId> tokens_;
  int computed_ = 0;
};

struct SlotChoice {
  int slot;       // an idle one
  int source;     // where the prefix is: `slot` itself, or another to copy from
  int positions;  // of the prompt that need no prefill; less than all of it
};

/// The prefix-cache hit of the prompt in this slot, as far as `reuse` allows. The last token is never part of it, because its logits are needed.
int shared_positions(const SlotContents& slot, std::span<const TokenId> prompt, PrefixReuse reuse);

/// At least one slot is idle.
SlotChoice choose_slot(std::span<const SlotContents> slots, std::span<const TokenId> prompt, PrefixReuse reuse);

}  // namespace lectern::llm
