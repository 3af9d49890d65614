#include "llm/tokenizer/vocabulary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "error.h"
#include "llm/config.h"

namespace lectern::llm {
namespace {

/// Beyond any published vocabulary by an order of magnitude; ids stay well inside 32 bits.
constexpr std::uint64_t max_tokens = 1U << 24;

/// The first conversions of Llama 3 carry no name; its vocabulary is known by where its first two specials stand.
constexpr TokenId llama3_begin = 128000;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorCode::invalid_model, sentence); }

}  // namespace

Vocabulary::Vocabulary(const gguf::Metadata& metadata) {
  const gguf::Array* tokens = metadata.find_strings("tokenizer.ggml.tokens");
  if (tokens == nullptr || tokens->count == 0) refuse("The model file has no tokens (key \"tokenizer.ggml.tokens\").");
  if (tokens->count > max_tokens) refuse("The model file has " + std::to_string(tokens->count) + " tokens, more than are supported.");
  keep_texts(tokens->strings);
  scores_ = metadata.find_floats("tokenizer.ggml.scores").value_or(std::vector<float>(texts_.size(), 0.0F));
  if (scores_.size() != texts_.size()) refuse("The model file has another number of scores than of tokens.");
  if (!std::all_of(scores_.begin(), scores_.end(), [](float score) { return std::isfinite(score); })) refuse("The model file has a token score that is no number.");
  const auto kinds = metadata.find_integers("tokenizer.ggml.token_type");
  if (kinds && kinds->size() != texts_.size()) refuse("The model file has another number of token types than of tokens.");
  kinds_.assign(texts_.size(), TokenKind::normal);
  for (std::size_t i = 0; kinds && i < kinds_.size(); i++) {
    const std::int32_t kind = (*kinds)[i];
    kinds_[i] = kind >= 1 && kind <= 6 ? static_cast<TokenKind>(kind) : TokenKind::normal;
  }
  by_text_.reserve(texts_.size());
  for (std::size_t i = 0; i < texts_.size(); i++) by_text_.emplace(texts_[i], static_cast<TokenId>(i));
  const bool llama3 = size() > llama3_begin + 1 && text(llama3_begin) == "<|begin_of_text|>" && text(llama3_begin + 1) == "<|end_of_text|>";
  pre_tokenizer = metadata.find_string("tokenizer.ggml.pre").value_or(llama3 ? "llama-bpe" : "default");
  // Ollama's converter does not know the expression of gpt-oss and writes "default"; Ollama applies the right one.
  if (metadata.find_string("general.architecture").value_or("") == ollama_gpt_oss) pre_tokenizer = "gpt-4o";
  read_specials(metadata);
  collect_end_tokens();
}

std::optional<TokenId> Vocabulary::find(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? std::nullopt : std::optional(found->second);
}

void Vocabulary::keep_texts(const std::vector<std::string_view>& texts) {
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  // One allocation that never moves: the texts are views into it.
  bytes_.reserve(bytes);
  texts_.reserve(texts.size());
  for (const std::string_view text : texts) {
    const std::size_t begin = bytes_.size();
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    texts_.emplace_back(bytes_.data() + begin, text.size());
  }
}

void Vocabulary::read_specials(const gguf::Metadata& metadata) {
  const auto id = [&](std::string_view key) -> std::optional<TokenId> {
    const auto number = metadata.find_unsigned("tokenizer.ggml." + std::string(key), UINT64_MAX);
    if (!number) return std::nullopt;
    // Converters write all ones for "none"; any other id outside is a fault.
    if (*number == UINT32_MAX) return std::nullopt;
    if (*number >= texts_.size()) refuse("The model file's " + std::string(key) + " is " + std::to_string(*number) + ", outside its " + std::to_string(texts_.size()) + " tokens.");
    return static_cast<TokenId>(*number);
  };
  bos = id("bos_token_id");
  eos = id("eos_token_id");
  eot = id("eot_token_id");
  eom = id("eom_token_id");
  unknown = id("unknown_token_id");
  padding = id("padding_token_id");
  separator = id("seperator_token_id");  // so spelt in the format
  cls = id("cls_token_id");
  mask = id("mask_token_id");
}

void Vocabulary::collect_end_tokens() {
  const auto add = [this](std::optional<TokenId> id) {
    if (id && std::find(end_tokens_.begin(), end_tokens_.end(), *id) == end_tokens_.end()) end_tokens_.push_back(*id);
  };
  add(eos);
  add(eot);
  add(eom);
  // Files often name only the end of text; these end a turn whatever the file says.
  constexpr std::array<std::string_view, 18> names = {"<|eot_id|>",    "<|im_end|>",      "<|eom_id|>",          "<|end|>",   "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "</s>",          "<EOT>",
                                                      "_<EOT>",        "[EOT]",           "<end_of_utterance>",  "<|return|>", "<|call|>",      "<|fim_pad|>",   "<|repo_name|>",   "<|file_sep|>",
                                                      "<\xEF\xBD\x9C" "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"};
  for (const std::string_view name : names) {
    const auto id = find(name);
    if (!id) continue;
    // Some files call them user-defined, which would let a user's text end the turn.
    if (kind(*id) == TokenKind::user_defined) kinds_[static_cast<std::size_t>(*id)] = TokenKind::control;
    if (kind(*id) == TokenKind::control) add(id);
  }
  // In the harmony form <|end|> ends one message of several, and one of these the last.
  if (find("<|return|>") && find("<|call|>")) {
    const auto id = find("<|end|>");
    if (id) std::erase(end_tokens_, *id);
  }
}

}  // namespace lectern::llm
