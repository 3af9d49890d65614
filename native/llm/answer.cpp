#include "llm/answer.h"

#include <algorithm>
#include <limits>

namespace lectern::llm {
namespace {

SamplingOptions sampling(const GenerateOptions& options, const Tokenizer& tokenizer) {
  SamplingOptions sampling = options.sampling;
  if (!options.ignore_end) return sampling;
  for (const TokenId id : tokenizer.vocabulary().end_tokens()) {
    std::erase_if(sampling.logit_bias, [id](const auto& bias) { return bias.first == id; });
    sampling.logit_bias.emplace_back(id, -std::numeric_limits<float>::infinity());
  }
  return sampling;
}

}  // namespace

Answer::Answer(const GenerateOptions& options, const std::vector<TokenId>& prompt, int limit, AnswerParts parts)
    : parts_(std::move(parts)),
      grammar_(options.grammar),
      limit_(limit),
      sampler_(sampling(options, parts_.tokenizer), parts_.tokenizer.vocabulary().size()),
      stream_(parts_.tokenizer, options.stop) {
  for (const TokenId id : prompt) sampler_.accept(id);
  if (parts_.triggers) {
    watch_.emplace(parts_.triggers);
  } else if (grammar_) {
    matcher_ = match(grammar_, parts_.trie);
  }
}

std::optional<FinishReason> Answer::next(const float* logits, Burst& burst) {
  if (matcher_ && matcher_->finished()) return FinishReason::stop;  // before anything was written: later ones end with follow()
  const TokenMask* allowed = matcher_ ? &matcher_->allowed() : watch_ ? watch_->allowed() : nullptr;
  Choice choice = sampler_.sample(logits, allowed);
  const std::vector<TokenId>& ends = parts_.tokenizer.vocabulary().end_tokens();
  if (std::find(ends.begin(), ends.end(), choice.id) != ends.end()) {
    burst.text += stream_.finish();
    release(true, burst);
    return FinishReason::stop;
  }
  last_ = choice.id;
  tokens_++;
  burst.ids.push_back(last_);
  held_.push_back({std::move(choice), stream_.written()});
  const std::optional<FinishReason> reason = follow(last_);
  burst.text += reason ? stream_.finish() : stream_.take();
  release(reason.has_value(), burst);
  return reason;
}

void Answer::release(bool at_end, Burst& burst) {
  const std::size_t certain = stream_.certain();
  const bool all = at_end ? !stream_.stopped_by() : stream_.is_certain();
  std::size_t count = 0;
  while (count < held_.size() && (all || held_[count].begin < certain)) burst.choices.push_back(std::move(held_[count++].choice));
  held_.erase(held_.begin(), at_end ? held_.end() : held_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::optional<FinishReason> Answer::follow(TokenId id) {
  if (stream_.push(id)) return FinishReason::stop;
  if (matcher_) {
    matcher_->accept(id);
  } else if (watch_ && watch_->push(id)) {
    watch_.reset();
    matcher_ = match(grammar_, parts_.trie);
  }
  if (matcher_ && matcher_->finished()) return FinishReason::stop;
  if (tokens_ == limit_) return FinishReason::length;
  return std::nullopt;
}

}  // namespace lectern::llm
