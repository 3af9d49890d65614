#include "engine/token_sink.h"

#include <iterator>
#include <utility>

namespace lectern {

bool TokenSink::push(llm::TokenChunk burst) {
  if (burst.empty()) return false;
  const std::lock_guard lock(mutex_);
  gathered_.text += burst.text;
  gathered_.ids.insert(gathered_.ids.end(), burst.ids.begin(), burst.ids.end());
  std::move(burst.choices.begin(), burst.choices.end(), std::back_inserter(gathered_.choices));
  return !std::exchange(called_, true);
}

llm::TokenChunk TokenSink::take() {
  const std::lock_guard lock(mutex_);
  called_ = false;
  return std::exchange(gathered_, {});
}

}  // namespace lectern
