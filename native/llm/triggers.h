// Strings after which a grammar holds: detects when one is complete, and which tokens would run past its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "llm/sampler.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

/// Laid out against one vocabulary; immutable. Control tokens count with their text: `<|python_tag|>` may be a trigger.
class Triggers {
 public:
  /// Throws Error `invalid_request` for more than 32 texts, an empty one or one beyond 256 bytes.
  Triggers(std::vector<std::string> texts, const Tokenizer& tokenizer);

  static void check(const std::vector<std::string>& texts);

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  friend class TriggerWatch;

  std::vector<std::string> texts_;
  std::size_t longest_ = 0;
  const Tokenizer& tokenizer_;
  TokenMask base_;            // all but the tokens with a trigger and more inside them
  bool base_is_all_ = true;
  /// (trigger, bytes of it that were written) -> tokens that complete it and go on
  std::vector<std::vector<std::vector<TokenId>>> crossing_;
};

/// The state of one sequence before its grammar holds.
///
/// The grammar is to begin with the first byte behind the trigger, and that byte must not lie inside a token that was chosen freely.
/// So a token may complete a trigger only with its last byte; those that would run past it are forbidden just where they would.
class TriggerWatch {
 public:
  explicit TriggerWatch(std::shared_ptr<const Triggers> triggers);

  /// Null: all. Valid until the next call.
  const TokenMask* allowed();

  /// True when a trigger is complete.
  bool push(TokenId id);

 private:
  std::shared_ptr<const Triggers> triggers_;
  std::string tail_;  // of what was written, shorter than the longest trigger
  TokenMask mask_;
};

}  // namespace lectern::llm
