#include <string>

#include "llm/tokenizer/segmenters.h"
#include "llm/tokenizer/trie.h"
#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

class WordPiece : public Segmenter {
 public:
  explicit WordPiece(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
    for (TokenId id = 0; id < vocabulary.size(); id++) {
      if (!vocabulary.text(id).empty()) pieces_.insert(vocabulary.text(id), id);
    }
  }

  void segment(std::string_view text, std::vector<TokenId>& out, Pace& pace) const override {
    for (const std::string& word : words(text, pace)) segment_word(word, out, pace);
  }

  void append_bytes(TokenId id, std::string& out) const override { append_unmarked(vocabulary_.text(id), out); }

  std::string tidy(std::string text) const override { return join_contractions(std::move(text)); }

 private:
  /// Lower case without accents; marks and controls dropped; punctuation and ideographs as words of their own.
  static std::vector<std::string> words(std::string_view text, Pace& pace) {
    std::vector<std::string> found(1);
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = decode_utf8(text, at);
      at += point.bytes;
      pace.step();
      add(base_of(point.value), found);
    }
    if (found.back().empty()) found.pop_back();
    return found;
  }

  static void add(std::uint32_t code, std::vector<std::string>& found) {
    if (is_white_space(code)) {
      if (!found.back().empty()) found.emplace_back();
      return;
    }
    const char category = category_of(code);
    if (code == 0 || code == replacement_character || category == 'C' || category == 'M') return;
    const std::uint32_t lower = lower_case(code);
    const bool alone = category == 'P' || (code < 0x7F && category == 'S') || is_ideograph(code);
    if (alone && !found.back().empty()) found.emplace_back();
    append_utf8(lower, found.back());
    if (alone) found.emplace_back();
  }

  void segment_word(const std::string& word, std::vector<TokenId>& out, Pace& pace) const {
    const std::string marked = std::string(space_mark) + word;
    const std::size_t before = out.size();
    for (std::size_t at = 0; at < marked.size();) {
      pace.step();
      std::int32_t node = pieces_.root();
      TokenId longest = Trie::none;
      std::size_t after = at;
      for (std::size_t end = at; end < marked.size() && (node = pieces_.step(node, marked[end])) != Trie::none; end++) {
        if (pieces_.value(node) == Trie::none) continue;
        longest = pieces_.value(node);
        after = end + 1;
      }
      if (longest == Trie::none) {
        // One piece missing makes the whole word unknown.
        out.resize(before);
        if (vocabulary_.unknown) out.push_back(*vocabulary_.unknown);
        return;
      }
      out.push_back(longest);
      at = after;
    }
  }

  const Vocabulary& vocabulary_;
  Trie pieces_;
};

}  // namespace

std::unique_ptr<Segmenter> make_word_piece(const Vocabulary& vocabulary, const gguf::Metadata&) {
  return std::make_unique<WordPiece>(vocabulary);
}

}  // namespace lectern::llm
