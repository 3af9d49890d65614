#include "engine/token_sink.h"

#include <iterator>
#include <utility>

namespace lectern {

bool TokenSink::push(llm::TokenChunk chunk) {
  if (chunk.empty()) return false;
  const std::lock_guard lock(mutex_);
  gathered_.text += chunk.text;
  gathered_.ids.insert(gathered_.ids.end(), chunk.ids.begin(), chunk.ids.end());
  std::move(chunk.choices.begin(), chunk.choices.end(), std::back_inserter(gathered_.choices));
  return !std::exchange(called_, true);
}

llm::TokenChunk TokenSink::take() {
  const std::lock_guard lock(mutex_);
  called_ = false;
  return std::exchange(gathered_, {});
}

}  // namespace lectern
