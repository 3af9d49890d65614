#include "llm/tokenizer/word_splitter.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
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
  bool is_plain = false;
  bool marks_spaces = false;
};

/// The names that converters write into tokenizer.ggml.pre.
const std::vector<PreTokenizer>& pre_tokenizers() {
  static const std::vector<PreTokenizer> table = {
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"}, {llama3_word}, true, true, true},
      {{"glm4", "glm5"}, {llama3_word}, true, true},
      {{"smaug-bpe", "dbrx", "chatglm-bpe"}, {llama3_word}, false, true},
      {{"jais-2"}, {jais2_word}, false, true},
      {{"ufakzeka"}, {plain_word}},
      {{"laguna"}, {one_line, qwen2_word}},
      {{"exaone-moe"}, {exaone_moe_word}, false, true},
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
      {{"deepseek-llm"}, {one_line_end, deepseek_letter_run, deepseek_sign_run, last_white_space, ideograph_run, number_run}},
      {{"deepseek-coder"}, {one_line_end, spaced_letters, spaced_punctuation, ideograph_run, one_number}},
      {{"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"}, {three_numbers, han_kana_run, deepseek3_word}},
      {{"spark2_5"}, {three_numbers, han_kana_run, spark_word, one_number}},
      {{"afmoe"}, {number_groups, afmoe_script, deepseek3_word}},
      {{"youtu"}, {youtu_script, youtu_word}, true},
      {{"kimi-k2"}, {kimi_word}},
      {{"superbpe"}, {number_run, number_groups}},
      {{"tiny_aya", "cohere2moe"}, {free_number_groups, gpt4o_word}},
      {{"granite-embed-multi-97m"}, {gpt4o_word}, true},
      {{"chameleon"}, {chameleon_special, chameleon_blank, one_number, one_punctuation, gpt2_word}, false, false, true},
      {{"gemma4", "granite-embed-multi-311m", "sarvam-moe"}, {one_line}, false, false, false, true, true},
      {{"whitespace"}, {no_white_space}, false, false, false, true},
      {{"tekken"}, {tekken_word}, true, false, true},
      {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, {gpt4o_word}},
      {{"bloom", "gpt3-finnish"}, {bloom_word}, false, true},
      {{"poro-chat"}, {bloom_word}},
      {{"viking"}, {bloom_word, one_number}},
  };
  return table;
}

/// What force_pre_tokenizer() names, or null.
std::atomic<const PreTokenizer*> forced = nullptr;

const PreTokenizer* known_pre_tokenizer(std::string_view name) {
  for (const PreTokenizer& entry : pre_tokenizers()) {
    if (std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end()) return &entry;
  }
  return nullptr;
}

const PreTokenizer* pre_tokenizer_of(std::string_view name) {
  const PreTokenizer* const entry = known_pre_tokenizer(name);
  return entry == nullptr ? forced.load() : entry;
}

/// Insertions, removals and replacements of characters from one name to the other (Levenshtein, 1966).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

/// The names of files are not bounded; the longest known one has 24 bytes.
constexpr std::size_t longest_name = 64;

std::string most_similar(std::string_view name) {
  name = name.substr(0, longest_name);
  std::string_view nearest;
  std::size_t least = SIZE_MAX;
  for (const PreTokenizer& entry : pre_tokenizers()) {
    for (const std::string_view known : entry.names) {
      const std::size_t distance = edit_distance(name, known);
      if (known.empty() || distance >= least) continue;
      least = distance;
      nearest = known;
    }
  }
  return std::string(nearest);
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
  if (entry == nullptr) throw Error(ErrorCode::invalid_model, "The model's pre-tokenizer \"" + std::string(name) + "\" is not supported; the most similar name that is: \"" + most_similar(name) + "\". The setting --pre-tokenizer names one that such files are read with.");
  rules_ = entry->rules;
  whole_words_first_ = entry->whole_words_first;
  joins_contractions_ = entry->joins_contractions;
  is_plain_ = entry->is_plain;
  marks_spaces_ = entry->marks_spaces;
}

void force_pre_tokenizer(std::string_view name) {
  const PreTokenizer* const entry = name.empty() ? nullptr : known_pre_tokenizer(name);
  if (entry == nullptr && !name.empty()) {
    throw Error(ErrorCode::invalid_request, "There is no pre-tokenizer \"" + std::string(name.substr(0, longest_name)) + "\"; the most similar name is \"" + most_similar(name) + "\".");
  }
  forced = entry;
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
        const std::size_t matched = rule(text.codes, at, end);
        const std::size_t length = matched & ~passed_over;
        pace.step(length + 1);
        if (matched == 0 || matched >= passed_over) {
          at += std::max<std::size_t>(length, 1);
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
