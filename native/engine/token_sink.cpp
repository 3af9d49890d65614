#include "engine/token_sink.h"

#include <iterator>
#include <utility>

namespace lectern {

bool TokenSink::push(llm::Burst burst) {
  if (burst.text.empty() && burst.tokens.empty()) return false;
  const std::lock_guard lock(mutex_);
  gathered_.text += burst.text;
  std::move(burst.tokens.begin(), burst.tokens.end(), std::back_inserter(gathered_.tokens));
  return !std::exchange(called_, true);
}

llm::Burst TokenSink::take() {
  const std::lock_guard lock(mutex_);
  called_ = false;
  return std::exchange(gathered_, {});
}

}  // namespace lectern
