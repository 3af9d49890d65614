#include "llm/triggers.h"

#include <algorithm>
#include <string_view>

#include "error.h"

namespace lectern::llm {
namespace {

constexpr std::size_t max_triggers = 32;
constexpr std::size_t max_bytes = 256;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_request, sentence); }

void forbid(TokenMask& mask, TokenId id) { mask[static_cast<std::size_t>(id) / 32] &= ~(1U << (static_cast<unsigned>(id) % 32)); }

/// The text ends with the first `count` bytes of `trigger`.
bool ends_within(std::string_view text, std::string_view trigger, std::size_t count) { return text.ends_with(trigger.substr(0, count)); }

}  // namespace

void Triggers::check(const std::vector<std::string>& texts) {
  const auto number = [](std::size_t count) { return std::to_string(count); };
  if (texts.size() > max_triggers) refuse("A grammar has at most " + number(max_triggers) + " triggers, not " + number(texts.size()) + ".");
  for (const std::string& text : texts) {
    if (text.empty() || text.size() > max_bytes) {
      refuse("A trigger of a grammar has 1 to " + number(max_bytes) + " bytes, not " + number(text.size()) + ".");
    }
  }
}

Triggers::Triggers(std::vector<std::string> texts, const Tokenizer& tokenizer) : texts_(std::move(texts)), tokenizer_(tokenizer) {
  check(texts_);
  const TokenId vocabulary = tokenizer.vocabulary().size();
  base_.assign((static_cast<std::size_t>(vocabulary) + 31) / 32, ~0U);
  for (const std::string& text : texts_) {
    longest_ = std::max(longest_, text.size());
    crossing_.emplace_back(text.size());
  }
  const std::vector<TokenId>& ends = tokenizer.vocabulary().end_tokens();
  std::string bytes;
  for (TokenId id = 0; id < vocabulary; id++) {
    // They end the sequence and are never text.
    if (std::find(ends.begin(), ends.end(), id) != ends.end()) continue;
    bytes.clear();
    tokenizer.append_bytes(id, true, bytes);
    for (std::size_t t = 0; t < texts_.size(); t++) {
      const std::string& text = texts_[t];
      const std::size_t found = bytes.find(text);
      if (found != std::string::npos && found + text.size() < bytes.size()) {
        forbid(base_, id);
        base_is_all_ = false;
      }
      // What is missing of the trigger must be shorter than the token.
      for (std::size_t written = text.size() - std::min(text.size(), bytes.size()) + 1; written < text.size(); written++) {
        if (bytes.compare(0, text.size() - written, text, written) == 0) crossing_[t][written].push_back(id);
      }
    }
  }
}

TriggerWatch::TriggerWatch(std::shared_ptr<const Triggers> triggers) : triggers_(std::move(triggers)) {
  tail_.reserve(triggers_->longest_ + max_bytes);
  mask_.reserve(triggers_->base_.size());
}

const TokenMask* TriggerWatch::allowed() {
  bool changed = false;
  for (std::size_t t = 0; t < triggers_->texts_.size(); t++) {
    const std::string& text = triggers_->texts_[t];
    for (std::size_t written = std::min(tail_.size(), text.size() - 1); written > 0; written--) {
      const std::vector<TokenId>& ids = triggers_->crossing_[t][written];
      if (ids.empty() || !ends_within(tail_, text, written)) continue;
      if (!changed) mask_ = triggers_->base_;
      changed = true;
      for (const TokenId id : ids) forbid(mask_, id);
    }
  }
  if (changed) return &mask_;
  return triggers_->base_is_all_ ? nullptr : &triggers_->base_;
}

bool TriggerWatch::push(TokenId id) {
  triggers_->tokenizer_.append_bytes(id, true, tail_);
  const auto complete = [&](const std::string& text) { return tail_.ends_with(text); };
  if (std::any_of(triggers_->texts_.begin(), triggers_->texts_.end(), complete)) return true;
  const std::size_t kept = triggers_->longest_ - 1;
  if (tail_.size() > kept) tail_.erase(0, tail_.size() - kept);
  return false;
}

}  // namespace lectern::llm
