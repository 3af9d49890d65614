#include "engine/embedding_batcher.h"

#include <utility>

namespace lectern {

std::shared_ptr<EmbeddingBatcher::Text> EmbeddingBatcher::add(std::vector<std::int32_t> ids, std::size_t second, std::shared_ptr<Cancel> cancel) {
  auto text = std::make_shared<Text>(std::move(ids), second, std::move(cancel));
  const std::lock_guard lock(mutex_);
  waiting_.push_back(text);
  return text;
}

std::vector<std::shared_ptr<EmbeddingBatcher::Text>> EmbeddingBatcher::take_from(const std::shared_ptr<Text>& first, const llm::Forward& forward) {
  const std::lock_guard lock(mutex_);
  // A text that was cancelled before its turn never reaches this line.
  while (!waiting_.empty() && waiting_.front() != first) waiting_.pop_front();
  std::vector<std::shared_ptr<Text>> taken{first};
  std::vector<llm::Text> tokens{first->text()};
  for (std::size_t i = 1; i < waiting_.size(); i++) {
    const std::shared_ptr<Text>& text = waiting_[i];
    if (text->cancel_->requested() || text->embedding_) continue;
    // What no pass takes gets its error in its own turn.
    if (!forward.takes(text->text())) continue;
    tokens.push_back(text->text());
    if (forward.fitting(tokens.data(), static_cast<int>(tokens.size())) < static_cast<int>(tokens.size())) break;
    taken.push_back(text);
  }
  return taken;
}

std::vector<float> EmbeddingBatcher::embed(const std::shared_ptr<Text>& text, llm::Forward& forward, const Cancel& cancel) {
  if (!text->embedding_) {
    const std::vector<std::shared_ptr<Text>> taken = take_from(text, forward);
    std::vector<llm::Text> tokens;
    for (const std::shared_ptr<Text>& each : taken) tokens.push_back(each->text());
    const float* rows = forward.embed(tokens.data(), static_cast<int>(tokens.size()), cancel);
    for (const std::shared_ptr<Text>& each : taken) {
      each->embedding_.emplace(rows, rows + forward.outputs());
      rows += forward.outputs();
    }
  }
  llm::check_embedding(*text->embedding_);
  return std::move(*text->embedding_);
}

}  // namespace lectern
