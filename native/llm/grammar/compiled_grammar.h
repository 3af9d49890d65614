// The implementation of a grammar: the automata of its rules, and the masks that all sequences with this grammar share.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "llm/grammar/grammar.h"
#include "llm/grammar/local_masks.h"
#include "llm/grammar/rule_automaton.h"

namespace lectern::llm {

/// Any thread.
class CompiledGrammar final : public Grammar {
 public:
  explicit CompiledGrammar(std::string_view source) : rules_(source) {}

  const RuleAutomaton& rules() const { return rules_; }

  /// Keeps the masks of the vocabulary of the last call. They live no longer than this.
  std::shared_ptr<LocalMasks> masks_for(const std::shared_ptr<const TokenTrie>& tokens) const;

 private:
  RuleAutomaton rules_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const TokenTrie> tokens_;
  mutable std::shared_ptr<LocalMasks> masks_;
};

}  // namespace lectern::llm
