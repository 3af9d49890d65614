// One sequence while it is decoded: logits in, tokens and finished text out, until an end token, a stop string or a limit.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "llm/scheduler.h"
#include "llm/text_stream.h"
#include "llm/triggers.h"

namespace lectern::llm {

/// What the sequences of one model share.
struct GenerationParts {
  const Tokenizer& tokenizer;
  std::shared_ptr<const TokenTrie> trie;     // null without a grammar
  std::shared_ptr<const Triggers> triggers;  // null without triggers
};

/// The logits (vocabulary) that a token is sampled from, fetched only where they are not in host memory yet.
using LogitSource = std::function<const float*()>;

class Generation {
 public:
  /// Of at most `limit` tokens. Throws Error `invalid_request` as its parts do.
  Generation(const GenerateOptions& options, const std::vector<TokenId>& prompt, int limit, GenerationParts parts);

  /// Samples the next token from the model's logits (vocabulary) and adds it to `chunk`, with the text that became certain and the
  /// choices behind that text, none that lie in a stop string; returns the reason when that was the last token. Throws Error `internal` where no token can follow or the logits are not finite.
  std::optional<FinishReason> next(const float* logits, TokenChunk& chunk);

  /// The rule by which a device may sample the next token; none where next() needs the logits. Valid until the next call.
  std::optional<TokenRule> rule();
  /// As next() with logits. `chosen`: the device's choice by the last rule(), or null.
  std::optional<FinishReason> next(const TokenChoice* chosen, const LogitSource& logits, TokenChunk& chunk);

  /// The last sampled token, the input of the next pass.
  TokenId last() const { return last_; }
  int tokens() const { return tokens_; }
  const std::optional<std::string>& stop_string() const { return stream_.stopped_by(); }

 private:
  /// A token whose text may still turn out to be part of a stop string.
  struct Held {
    Choice choice;
    std::size_t begin;  // of its text, in bytes of the generated text
  };

  /// What the grammar allows now; null: all.
  const TokenMask* allowed();
  Choice choose(const TokenChoice* chosen, const LogitSource& logits);
  bool is_end(TokenId id) const;
  std::optional<FinishReason> follow(TokenId id);
  void release(bool at_end, TokenChunk& chunk);

  GenerationParts parts_;
  std::shared_ptr<const Grammar> grammar_;
  std::vector<TokenId> trigger_;  // replaces an end token while the grammar is required and does not hold yet; or none
  std::vector<TokenId> forced_;   // the tokens of it that are still to be written
  int limit_;
  Sampler sampler_;
  TextStream stream_;
  std::vector<Held> held_;
  std::unique_ptr<GrammarMatcher> matcher_;  // once the grammar holds
  std::optional<TriggerWatch> watch_;        // until then
  TokenId last_ = 0;
  int tokens_ = 0;
};

}  // namespace lectern::llm
