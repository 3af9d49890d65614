// A cache of compiled grammars: requests with one schema share its automata and masks.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "llm/grammar/grammar.h"

namespace lectern::llm {

/// One thread at a time.
class RecentGrammars {
 public:
  /// As Grammar::compile; the same grammar for the same source, as long as not too many others came between.
  std::shared_ptr<const Grammar> compile(std::string_view source);

 private:
  static constexpr std::size_t max_kept = 4;
  /// Larger ones take their time and their memory anew each time.
  static constexpr std::size_t max_source_bytes = 64 << 10;

  std::list<std::pair<std::string, std::shared_ptr<const Grammar>>> kept_;  // the last one first
};

}  // namespace lectern::llm
