#include <array>
#include <functional>
#include <string>
#include <unordered_map>

#include "error.h"
#include "llm/tokenizer/merges.h"
#include "llm/tokenizer/segmenters.h"
#include "llm/tokenizer/unicode.h"
#include "llm/tokenizer/word_splitter.h"

namespace lectern::llm {
namespace {

/// GPT-2's printable stand-ins for bytes: those that print stand for themselves, the others follow from U+0100 on.
std::array<std::uint32_t, 256> byte_stand_ins() {
  std::array<std::uint32_t, 256> table{};
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 256; byte++) {
    const bool prints = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    table[byte] = prints ? byte : next++;
  }
  return table;
}

/// A merge by what it makes and where its two parts meet.
struct MergeKey {
  std::string_view whole;
  std::size_t left_bytes;
  bool operator==(const MergeKey&) const = default;
};

struct MergeHash {
  std::size_t operator()(const MergeKey& key) const noexcept { return std::hash<std::string_view>()(key.whole) * 31 + key.left_bytes; }
};

class BytePairs : public Segmenter, private MergeRules {
 public:
  BytePairs(const Vocabulary& vocabulary, const gguf::Metadata& metadata)
      : vocabulary_(vocabulary), splitter_(vocabulary.pre_tokenizer) {
    const std::array<std::uint32_t, 256> stand_ins = byte_stand_ins();
    for (std::uint32_t byte = 0; byte < 256; byte++) {
      append_utf8(stand_ins[byte], stand_in_[byte]);
      byte_of_.emplace(stand_ins[byte], static_cast<char>(byte));
    }
    for (TokenId id = 0; splitter_.is_plain() && id < vocabulary_.size(); id++) {
      char byte = 0;
      if (vocabulary_.kind(id) == TokenKind::byte && read_byte_token(vocabulary_.text(id), byte)) byte_tokens_[static_cast<std::uint8_t>(byte)] = id;
    }
    read_merges(metadata);
  }

  void segment(std::string_view given, std::vector<TokenId>& out, Pace& pace) const override {
    std::string marked;
    if (splitter_.marks_spaces()) append_marked(given, marked);
    const std::string_view text = splitter_.marks_spaces() ? std::string_view(marked) : given;
    const DecodedText decoded(text, pace);
    Merger merger(*this, pace);
    std::string printed;
    for (const auto& [begin, end] : splitter_.split(decoded, pace)) {
      pace.step();
      const std::size_t from = decoded.offsets[begin];
      const std::string_view word = text.substr(from, decoded.offsets[end] - from);
      if (merger.recall(word, out)) continue;
      const std::size_t first = out.size();
      printed.clear();
      if (splitter_.is_plain()) printed = word;
      else for (const char byte : word) printed += stand_in_[static_cast<std::uint8_t>(byte)];
      const std::optional<TokenId> id = splitter_.whole_words_first() ? vocabulary_.find(printed) : std::nullopt;
      if (id) out.push_back(*id);
      else merger.merge(printed, out);
      merger.remember(word, out, first);
    }
  }

  void append_bytes(TokenId id, std::string& out) const override {
    const std::string_view text = vocabulary_.text(id);
    char stands_for = 0;
    if (splitter_.is_plain() && vocabulary_.kind(id) == TokenKind::byte && read_byte_token(text, stands_for)) {
      out.push_back(stands_for);
      return;
    }
    if (vocabulary_.kind(id) != TokenKind::normal) {
      out += text;
      return;
    }
    if (splitter_.is_plain()) {
      if (splitter_.marks_spaces()) append_unmarked(text, out);
      else out += text;
      return;
    }
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = decode_utf8(text, at);
      const auto byte = byte_of_.find(point.value);
      // A token that is not made of stand-ins speaks for itself.
      if (byte == byte_of_.end()) out += text.substr(at, point.bytes);
      else out.push_back(byte->second);
      at += point.bytes;
    }
  }

  std::string tidy(std::string text) const override { return splitter_.joins_contractions() ? join_contractions(std::move(text)) : text; }

 private:
  void read_merges(const gguf::Metadata& metadata) {
    const gguf::Array* merges = metadata.find_strings("tokenizer.ggml.merges");
    if (merges == nullptr) throw Error(ErrorCode::invalid_model, "The model file has no merges (key \"tokenizer.ggml.merges\").");
    std::size_t bytes = 0;
    for (const std::string_view merge : merges->strings) bytes += merge.size();
    // One allocation that never moves: the keys are views into it.
    merge_texts_.reserve(bytes);
    ranks_.reserve(merges->strings.size());
    filter_ = PairFilter(merges->strings.size());
    for (std::size_t rank = 0; rank < merges->strings.size(); rank++) {
      const std::string_view merge = merges->strings[rank];
      // A part may itself begin with a space, so the search starts behind the first sign.
      const std::size_t space = merge.find(' ', 1);
      if (space == std::string_view::npos) throw Error(ErrorCode::invalid_model, "The model file's merge " + std::to_string(rank) + " is not two parts.");
      const std::size_t start = merge_texts_.size();
      merge_texts_.append(merge.substr(0, space)).append(merge.substr(space + 1));
      filter_.add(PairFilter::hash(merge.substr(0, space)), PairFilter::hash(merge.substr(space + 1)));
      ranks_.emplace(MergeKey{std::string_view(merge_texts_).substr(start), space}, static_cast<std::uint32_t>(rank));
    }
  }

  const PairFilter* filter() const override { return &filter_; }

  std::optional<std::uint32_t> rank(std::string_view whole, std::size_t left_bytes) const override {
    const auto found = ranks_.find({whole, left_bytes});
    return found == ranks_.end() ? std::nullopt : std::optional(found->second);
  }

  void emit(std::string_view piece, std::vector<TokenId>& out) const override {
    if (const std::optional<TokenId> id = vocabulary_.find(piece)) {
      out.push_back(*id);
      return;
    }
    if (splitter_.is_plain()) {
      for (const char byte : piece) {
        if (const std::optional<TokenId> id = byte_tokens_[static_cast<std::uint8_t>(byte)]) out.push_back(*id);
      }
      return;
    }
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t bytes = utf8_length(static_cast<std::uint8_t>(piece[at]));
      if (const std::optional<TokenId> id = vocabulary_.find(piece.substr(at, bytes))) out.push_back(*id);
      at += bytes;
    }
  }

  const Vocabulary& vocabulary_;
  WordSplitter splitter_;
  std::array<std::string, 256> stand_in_;
  std::unordered_map<std::uint32_t, char> byte_of_;
  std::array<std::optional<TokenId>, 256> byte_tokens_;  // of plain vocabularies
  PairFilter filter_{0};
  std::string merge_texts_;
  std::unordered_map<MergeKey, std::uint32_t, MergeHash> ranks_;
};

}  // namespace

std::unique_ptr<Segmenter> make_byte_pairs(const Vocabulary& vocabulary, const gguf::Metadata& metadata) {
  return std::make_unique<BytePairs>(vocabulary, metadata);
}

}  // namespace lectern::llm
