#include <algorithm>
#include <array>
#include <optional>

#include "llm/tokenizer/merges.h"
#include "llm/tokenizer/segmenters.h"
#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

class SentencePiece : public Segmenter {
 public:
  SentencePiece(const Vocabulary& vocabulary, const gguf::Metadata& metadata)
      : vocabulary_(vocabulary), space_prefix_(metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)) {
    for (TokenId id = 0; id < vocabulary.size(); id++) {
      char byte = 0;
      if (vocabulary.kind(id) == TokenKind::byte && read_byte_token(vocabulary.text(id), byte)) byte_tokens_[static_cast<std::uint8_t>(byte)] = id;
    }
  }

  void segment(std::string_view text, std::vector<TokenId>& out) const override {
    if (text.empty()) return;
    std::string marked;
    marked.reserve(text.size() + text.size() / 4 + 4);
    if (space_prefix_) marked += space_mark;
    append_marked(text, marked);
    std::vector<Piece> pieces = characters(marked);
    merge_pieces(pieces, [this](std::string_view, std::string_view, std::string_view whole, double& worth) {
      const std::optional<TokenId> id = vocabulary_.find(whole);
      if (!id) return false;
      worth = vocabulary_.score(*id);
      return true;
    });
    for (std::int32_t at = 0; at >= 0; at = pieces[static_cast<std::size_t>(at)].after) emit(pieces[static_cast<std::size_t>(at)].text, out);
  }

  void append_bytes(TokenId id, std::string& out) const override {
    const std::string_view text = vocabulary_.text(id);
    char byte = 0;
    switch (vocabulary_.kind(id)) {
      case TokenKind::byte:
        if (read_byte_token(text, byte)) out.push_back(byte);
        return;
      case TokenKind::user_defined:
      case TokenKind::control:
      case TokenKind::unknown: out += text; return;
      case TokenKind::normal:
      case TokenKind::unused: append_unmarked(text, out); return;
    }
  }

  std::string tidy(std::string text) const override {
    if (space_prefix_ && !text.empty() && text.front() == ' ') text.erase(0, 1);
    return text;
  }

 private:
  static std::vector<Piece> characters(std::string_view text) {
    std::vector<Piece> pieces;
    pieces.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t bytes = std::min(utf8_length(static_cast<std::uint8_t>(text[at])), text.size() - at);
      const auto index = static_cast<std::int32_t>(pieces.size());
      pieces.push_back({text.substr(at, bytes), index - 1, index + 1});
      at += bytes;
    }
    pieces.back().after = -1;
    return pieces;
  }

  void emit(std::string_view piece, std::vector<TokenId>& out) const {
    if (const std::optional<TokenId> id = vocabulary_.find(piece)) {
      out.push_back(*id);
      return;
    }
    for (const char byte : piece) {
      const std::optional<TokenId>& id = byte_tokens_[static_cast<std::uint8_t>(byte)];
      if (id) out.push_back(*id);
      else if (vocabulary_.unknown) out.push_back(*vocabulary_.unknown);
    }
  }

  const Vocabulary& vocabulary_;
  bool space_prefix_;
  std::array<std::optional<TokenId>, 256> byte_tokens_;
};

}  // namespace

std::unique_ptr<Segmenter> make_sentence_piece(const Vocabulary& vocabulary, const gguf::Metadata& metadata) {
  return std::make_unique<SentencePiece>(vocabulary, metadata);
}

void append_unmarked(std::string_view text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = std::min(text.find(space_mark, at), text.size());
    out += text.substr(at, mark - at);
    if (mark < text.size()) out.push_back(' ');
    at = mark + space_mark.size();
  }
}

void append_marked(std::string_view text, std::string& out) {
  for (const char byte : text) {
    if (byte == ' ') out += space_mark;
    else out.push_back(byte);
  }
}

bool read_byte_token(std::string_view text, char& byte) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>' || digit(text[3]) < 0 || digit(text[4]) < 0) return false;
  byte = static_cast<char>(digit(text[3]) * 16 + digit(text[4]));
  return true;
}

}  // namespace lectern::llm
