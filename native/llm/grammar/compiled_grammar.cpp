#include "llm/grammar/compiled_grammar.h"

namespace lectern::llm {

std::shared_ptr<LocalMasks> CompiledGrammar::masks_for(const std::shared_ptr<const TokenTrie>& tokens) const {
  const std::lock_guard lock(mutex_);
  if (tokens_ != tokens) {
    masks_ = std::make_shared<LocalMasks>(rules_, *tokens);
    tokens_ = tokens;
  }
  return masks_;
}

std::shared_ptr<const Grammar> Grammar::compile(std::string_view source) { return std::make_shared<const CompiledGrammar>(source); }

}  // namespace lectern::llm
