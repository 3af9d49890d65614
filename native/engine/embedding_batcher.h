// Batches the texts of an embedding or rerank model on its lane: the text whose turn it is takes those that wait behind it into its pass.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cancel.h"
#include "error.h"
#include "llm/forward.h"

namespace lectern {

class EmbeddingBatcher {
 public:
  class Text;

  /// Its place in the queue. From any thread; what is added must be embedded in the same order, or cancelled.
  /// `second`: as llm::Text has it.
  std::shared_ptr<Text> add(std::vector<std::int32_t> ids, std::size_t second, std::shared_ptr<Cancel> cancel);

  /// What the model gives for the text (an embedding, or the score of a pair), as it gives it: computed with it in one pass, or by the pass of one before it. Only on the model's
  /// lane. Throws as Forward::embed does; what is wrong with one text is no other's error.
  std::vector<float> embed(const std::shared_ptr<Text>& text, llm::Forward& forward, const Cancel& cancel);

 private:
  std::vector<std::shared_ptr<Text>> take_from(const std::shared_ptr<Text>& first, const llm::Forward& forward);

  std::mutex mutex_;
  std::deque<std::shared_ptr<Text>> waiting_;
};

/// Written on the model's lane alone.
class EmbeddingBatcher::Text {
 public:
  Text(std::vector<std::int32_t> ids, std::size_t second, std::shared_ptr<Cancel> cancel) : ids_(std::move(ids)), second_(static_cast<int>(second)), cancel_(std::move(cancel)) {}

  const std::vector<std::int32_t>& tokens() const { return ids_; }

 private:
  friend class EmbeddingBatcher;
  llm::Text text() const { return {ids_.data(), static_cast<int>(ids_.size()), second_}; }

  const std::vector<std::int32_t> ids_;
  const int second_;
  const std::shared_ptr<Cancel> cancel_;
  std::optional<std::vector<float>> embedding_;
};

}  // namespace lectern
