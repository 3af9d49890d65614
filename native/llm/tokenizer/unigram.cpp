#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "error.h"
#include "llm/tokenizer/segmenters.h"
#include "llm/tokenizer/trie.h"
#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

/// The normaliser that SentencePiece ships inside a model: a double-array trie of byte sequences with a replacement for each.
/// Layout: u32 bytes of the trie; the trie as u32 units; the replacements, each ended by a zero byte. A unit holds the label of the byte
/// that leads to it in bits 0-7, "a word ends here" in bit 8, and the offset to its children in bits 10-31, times 256 if bit 9 is set;
/// a unit with bit 31 is a value. (The format of the Darts-clone library.)
class CharacterMap {
  // No published rule is near these; without them a hostile file could make one character of text a megabyte.
  static constexpr std::size_t max_sequence = 256;
  static constexpr std::size_t max_replacement = 256;

 public:
  explicit CharacterMap(const std::vector<std::int32_t>& bytes) {
    std::string all;
    for (const std::int32_t byte : bytes) all.push_back(static_cast<char>(byte));
    std::uint32_t trie_bytes = 0;
    if (all.size() >= sizeof trie_bytes) std::memcpy(&trie_bytes, all.data(), sizeof trie_bytes);
    if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes > all.size() - sizeof trie_bytes) {
      throw Error(ErrorCode::invalid_model, "The model file's \"tokenizer.ggml.precompiled_charsmap\" is damaged.");
    }
    units_.resize(trie_bytes / 4);
    std::memcpy(units_.data(), all.data() + sizeof trie_bytes, trie_bytes);
    replacements_ = all.substr(sizeof trie_bytes + trie_bytes);
  }

  struct Match {
    std::size_t bytes;  // 0: nothing is replaced here
    std::string_view replacement;
  };

  /// The longest sequence at the start of `text` that has a replacement. Indices come from the file: each is checked.
  Match longest(std::string_view text) const {
    Match best{0, {}};
    std::size_t node = offset_of(units_[0]);
    for (std::size_t at = 0; at < std::min(text.size(), max_sequence); at++) {
      const auto byte = static_cast<std::uint8_t>(text[at]);
      node ^= byte;
      if (byte == 0 || node >= units_.size()) break;
      const std::uint32_t unit = units_[node];
      if ((unit & 0x800000FFU) != byte) break;
      node ^= offset_of(unit);
      if (node >= units_.size()) break;
      if (((unit >> 8) & 1U) != 0) best = {at + 1, replacement(units_[node] & 0x7FFFFFFFU)};
    }
    return best;
  }

 private:
  static std::size_t offset_of(std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200U) >> 6); }

  std::string_view replacement(std::size_t offset) const {
    if (offset >= replacements_.size()) return {};
    const std::string_view from = std::string_view(replacements_).substr(offset, max_replacement);
    return from.substr(0, from.find('\0'));
  }

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

class Unigram : public Segmenter {
 public:
  Unigram(const Vocabulary& vocabulary, const gguf::Metadata& metadata)
      : vocabulary_(vocabulary),
        space_prefix_(metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)),
        merge_spaces_(metadata.find_bool("tokenizer.ggml.remove_extra_whitespaces").value_or(true)) {
    if (const auto map = metadata.find_integers("tokenizer.ggml.precompiled_charsmap"); map && !map->empty()) map_.emplace_back(*map);
    double least = 0;
    for (TokenId id = 0; id < vocabulary.size(); id++) {
      const TokenKind kind = vocabulary.kind(id);
      if (kind == TokenKind::normal || kind == TokenKind::user_defined || kind == TokenKind::unused) words_.insert(vocabulary.text(id), id);
      if (kind == TokenKind::user_defined) user_words_.insert(vocabulary.text(id), id);
      if (kind == TokenKind::normal) least = std::min(least, static_cast<double>(vocabulary.score(id)));
    }
    unknown_score_ = least - 10.0;
  }

  void segment(std::string_view text, std::vector<TokenId>& out, Pace& pace) const override {
    const std::string normal = normalise(text, pace);
    if (normal.empty()) return;
    const std::vector<Cut> cuts = best_cuts(normal, pace);
    const std::size_t first = out.size();
    bool unknown_after = false;
    for (std::size_t end = normal.size(); end > 0; end = cuts[end].begin) {
      pace.step();
      const TokenId id = cuts[end].token;
      const bool unknown = id == unknown_token();
      // Neighbouring unknown characters are one unknown token.
      if (!(unknown && unknown_after)) out.push_back(id);
      unknown_after = unknown;
    }
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
  }

  void append_bytes(TokenId id, std::string& out) const override { append_unmarked(vocabulary_.text(id), out); }

  std::string tidy(std::string text) const override {
    if (space_prefix_ && !text.empty() && text.front() == ' ') text.erase(0, 1);
    return text;
  }

 private:
  /// The best way to reach a byte: by which token, from where, worth how much in all.
  struct Cut {
    TokenId token = 0;
    std::size_t begin = 0;
    double score = -std::numeric_limits<double>::infinity();
  };

  TokenId unknown_token() const { return vocabulary_.unknown.value_or(0); }

  /// What stands for the start of `text`, and how many of its bytes it stands for.
  CharacterMap::Match normal_form(std::string_view text) const {
    std::int32_t node = user_words_.root();
    std::size_t longest = 0;
    for (std::size_t at = 0; at < text.size() && (node = user_words_.step(node, text[at])) != Trie::none; at++) {
      if (user_words_.value(node) != Trie::none) longest = at + 1;
    }
    if (longest > 0) return {longest, text.substr(0, longest)};
    if (!map_.empty()) {
      if (const CharacterMap::Match match = map_.front().longest(text); match.bytes > 0) return match;
    }
    const CodePoint point = decode_utf8(text, 0);
    const bool broken = point.value == replacement_character && point.bytes == 1;
    return {point.bytes, broken ? std::string_view("\xEF\xBF\xBD") : text.substr(0, point.bytes)};
  }

  std::string normalise(std::string_view text, Pace& pace) const {
    std::string normal;
    normal.reserve(text.size() * 2);
    bool in_word = false;
    bool began = false;
    for (std::size_t at = 0; at < text.size();) {
      const CharacterMap::Match form = normal_form(text.substr(at));
      at += form.bytes;
      pace.step();
      for (const char byte : form.replacement) {
        if (byte == ' ') {
          if (in_word && !merge_spaces_) normal += space_mark;
          in_word = false;
          continue;
        }
        if (!in_word && (merge_spaces_ || (space_prefix_ && !began))) {
          normal += space_mark;
          began = true;
        }
        in_word = true;
        normal.push_back(byte);
      }
    }
    return normal;
  }

  /// Viterbi over the bytes; cuts[i] is the best way to reach byte i.
  std::vector<Cut> best_cuts(std::string_view text, Pace& pace) const {
    std::vector<Cut> cuts(text.size() + 1);
    cuts[0].score = 0;
    const auto challenge = [&cuts](std::size_t begin, std::size_t end, TokenId token, double score) {
      if (score > cuts[end].score) cuts[end] = {token, begin, score};
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t character = std::min(utf8_length(static_cast<std::uint8_t>(text[at])), text.size() - at);
      pace.step();
      bool character_known = false;
      std::int32_t node = words_.root();
      for (std::size_t end = at; end < text.size() && (node = words_.step(node, text[end])) != Trie::none; end++) {
        const TokenId id = words_.value(node);
        if (id == Trie::none) continue;
        if (end + 1 - at == character) character_known = true;
        const double worth = vocabulary_.kind(id) == TokenKind::user_defined ? 0.0 : static_cast<double>(vocabulary_.score(id));
        challenge(at, end + 1, id, cuts[at].score + worth);
      }
      if (!character_known) challenge(at, at + character, unknown_token(), cuts[at].score + unknown_score_);
      at += character;
    }
    return cuts;
  }

  const Vocabulary& vocabulary_;
  bool space_prefix_;
  bool merge_spaces_;
  std::vector<CharacterMap> map_;  // none or one
  Trie words_;
  Trie user_words_;
  double unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<Segmenter> make_unigram(const Vocabulary& vocabulary, const gguf::Metadata& metadata) {
  return std::make_unique<Unigram>(vocabulary, metadata);
}

}  // namespace lectern::llm
