// Tokens to the text that may be shown so far: whole code points, and nothing that may yet become a stop string.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

/// Of one answer.
class TextStream {
 public:
  /// Throws Error `invalid_request` for an empty stop string, for more than 1,024 of them or one beyond 4,096 bytes.
  TextStream(const Tokenizer& tokenizer, std::vector<std::string> stop);

  /// True when a stop string is complete: it and what follows it never become text.
  bool push(TokenId id);

  /// The text that became certain since the last call.
  std::string take();

  /// At the end of the answer: what was held back, bytes that are no UTF-8 as U+FFFD.
  std::string finish();

  /// The one that ended it.
  const std::optional<std::string>& stopped_by() const;
};

}  // namespace lectern::llm
