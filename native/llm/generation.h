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
  std::shared_ptr<const SequenceBreakers> breakers;  // null without DRY
};

/// The logits (vocabulary) that a token is sampled from, fetched only where they are not in host memory yet.
using LogitSource = std::function<const float*()>;

class Generation {
 public:
  /// `limit`: the most tokens to generate. Throws Error `invalid_request` for options that the sampler, the grammar or the text stream refuse.
  Generation(const GenerateOptions& options, const std::vector<TokenId>& prompt, int limit, GenerationParts parts);

  /// Samples the next token from the model's logits (vocabulary) and adds it to `chunk`, with the text that became certain and the
  /// choices behind that text, none that lie in a stop string; returns the reason when that was the last token. Throws as Sampler::sample() does.
  std::optional<FinishReason> next(const float* logits, TokenChunk& chunk);

  /// The rule by which a device may sample the next token; none where next() needs the logits. Valid until the next call.
  std::optional<TokenRule> rule();
  /// As next() with logits. `chosen`: the device's choice by the last rule(), or null.
  std::optional<FinishReason> next(const TokenChoice* chosen, const LogitSource& logits, TokenChunk& chunk);

  /// Whether the grammar, if any, leaves this token a chance to come next.
  bool allows(TokenId id);

  /// The last sampled token, the input of the next pass.
  TokenId last() const { return last_; }
  int tokens() const { return tokens_; }
  /// Tokens that may still be generated.
  int left() const { return limit_ - tokens_; }
  const std::optional<std::string>& stop_string() const { return stream_.stopped_by(); }

 private:
  /// A token whose text may still turn out to be part of a stop string.
  struct Held {
    Choice choice;
    std::size_t begin;  // where its text begins, in bytes of the generated text
  };

  /// The tokens that the grammar allows next; null: all tokens.
  const TokenMask* allowed();
  Choice choose(const TokenChoice* chosen, const LogitSource& logits);
  bool is_end(TokenId id) const;
  std::optional<FinishReason> follow(TokenId id);
  void release(bool at_end, TokenChunk& chunk);

  GenerationParts parts_;
  std::shared_ptr<const Grammar> grammar_;
  std::vector<TokenId> trigger_;  // written in place of an end token while the grammar is required and not active yet; may be empty
  std::vector<TokenId> forced_;   // the tokens of trigger_ that are still to be written
  int limit_;
  Sampler sampler_;
  TextStream stream_;
  std::vector<Held> held_;
  std::unique_ptr<GrammarMatcher> matcher_;  // null until the grammar is active
  std::optional<TriggerWatch> watch_;        // waits for the trigger that activates the grammar
  TokenId last_ = 0;
  int tokens_ = 0;
};

}  // namespace lectern::llm
