#include <string>

#include "llm/tokenizer/segmenters.h"
#include "llm/tokenizer/trie.h"
#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

class WordPiece : public Segmenter {
 public:
  WordPiece(const Vocabulary& vocabulary, const gguf::Metadata& metadata)
      : vocabulary_(vocabulary),
        lower_case_(metadata.find_bool("tokenizer.ggml.normalizer.lowercase").value_or(true)),
        strip_accents_(metadata.find_bool("tokenizer.ggml.normalizer.strip_accents").value_or(lower_case_)) {
    for (TokenId id = 0; id < vocabulary.size(); id++) {
      if (!vocabulary.text(id).empty()) pieces_.insert(vocabulary.text(id), id);
    }
  }

  void segment(std::string_view text, std::vector<TokenId>& out, Pace& pace) const override {
    for (const Word& word : words(text, pace)) segment_word(word, out, pace);
  }

  void append_bytes(TokenId id, std::string& out) const override { append_unmarked(vocabulary_.text(id), out); }

  std::string tidy(std::string text) const override { return join_contractions(std::move(text)); }

 private:
  struct Word {
    std::string text;
    int letters = 0;  // code points
  };
  /// BERT's own tokenizer (max_input_chars_per_word) does not cut longer words: each is one unknown token.
  static constexpr int most_letters = 100;

  /// In lower case and without accents where the model asks for it; controls dropped; punctuation and ideographs as words of their own.
  std::vector<Word> words(std::string_view text, Pace& pace) const {
    std::vector<Word> found(1);
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = decode_utf8(text, at);
      at += point.bytes;
      pace.step();
      add(strip_accents_ ? base_of(point.value) : point.value, found);
    }
    if (found.back().letters == 0) found.pop_back();
    return found;
  }

  void add(std::uint32_t code, std::vector<Word>& found) const {
    if (is_white_space(code)) {
      if (found.back().letters > 0) found.emplace_back();
      return;
    }
    const char category = category_of(code);
    if (code == 0 || code == replacement_character || category == 'C' || (strip_accents_ && category == 'M')) return;
    const bool alone = category == 'P' || (code < 0x7F && category == 'S') || is_ideograph(code);
    if (alone && found.back().letters > 0) found.emplace_back();
    append_utf8(lower_case_ ? lower_case(code) : code, found.back().text);
    found.back().letters++;
    if (alone) found.emplace_back();
  }

  void add_unknown(std::vector<TokenId>& out) const {
    if (vocabulary_.unknown) out.push_back(*vocabulary_.unknown);
  }

  void segment_word(const Word& word, std::vector<TokenId>& out, Pace& pace) const {
    if (word.letters > most_letters) return add_unknown(out);
    const std::string marked = std::string(space_mark) + word.text;
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
        return add_unknown(out);
      }
      out.push_back(longest);
      at = after;
    }
  }

  const Vocabulary& vocabulary_;
  bool lower_case_;
  bool strip_accents_;
  Trie pieces_;
};

}  // namespace

std::unique_ptr<Segmenter> make_word_piece(const Vocabulary& vocabulary, const gguf::Metadata& metadata) {
  return std::make_unique<WordPiece>(vocabulary, metadata);
}

}  // namespace lectern::llm
