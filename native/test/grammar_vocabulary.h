// Byte-level vocabularies of any byte strings, for grammars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "llm/sampler.h"
#include "made_vocabulary.h"

namespace lectern::test {

/// Bytes as the texts of byte-level vocabularies write them (Radford et al., GPT-2, 2019): printable ones as themselves, the others as the
/// characters from U+0100 on.
inline std::string byte_level_text(const std::string& bytes) {
  const auto printable = [](int byte) { return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD); };
  std::string text;
  for (const char c : bytes) {
    const int byte = static_cast<unsigned char>(c);
    int point = byte;
    if (!printable(byte)) {
      point = 0x100;
      for (int other = 0; other < byte; other++) point += !printable(other);
    }
    if (point < 0x80) {
      text += static_cast<char>(point);
    } else {
      text += static_cast<char>(0xC0 | point >> 6);
      text += static_cast<char>(0x80 | (point & 0x3F));
    }
  }
  return text;
}

/// Token i is tokens[i]; behind them a control token "<|tool|>" and the end "<|end|>".
inline std::string byte_level_file(const std::vector<std::string>& tokens) {
  std::vector<MadeToken> made;
  for (const std::string& token : tokens) made.push_back({byte_level_text(token)});
  made.push_back({"<|tool|>", 0, llm::TokenKind::control});
  made.push_back({"<|end|>", 0, llm::TokenKind::control});
  GgufWriter file;
  file.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", "default").list("tokenizer.ggml.merges", std::vector<std::string>{});
  file.key("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(tokens.size() + 1));
  return add_tokens(file, made).bytes();
}

inline bool allows(const llm::TokenMask& mask, std::size_t id) { return ((mask[id / 32] >> (id % 32)) & 1U) != 0; }

}  // namespace lectern::test
