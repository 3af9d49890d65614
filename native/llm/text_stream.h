// Tokens to the text that may be shown so far: whole code points, and nothing that may yet become a stop string.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/stop_strings.h"
#include "llm/tokenizer/tokenizer.h"
#include "llm/utf8_repair.h"

namespace lectern::llm {

/// The text of one sequence, which continues a prompt: a space in front stays, unlike in Tokenizer::decode, and control tokens give no text.
///
/// The stop string that is complete first, byte by byte, ends the text, wherever the borders of tokens lie; of several that end with
/// the same byte the longest.
class TextStream {
 public:
  /// Throws Error `invalid_request` for an empty stop string, for more than 1,024 of them or one beyond 4,096 bytes. `tokenizer` must
  /// outlive this.
  TextStream(const Tokenizer& tokenizer, std::vector<std::string> stop);

  /// True when a stop string is complete: it and what follows it never become text. Throws Error `invalid_request` for an id outside
  /// the vocabulary.
  bool push(TokenId id);

  /// The text that became certain since the last call.
  std::string take();

  /// At the end of the sequence: the text that was held back, half a character as U+FFFD. Tokens that are pushed after it are lost.
  std::string finish();

  /// Bytes of text in all, taken or not: with what may yet become a stop string, without the one that ended it.
  std::size_t written() const { return taken_ + text_.size(); }
  /// Those of them that are certain.
  std::size_t certain() const { return written() - held_; }
  /// Whether nothing waits: no half character, nothing that may yet become a stop string.
  bool is_certain() const { return held_ == 0 && !repair_.waits(); }

  /// The one that ended it.
  const std::optional<std::string>& stopped_by() const { return stopped_by_; }

 private:
  void add(std::string_view text);

  const Tokenizer* tokenizer_;
  StopStrings stop_;
  Utf8Repair repair_;
  std::string bytes_;
  std::string repaired_;
  std::string text_;      // not taken yet
  std::size_t taken_ = 0;
  std::size_t held_ = 0;  // bytes at its end that may yet become a stop string
  bool ended_ = false;
  std::optional<std::string> stopped_by_;
};

}  // namespace lectern::llm
