// A query and a document as the sequence that a rerank model was trained with.
#pragma once

#include <string>
#include <string_view>

#include "gguf/metadata.h"
#include "llm/config.h"
#include "llm/tokenizer/tokenizer.h"

namespace lectern::llm {

class PairFormat {
 public:
  /// Of an encoder: both texts between the vocabulary's special tokens. Else the file's template "tokenizer.chat_template.rerank" with {query} and {document} in it, or Qwen3-Reranker's.
  /// Throws Error `unsupported_format` for a template without one of them.
  PairFormat(const gguf::Metadata& metadata, const Config& config);

  /// `document` loses tokens at its end until at most `most` are in the pair; 0: it stays whole. The texts of control tokens in the query and in the document are plain text.
  TokenPair encode(const Tokenizer& tokenizer, std::string_view query, std::string_view document, std::size_t most, Pace& pace) const;

 private:
  TokenPair encode_template(const Tokenizer& tokenizer, std::string_view query, std::string_view document, Pace& pace) const;

  std::string before_query_, between_, behind_document_;  // of the template; all empty for encoders
};

}  // namespace lectern::llm
