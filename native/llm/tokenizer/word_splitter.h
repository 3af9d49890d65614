// How byte-pair models cut text into words before merging: the published regular expressions, as rules that a table gives to names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "llm/tokenizer/pace.h"
#include "llm/tokenizer/word_rules.h"

namespace lectern::llm {

/// A text as code points with the byte at which each begins.
struct DecodedText {
  std::vector<std::uint32_t> codes;
  std::vector<std::uint32_t> offsets;  // one more than codes: the end of the text

  DecodedText(std::string_view text, Pace& pace);
};

class WordSplitter {
 public:
  /// `name` is the file's `tokenizer.ggml.pre`. Throws Error `invalid_model` naming one that is not supported, and the most similar one that is, where none is forced.
  explicit WordSplitter(std::string_view name);

  /// Each rule in turn cuts every range into its matches and what lies between them. The words as code point ranges, in order,
  /// leaving nothing out.
  std::vector<std::pair<std::size_t, std::size_t>> split(const DecodedText& text, Pace& pace) const;

  /// A word that is a token as a whole is taken without merging.
  bool whole_words_first() const { return whole_words_first_; }
  /// The vocabulary's decoder joins English contractions.
  bool joins_contractions() const { return joins_contractions_; }
  /// The vocabulary's texts are UTF-8 instead of GPT-2's stand-ins for bytes.
  bool is_plain() const { return is_plain_; }
  /// A space mark stands for each space of a text.
  bool marks_spaces() const { return marks_spaces_; }

 private:
  std::vector<WordRule> rules_;
  bool whole_words_first_ = false;
  bool joins_contractions_ = false;
  bool is_plain_ = false;
  bool marks_spaces_ = false;
};

/// Names a pre-tokenizer for files whose own name is not supported; empty: they are refused. It holds for the process and for models that are opened afterwards.
/// Throws Error `invalid_request` for a name that is not supported itself, with the most similar one that is.
void force_pre_tokenizer(std::string_view name);

/// Whether a text of such a vocabulary gets its begin token where the file does not say. False for unknown names where none is forced.
bool begins_texts(std::string_view pre_tokenizer);

}  // namespace lectern::llm
