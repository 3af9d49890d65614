#include "llm/generation.h"

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

/// The tokens that write the trigger. Throws Error `invalid_request` where the vocabulary lacks some.
std::vector<TokenId> written(const std::string& trigger, const Tokenizer& tokenizer) {
  std::vector<TokenId> ids = tokenizer.encode(trigger, {.add_special = false, .parse_special = true});
  std::string bytes;
  for (const TokenId id : ids) tokenizer.append_bytes(id, true, bytes);
  if (bytes != trigger) throw Error(ErrorCode::invalid_request, "The model's vocabulary cannot write the trigger '" + trigger + "'.");
  return ids;
}

}  // namespace

Generation::Generation(const GenerateOptions& options, const std::vector<TokenId>& prompt, int limit, GenerationParts parts)
    : parts_(std::move(parts)),
      grammar_(options.grammar),
      limit_(limit),
      sampler_(sampling(options, parts_.tokenizer), parts_.tokenizer.vocabulary().size(), parts_.breakers),
      stream_(parts_.tokenizer, options.stop) {
  for (const TokenId id : prompt) sampler_.accept(id);
  if (parts_.triggers) {
    watch_.emplace(parts_.triggers);
    if (options.grammar_required) trigger_ = written(parts_.triggers->texts().front(), parts_.tokenizer);
  } else if (grammar_) {
    matcher_ = match(grammar_, parts_.trie);
  }
}

std::optional<FinishReason> Generation::next(const float* logits, TokenChunk& chunk) {
  return next(nullptr, [logits] { return logits; }, chunk);
}

std::optional<TokenRule> Generation::rule() {
  if (!forced_.empty() || (matcher_ && matcher_->finished())) return std::nullopt;
  return sampler_.rule(allowed());
}

std::optional<FinishReason> Generation::next(const TokenChoice* chosen, const LogitSource& logits, TokenChunk& chunk) {
  if (matcher_ && matcher_->finished()) return FinishReason::stop;  // before anything was written: later ones end with follow()
  Choice choice = choose(chosen, logits);
  if (is_end(choice.id)) {
    chunk.text += stream_.finish();
    release(true, chunk);
    return FinishReason::stop;
  }
  last_ = choice.id;
  tokens_++;
  chunk.ids.push_back(last_);
  held_.push_back({std::move(choice), stream_.written()});
  const std::optional<FinishReason> reason = follow(last_);
  chunk.text += reason ? stream_.finish() : stream_.take();
  release(reason.has_value(), chunk);
  return reason;
}

/// The model's choice. An end token before the grammar holds is replaced by a trigger's text: the reasoning is over, and the constrained output must follow.
Choice Generation::choose(const TokenChoice* chosen, const LogitSource& logits) {
  if (forced_.empty()) {
    Choice choice = chosen != nullptr ? sampler_.take(*chosen, allowed() != nullptr) : sampler_.sample(logits(), allowed());
    if (trigger_.empty() || !watch_ || !is_end(choice.id)) return choice;
    forced_ = trigger_;
  }
  const auto only = static_cast<std::size_t>(forced_.front());
  forced_.erase(forced_.begin());
  TokenMask mask((static_cast<std::size_t>(parts_.tokenizer.vocabulary().size()) + 31) / 32, 0);
  mask[only / 32] = 1U << (only % 32);
  return sampler_.sample(logits(), &mask);
}

const TokenMask* Generation::allowed() { return matcher_ ? &matcher_->allowed() : watch_ ? watch_->allowed() : nullptr; }

bool Generation::allows(TokenId id) {
  if (!forced_.empty()) return id == forced_.front();
  const TokenMask* mask = allowed();
  return mask == nullptr || ((*mask)[static_cast<std::size_t>(id) / 32] >> (id % 32) & 1U) != 0;
}

bool Generation::is_end(TokenId id) const {
  const std::vector<TokenId>& ends = parts_.tokenizer.vocabulary().end_tokens();
  return std::find(ends.begin(), ends.end(), id) != ends.end();
}

void Generation::release(bool at_end, TokenChunk& chunk) {
  const std::size_t certain = stream_.certain();
  const bool all = at_end ? !stream_.stopped_by() : stream_.is_certain();
  std::size_t count = 0;
  while (count < held_.size() && (all || held_[count].begin < certain)) chunk.choices.push_back(std::move(held_[count++].choice));
  held_.erase(held_.begin(), at_end ? held_.end() : held_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::optional<FinishReason> Generation::follow(TokenId id) {
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
