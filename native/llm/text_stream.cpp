#include "llm/text_stream.h"

#include <utility>

#include "error.h"

namespace lectern::llm {

TextStream::TextStream(const Tokenizer& tokenizer, std::vector<std::string> stop) : tokenizer_(&tokenizer), stop_(std::move(stop)) {}

bool TextStream::push(TokenId id) {
  const TokenId size = tokenizer_->vocabulary().size();
  if (id < 0 || id >= size) {
    throw Error(ErrorCode::invalid_request, "The token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(size) + ".");
  }
  bytes_.clear();
  tokenizer_->append_bytes(id, false, bytes_);
  repaired_.clear();
  repair_.push(bytes_, repaired_);
  add(repaired_);
  return stopped_by_.has_value();
}

void TextStream::add(std::string_view text) {
  if (ended_) return;
  if (stop_.empty()) {
    text_ += text;
    return;
  }
  for (const char byte : text) {
    text_.push_back(byte);
    const std::size_t found = stop_.push(byte);
    if (found == StopStrings::none) continue;
    stopped_by_ = stop_.string(found);
    text_.resize(text_.size() - stopped_by_->size());
    held_ = 0;
    ended_ = true;
    return;
  }
  held_ = stop_.begun();
}

std::string TextStream::take() {
  std::string certain = text_.substr(0, text_.size() - held_);
  text_.erase(0, certain.size());
  taken_ += certain.size();
  return certain;
}

std::string TextStream::finish() {
  repaired_.clear();
  repair_.finish(repaired_);
  add(repaired_);
  held_ = 0;
  ended_ = true;
  return take();
}

}  // namespace lectern::llm
