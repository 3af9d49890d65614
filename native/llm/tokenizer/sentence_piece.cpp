#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "llm/tokenizer/merges.h"
#include "llm/tokenizer/segmenters.h"
#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

/// Which characters stand side by side in some token. No merge crosses a place where two do that never do, so a text falls apart
/// there into words that can be merged one by one. Kept as a set of hashes: a collision only makes a word longer.
class Neighbours {
 public:
  explicit Neighbours(const Vocabulary& vocabulary) : bits_(std::size_t{1} << 21) {
    for (TokenId id = 0; id < vocabulary.size(); id++) {
      const std::string_view text = vocabulary.text(id);
      std::string_view before;
      for (std::size_t at = 0; at < text.size();) {
        const std::string_view character = text.substr(at, utf8_length(static_cast<std::uint8_t>(text[at])));
        if (!before.empty()) bits_[place_of(before, character)] = true;
        before = character;
        at += character.size();
      }
    }
  }

  /// The bytes of `text` up to the first place that no merge crosses.
  std::size_t word(std::string_view text) const {
    std::size_t at = 0;
    for (std::string_view before; at < text.size();) {
      const std::string_view character = text.substr(at, utf8_length(static_cast<std::uint8_t>(text[at])));
      if (!before.empty() && !bits_[place_of(before, character)]) break;
      before = character;
      at += character.size();
    }
    return at;
  }

 private:
  std::size_t place_of(std::string_view before, std::string_view after) const {
    std::uint64_t both = 0;
    for (const char byte : before) both = both << 8 | static_cast<std::uint8_t>(byte);
    for (const char byte : after) both = both << 8 | static_cast<std::uint8_t>(byte);
    return static_cast<std::size_t>((both * 0x9E3779B97F4A7C15U) >> 32) & (bits_.size() - 1);
  }

  std::vector<bool> bits_;
};

class SentencePiece : public Segmenter, private MergeRules {
 public:
  SentencePiece(const Vocabulary& vocabulary, const gguf::Metadata& metadata)
      : vocabulary_(vocabulary), space_prefix_(metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)),
        neighbours_(vocabulary),
        ranks_(ranks_of(vocabulary)) {
    for (TokenId id = 0; id < vocabulary.size(); id++) {
      char byte = 0;
      if (vocabulary.kind(id) == TokenKind::byte && read_byte_token(vocabulary.text(id), byte)) byte_tokens_[static_cast<std::uint8_t>(byte)] = id;
    }
  }

  void segment(std::string_view text, std::vector<TokenId>& out, Pace& pace) const override {
    if (text.empty()) return;
    std::string marked;
    marked.reserve(text.size() + text.size() / 4 + 4);
    if (space_prefix_) marked += space_mark;
    append_marked(text, marked);
    Merger merger(*this, pace);
    for (std::string_view rest = marked; !rest.empty();) {
      const std::string_view word = rest.substr(0, neighbours_.word(rest));
      rest.remove_prefix(word.size());
      pace.step(word.size());
      if (merger.recall(word, out)) continue;
      const std::size_t first = out.size();
      merger.merge(word, out);
      merger.remember(word, out, first);
    }
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
  /// The place of each token among all by score, the best first; equal scores share one.
  static std::vector<std::uint32_t> ranks_of(const Vocabulary& vocabulary) {
    std::vector<TokenId> order(static_cast<std::size_t>(vocabulary.size()));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return vocabulary.score(a) > vocabulary.score(b); });
    std::vector<std::uint32_t> ranks(order.size());
    std::uint32_t rank = 0;
    for (std::size_t i = 0; i < order.size(); i++) {
      if (i > 0 && vocabulary.score(order[i]) < vocabulary.score(order[i - 1])) rank++;
      ranks[static_cast<std::size_t>(order[i])] = rank;
    }
    return ranks;
  }

  std::optional<std::uint32_t> rank(std::string_view whole, std::size_t) const override {
    const std::optional<TokenId> id = vocabulary_.find(whole);
    return id ? std::optional(ranks_[static_cast<std::size_t>(*id)]) : std::nullopt;
  }

  void emit(std::string_view piece, std::vector<TokenId>& out) const override {
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
  Neighbours neighbours_;
  std::vector<std::uint32_t> ranks_;
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
