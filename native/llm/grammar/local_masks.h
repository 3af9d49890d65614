// The tokens that may follow at states of one rule as far as that rule alone decides, kept for all sequences with one grammar.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "llm/grammar/stack_sets.h"
#include "llm/grammar/token_trie.h"

namespace lectern::llm {

/// As in Dong et al., XGrammar, 2024: what is allowed whatever lies below the rule, and where that decides. The other tokens are
/// forbidden.
struct LocalMask {
  std::vector<TokenId> ids;  // the allowed ones
  TokenMask mask;            // or this, where they are many
  std::vector<std::int32_t> leaving;  // nodes that have tokens below them and at which the rule may end
};

/// Any thread. `rules` and `tokens` must outlive it.
class LocalMasks {
 public:
  LocalMasks(const RuleAutomaton& rules, const TokenTrie& tokens) : rules_(rules), tokens_(tokens), sets_(rules) {}

  /// For one of the trees, of the frames' states; all frames lie on the same. Throws Error `invalid_request` as StackSets does.
  std::shared_ptr<const LocalMask> find(std::size_t tree, std::span<const Frame> frames);

 private:
  using States = std::vector<std::int32_t>;

  std::shared_ptr<const LocalMask> make(const TokenTree& tree, const States& states);

  const RuleAutomaton& rules_;
  const TokenTrie& tokens_;
  std::mutex mutex_;
  StackSets sets_;
  std::vector<StackSets::Set> path_;
  std::array<std::map<States, std::shared_ptr<const LocalMask>>, TokenTrie::trees> masks_;
  std::size_t bytes_ = 0;
};

}  // namespace lectern::llm
