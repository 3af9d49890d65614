#include "llm/grammar/recent_grammars.h"

#include <algorithm>

namespace lectern::llm {

std::shared_ptr<const Grammar> RecentGrammars::compile(std::string_view source) {
  const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept.first == source; });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
    return kept_.front().second;
  }
  std::shared_ptr<const Grammar> grammar = Grammar::compile(source);
  if (source.size() > max_source_bytes) return grammar;
  if (kept_.size() == max_kept) kept_.pop_back();
  kept_.emplace_front(source, grammar);
  return grammar;
}

}  // namespace lectern::llm
