#include "llm/tokenizer/tokenizer.h"

#include <string>

#include "error.h"
#include "llm/tokenizer/segmenters.h"
#include "llm/tokenizer/trie.h"
#include "llm/tokenizer/word_splitter.h"

namespace lectern::llm {

/// Finds the tokens that are taken whole out of a text, the longest at each place.
class Tokenizer::Specials {
 public:
  explicit Specials(const Vocabulary& vocabulary) {
    for (TokenId id = 0; id < vocabulary.size(); id++) {
      const TokenKind kind = vocabulary.kind(id);
      const std::string_view text = vocabulary.text(id);
      if (text.empty()) continue;
      if (kind == TokenKind::user_defined) plain_.insert(text, id);
      if (kind == TokenKind::user_defined || kind == TokenKind::control || kind == TokenKind::unknown) all_.insert(text, id);
    }
  }

  struct Found {
    TokenId id;
    std::size_t bytes;  // 0: none begins here
  };

  /// The longest that begins at `place`: a control token only if it ends before byte `trusted_end`.
  Found at(std::string_view text, std::size_t place, std::size_t trusted_end) const {
    const Found plain = longest(plain_, text, place);
    if (place >= trusted_end) return plain;
    const Found any = longest(all_, text.substr(0, trusted_end), place);
    return any.bytes >= plain.bytes ? any : plain;
  }

 private:
  static Found longest(const Trie& trie, std::string_view text, std::size_t place) {
    Found found{0, 0};
    std::int32_t node = trie.root();
    for (std::size_t i = place; i < text.size() && (node = trie.step(node, text[i])) != Trie::none; i++) {
      if (trie.value(node) != Trie::none) found = {trie.value(node), i + 1 - place};
    }
    return found;
  }

  Trie plain_;
  Trie all_;
};

namespace {

std::unique_ptr<Segmenter> make_segmenter(const Vocabulary& vocabulary, const gguf::Metadata& metadata) {
  const std::string_view model = metadata.get_string("tokenizer.ggml.model");
  if (model == "llama") return make_sentence_piece(vocabulary, metadata);
  if (model == "gpt2") return make_byte_pairs(vocabulary, metadata);
  if (model == "bert") return make_word_piece(vocabulary, metadata);
  if (model == "t5") return make_unigram(vocabulary, metadata);
  throw Error(ErrorCode::invalid_model, "The model's tokenizer \"" + std::string(model) + "\" is not supported.");
}

const Cancel never_cancelled;

bool is_blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

struct EdgeTokens {
  bool bos;
  bool eos;
};

/// What a kind of vocabulary adds where the file does not say. XLM-RoBERTa's (t5) begins with <s>, whatever T5 itself does: encoders alone are served with it.
EdgeTokens usual_edges(std::string_view model, std::string_view pre) {
  if (model == "bert" || model == "t5") return {true, true};
  return {model == "llama" || begins_texts(pre), false};
}

std::optional<TokenId> first_of(std::initializer_list<std::optional<TokenId>> ids) {
  for (const std::optional<TokenId>& id : ids) {
    if (id) return id;
  }
  return std::nullopt;
}

}  // namespace

Tokenizer::Tokenizer(const gguf::Metadata& metadata)
    : vocabulary_(metadata), segmenter_(make_segmenter(vocabulary_, metadata)), specials_(std::make_unique<Specials>(vocabulary_)) {
  const EdgeTokens usual = usual_edges(metadata.get_string("tokenizer.ggml.model"), vocabulary_.pre_tokenizer);
  vocabulary_.add_bos = metadata.find_bool("tokenizer.ggml.add_bos_token").value_or(usual.bos);
  vocabulary_.add_eos = metadata.find_bool("tokenizer.ggml.add_eos_token").value_or(usual.eos);
  // Older conversions of XLM-RoBERTa do not have the key; their pairs have a separator all the same.
  vocabulary_.add_separator = metadata.find_bool("tokenizer.ggml.add_sep_token").value_or(usual.eos);
  // Phi-3's SentencePiece tokens were trained with the white space behind them swallowed; the file does not say so.
  strips_behind_specials_ = metadata.find_string("general.architecture").value_or("") == "phi3" && metadata.get_string("tokenizer.ggml.model") == "llama";
  // Encoders with byte pairs may name [CLS] and [SEP] alone.
  if (!vocabulary_.bos) vocabulary_.bos = vocabulary_.cls;
  if (!vocabulary_.eos && vocabulary_.add_eos) vocabulary_.eos = vocabulary_.separator;
  if (metadata.get_string("tokenizer.ggml.model") != "bert") return;
  // BERT's text begins with [CLS] and ends with [SEP], whatever the flags say. Converters named the former cls_token_id until 2025, and name it bos_token_id since.
  vocabulary_.bos = first_of({vocabulary_.cls, vocabulary_.bos, vocabulary_.find("[CLS]")});
  vocabulary_.eos = first_of({vocabulary_.separator, vocabulary_.eos, vocabulary_.find("[SEP]")});
  if (!vocabulary_.unknown) vocabulary_.unknown = vocabulary_.find("[UNK]");
  vocabulary_.add_bos = vocabulary_.add_eos = true;
  one_separator_ = true;
  if (!vocabulary_.bos || !vocabulary_.eos) {
    throw Error(ErrorCode::invalid_model, "The model file names no token that begins a text ([CLS]) or none that ends it ([SEP]): its embeddings would be wrong without them.");
  }
}

Tokenizer::~Tokenizer() = default;

std::vector<TokenId> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  CancelPace pace(never_cancelled);
  return encode(text, options, pace);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, EncodeOptions options, Pace& pace) const {
  std::vector<Range> trusted;
  if (options.parse_special) trusted.push_back({0, text.size()});
  return encode(text, trusted, options.add_special, pace);
}

std::vector<TokenId> Tokenizer::encode(const std::vector<PromptPart>& parts, bool add_special) const {
  CancelPace pace(never_cancelled);
  return encode(parts, add_special, pace);
}

std::vector<TokenId> Tokenizer::encode(const std::vector<PromptPart>& parts, bool add_special, Pace& pace) const {
  std::string text;
  std::vector<Range> trusted;
  for (const PromptPart& part : parts) {
    const std::size_t begin = text.size();
    text += part.text;
    if (!part.special || part.text.empty()) continue;
    if (!trusted.empty() && trusted.back().end == begin) trusted.back().end = text.size();
    else trusted.push_back({begin, text.size()});
  }
  return encode(text, trusted, add_special, pace);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, const std::vector<Range>& trusted, bool add_special, Pace& pace) const {
  std::vector<TokenId> ids;
  ids.reserve(text.size() / 3 + 4);
  if (add_special && vocabulary_.add_bos && vocabulary_.bos) ids.push_back(*vocabulary_.bos);
  std::size_t reference_from = 0;
  auto range = trusted.begin();
  for (std::size_t at = 0; at < text.size();) {
    pace.step();
    while (range != trusted.end() && range->end <= at) ++range;
    const bool within = range != trusted.end() && range->begin <= at;
    const Specials::Found special = specials_->at(text, at, within ? range->end : at);
    if (special.bytes == 0) {
      at++;
      continue;
    }
    if (reference_from < at) segmenter_->segment(text.substr(reference_from, at - reference_from), ids, pace);
    ids.push_back(special.id);
    at += special.bytes;
    while (strips_behind_specials_ && at < text.size() && is_blank(text[at])) at++;
    reference_from = at;
  }
  if (reference_from < text.size()) segmenter_->segment(text.substr(reference_from), ids, pace);
  if (add_special && vocabulary_.add_eos && vocabulary_.eos) ids.push_back(*vocabulary_.eos);
  return ids;
}

TokenPair Tokenizer::encode_pair(std::string_view first, std::string_view second, Pace& pace) const {
  const Vocabulary& words = vocabulary_;
  const auto add = [](std::optional<TokenId> id, bool wanted, std::vector<TokenId>& ids) {
    if (wanted && id) ids.push_back(*id);
  };
  TokenPair pair;
  add(words.bos, words.add_bos, pair.ids);
  const std::vector<TokenId> before = encode(first, {}, pace);
  pair.ids.insert(pair.ids.end(), before.begin(), before.end());
  add(words.eos, words.add_eos, pair.ids);
  // BERT: [CLS] A [SEP] B [SEP]; RoBERTa: <s> A </s> </s> B </s>.
  add(first_of({words.separator, words.eos}), words.add_separator && !one_separator_, pair.ids);
  pair.second = pair.ids.size();
  const std::vector<TokenId> after = encode(second, {}, pace);
  pair.ids.insert(pair.ids.end(), after.begin(), after.end());
  add(words.eos, words.add_eos, pair.ids);
  return pair;
}

std::string Tokenizer::decode(const std::vector<TokenId>& ids) const {
  std::string text;
  for (const TokenId id : ids) {
    if (id < 0 || id >= vocabulary_.size()) throw Error(ErrorCode::invalid_request, "The token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(vocabulary_.size()) + ".");
    append_bytes(id, true, text);
  }
  return segmenter_->tidy(std::move(text));
}

void Tokenizer::append_bytes(TokenId id, bool specials, std::string& out) const {
  const TokenKind kind = vocabulary_.kind(id);
  if (!specials && (kind == TokenKind::control || kind == TokenKind::unknown)) return;
  segmenter_->append_bytes(id, out);
}

}  // namespace lectern::llm
