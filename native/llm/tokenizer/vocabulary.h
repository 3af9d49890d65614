// A model's tokens: their texts, kinds and scores, the special ones by role, and which of them are matched in text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gguf/metadata.h"

namespace lectern::llm {

using TokenId = std::int32_t;

/// GGUF's numbers.
enum class TokenKind : std::int32_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

/// The texts are its own, so that they can be read when the model file is gone; `pre_tokenizer` may point into the file.
class Vocabulary {
 public:
  /// Throws Error `invalid_model` when a list is missing, empty or of the wrong length, or a special id lies outside.
  explicit Vocabulary(const gguf::Metadata& metadata);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  TokenId size() const { return static_cast<TokenId>(texts_.size()); }
  std::string_view text(TokenId id) const { return texts_[static_cast<std::size_t>(id)]; }
  TokenKind kind(TokenId id) const { return kinds_[static_cast<std::size_t>(id)]; }
  float score(TokenId id) const { return scores_[static_cast<std::size_t>(id)]; }
  /// Of several tokens with one text the first.
  std::optional<TokenId> find(std::string_view text) const;

  /// How text is cut into words before pairs are merged: the file's name for it, or what a file that gives none was made with.
  std::string_view pre_tokenizer;
  std::optional<TokenId> bos, eos, eot, eom, unknown, padding, separator, cls, mask;
  bool add_bos = false;
  bool add_eos = false;
  bool add_separator = false;  // between two texts, behind the end token of the first

  /// Every token that ends a sequence: end of text, of turn, of message, under whichever names the file gives them.
  const std::vector<TokenId>& end_tokens() const { return end_tokens_; }

 private:
  void read_specials(const gguf::Metadata& metadata);
  void collect_end_tokens();
  void keep_texts(const std::vector<std::string_view>& texts);

  std::vector<char> bytes_;  // of all texts
  std::vector<std::string_view> texts_;
  std::vector<float> scores_;
  std::vector<TokenKind> kinds_;
  std::unordered_map<std::string_view, TokenId> by_text_;
  std::vector<TokenId> end_tokens_;
};

}  // namespace lectern::llm
