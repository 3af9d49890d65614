#include "llm/tokenizer/word_splitter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "error.h"
#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

/// How the models of some names cut text, and what else goes with the names.
struct PreTokenizer {
  std::vector<std::string_view> names;
  std::vector<WordRule> rules;
  bool whole_words_first = false;
  bool joins_contractions = false;
  bool begins_texts = false;
};

/// The names that converters write into tokenizer.ggml.pre.
const std::vector<PreTokenizer>& pre_tokenizers() {
  static const std::vector<PreTokenizer> table = {
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"}, {llama3_word}, true, true, true},
      {{"smaug-bpe", "dbrx", "glm4", "chatglm-bpe"}, {llama3_word}, false, true},
      {{"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "bailingmoe", "bailingmoe2", "llada-moe", "hunyuan", "grok-2", "solar-open"}, {qwen2_word}},
      {{"megrez", "stablelm2"}, {qwen2_word}, false, true},
      {{"qwen35"}, {qwen35_word}},
      {{"seed-coder"}, {seed_coder_word}},
      {{"minicpm5"}, {three_numbers, long_number_word}, true, true},
      {{"gpt-2", "phi-2", "jina-es", "jina-de", "jina-v2-es", "jina-v2-de", "jina-v1-en", "jina-v2-code", "roberta-bpe", "gigachat", "a.x-4.0", "mellum", "modern-bert", "mpt", "olmo", "jais", "exaone4"},
       {gpt2_word}, false, true},
      {{"trillion", "granite-docling"}, {gpt2_word}},
      {{"smollm", "command-r"}, {one_number, gpt2_word}},
      {{"starcoder", "refact", "codeshell", "exaone", "minerva-7b", "mellum2"}, {one_number, gpt2_word}, false, true},
      {{"default", ""}, {punctuation_run, gpt2_word, number_run, three_digits}, false, true},
      {{"falcon"}, {falcon_punctuation, gpt2_word, three_digits}, false, true},
      {{"deepseek-coder"}, {one_line_end, spaced_letters, spaced_punctuation, ideograph_run, one_number}},
      {{"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"}, {three_numbers, han_kana_run, deepseek3_word}},
      {{"tekken"}, {tekken_word}, true, false, true},
      {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, {gpt4o_word}},
      {{"bloom", "gpt3-finnish"}, {bloom_word}, false, true},
      {{"poro-chat"}, {bloom_word}},
      {{"viking"}, {bloom_word, one_number}},
  };
  return table;
}

const PreTokenizer* pre_tokenizer_of(std::string_view name) {
  for (const PreTokenizer& entry : pre_tokenizers()) {
    if (std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end()) return &entry;
  }
  return nullptr;
}

}  // namespace

DecodedText::DecodedText(std::string_view text, Pace& pace) {
  codes.reserve(text.size());
  offsets.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    codes.push_back(point.value);
    offsets.push_back(static_cast<std::uint32_t>(at));
    at += point.bytes;
    pace.step();
  }
  offsets.push_back(static_cast<std::uint32_t>(text.size()));
}

WordSplitter::WordSplitter(std::string_view name) {
  const PreTokenizer* const entry = pre_tokenizer_of(name);
  if (entry == nullptr) throw Error(ErrorCode::invalid_model, "The model's pre-tokenizer \"" + std::string(name) + "\" is not supported.");
  rules_ = entry->rules;
  whole_words_first_ = entry->whole_words_first;
  joins_contractions_ = entry->joins_contractions;
}

bool begins_texts(std::string_view name) {
  const PreTokenizer* const entry = pre_tokenizer_of(name);
  return entry != nullptr && entry->begins_texts;
}

std::vector<std::pair<std::size_t, std::size_t>> WordSplitter::split(const DecodedText& text, Pace& pace) const {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  if (!text.codes.empty()) ranges.emplace_back(0, text.codes.size());
  for (const WordRule rule : rules_) {
    std::vector<std::pair<std::size_t, std::size_t>> words;
    words.reserve(ranges.size());
    for (const auto& [begin, end] : ranges) {
      std::size_t gap = begin;
      for (std::size_t at = begin; at < end;) {
        const std::size_t length = rule(text.codes, at, end);
        pace.step(length + 1);
        if (length == 0) {
          at++;
          continue;
        }
        if (gap < at) words.emplace_back(gap, at);
        words.emplace_back(at, at + length);
        at += length;
        gap = at;
      }
      if (gap < end) words.emplace_back(gap, end);
    }
    ranges = std::move(words);
  }
  return ranges;
}

}  // namespace lectern::llm
