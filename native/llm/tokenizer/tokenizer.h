// Text to token ids and back, by the vocabulary that a model file carries.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/metadata.h"
#include "llm/tokenizer/pace.h"
#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

/// Splits plain text (no specials in it) by one of the four published algorithms.
class Segmenter {
 public:
  virtual ~Segmenter() = default;
  /// Appends the ids of `text`, which lies between special tokens. Steps through `pace` in each of its loops, and throws what that throws.
  virtual void segment(std::string_view text, std::vector<TokenId>& out, Pace& pace) const = 0;
  /// Appends the bytes that the token stands for.
  virtual void append_bytes(TokenId id, std::string& out) const = 0;
  /// What the vocabulary's own decoder does to a whole text: takes off the space that `segment` put in front, joins contractions.
  virtual std::string tidy(std::string text) const = 0;
};

struct EncodeOptions {
  /// Adds begin and end tokens as the vocabulary demands.
  bool add_special = false;
  /// The texts of control tokens become these tokens; without it they are plain text. Never set it for what a user wrote.
  bool parse_special = false;
};

/// A part of a prompt: written by a template (`special`) or by a user.
struct PromptPart {
  std::string text;
  bool special;
};

/// Two texts as one sequence, as models that judge pairs were trained with them.
struct TokenPair {
  std::vector<TokenId> ids;
  std::size_t second;  // where the second text begins
};

class Tokenizer {
 public:
  /// Throws Error `invalid_model` for a vocabulary that is damaged or of a kind or pre-tokenizer that is not supported, by its name.
  /// The metadata's file must outlive this.
  explicit Tokenizer(const gguf::Metadata& metadata);
  ~Tokenizer();

  /// In time proportional to the text but for a logarithm; any bytes are taken. Without a pace it cannot be ended early.
  std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const;
  std::vector<TokenId> encode(std::string_view text, EncodeOptions options, Pace& pace) const;
  /// The ids of the joined texts: words and merges cross the parts' borders. The text of a control token becomes that token only
  /// where all of it lies within special parts; neighbours that are special count as one. `add_special` as in EncodeOptions.
  std::vector<TokenId> encode(const std::vector<PromptPart>& parts, bool add_special) const;
  std::vector<TokenId> encode(const std::vector<PromptPart>& parts, bool add_special, Pace& pace) const;
  /// With the begin, separator and end tokens of the vocabulary. The texts of control tokens are plain text.
  TokenPair encode_pair(std::string_view first, std::string_view second, Pace& pace) const;
  /// The text of a whole sequence. Throws Error `invalid_request` for an id outside the vocabulary.
  std::string decode(const std::vector<TokenId>& ids) const;
  /// Appends the bytes of one token, for streaming: control tokens give none unless `specials`.
  void append_bytes(TokenId id, bool specials, std::string& out) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  class Specials;
  /// From byte `begin` to before `end` of a text.
  struct Range {
    std::size_t begin;
    std::size_t end;
  };
  /// `trusted`, in order and apart from each other: where control tokens are taken.
  std::vector<TokenId> encode(std::string_view text, const std::vector<Range>& trusted, bool add_special, Pace& pace) const;

  Vocabulary vocabulary_;
  std::unique_ptr<Segmenter> segmenter_;
  std::unique_ptr<Specials> specials_;
  bool strips_behind_specials_ = false;
  bool one_separator_ = false;  // between two texts the end of the first is the separator
};

}  // namespace lectern::llm
