// Tokenizers whose vocabularies are written in the test that uses them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gguf/reader.h"
#include "gguf_writer.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::test {

struct MadeToken {
  std::string text;
  float score = 0;
  llm::TokenKind kind = llm::TokenKind::normal;
};

/// The three lists of a vocabulary in `file`.
inline GgufWriter& add_tokens(GgufWriter& file, const std::vector<MadeToken>& tokens) {
  std::vector<std::string> texts;
  std::vector<float> scores;
  std::vector<std::int32_t> kinds;
  for (const MadeToken& token : tokens) {
    texts.push_back(token.text);
    scores.push_back(token.score);
    kinds.push_back(static_cast<std::int32_t>(token.kind));
  }
  return file.list("tokenizer.ggml.tokens", texts).list("tokenizer.ggml.scores", scores).list("tokenizer.ggml.token_type", kinds);
}

/// A tokenizer with the bytes that it points into.
class OwnedTokenizer {
 public:
  explicit OwnedTokenizer(std::string file) : file_(std::move(file)), contents_(gguf::read(std::as_bytes(std::span(file_)))), tokenizer_(contents_.metadata) {}
  OwnedTokenizer(const OwnedTokenizer&) = delete;
  OwnedTokenizer& operator=(const OwnedTokenizer&) = delete;

  const llm::Tokenizer& operator*() const { return tokenizer_; }
  const llm::Tokenizer* operator->() const { return &tokenizer_; }

 private:
  std::string file_;
  gguf::Contents contents_;
  llm::Tokenizer tokenizer_;
};

/// Encodes a megabyte each of texts in which a careless tokenizer is slow, and checks that it takes at most eight times what a quarter of it takes, in
/// processor time, and less than five seconds. Sanitized builds get shorter texts and no limit.
void check_long_texts(const llm::Tokenizer& tokenizer, const std::string& name);

/// Cancels the encoding of texts in which a careless tokenizer is slow at its first check, in between and at its last, and tests that checks come as
/// often as there are 4,096 pieces of work.
void check_early_ends(const llm::Tokenizer& tokenizer, const std::string& name);

/// Encodes random bytes, broken characters and cut-off texts: whatever comes out, nothing may break.
void check_broken_texts(const llm::Tokenizer& tokenizer, const std::string& name);

}  // namespace lectern::test
