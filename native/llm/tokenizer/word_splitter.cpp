#include "llm/tokenizer/word_splitter.h"

#include <array>
#include <string>
#include <utility>

#include "error.h"
#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

using Codes = std::vector<std::uint32_t>;

bool is_newline(std::uint32_t code) { return code == '\r' || code == '\n'; }

/// [^\s\p{L}\p{N}]
bool is_other(std::uint32_t code) { return !is_white_space(code) && !is_letter(code) && !is_number(code); }

template <class Predicate>
std::size_t run(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  std::size_t length = 0;
  while (at + length < end && belongs(codes[at + length])) length++;
  return length;
}

/// 's 't 'm 'd 're 've 'll
std::size_t contraction(const Codes& codes, std::size_t at, std::size_t end, bool any_case) {
  if (codes[at] != '\'' || at + 1 >= end) return 0;
  const auto letter = [&](std::size_t i) { return i < end ? (any_case ? lower_case(codes[i]) : codes[i]) : 0U; };
  const std::uint32_t first = letter(at + 1);
  const std::uint32_t second = letter(at + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const bool pair = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
  return pair ? 3 : 0;
}

/// \s+(?!\S)|\s+ : white space before a word leaves its last sign to the word.
std::size_t white_space(const Codes& codes, std::size_t at, std::size_t end) {
  const std::size_t length = run(codes, at, end, is_white_space);
  return length > 1 && at + length < end ? length - 1 : length;
}

/// \s*[\r\n]+ : white space up to and with its last line end.
std::size_t line_ends(const Codes& codes, std::size_t at, std::size_t end) {
  std::size_t length = run(codes, at, end, is_white_space);
  while (length > 0 && !is_newline(codes[at + length - 1])) length--;
  return length;
}

/// Llama 3's and Qwen 2's expression, which differ in how many digits make a word.
template <std::size_t max_digits>
std::size_t modern_word(const Codes& codes, std::size_t at, std::size_t end) {
  if (const std::size_t length = contraction(codes, at, end, true)) return length;
  const std::uint32_t first = codes[at];
  const std::size_t lead = is_letter(first) ? 0 : 1;
  if (lead == 0 || (!is_newline(first) && !is_number(first))) {
    const std::size_t letters = run(codes, at + lead, end, is_letter);
    if (letters > 0) return lead + letters;
  }
  if (is_number(first)) return run(codes, at, std::min(end, at + max_digits), is_number);
  const std::size_t space = first == ' ' ? 1 : 0;
  if (const std::size_t others = run(codes, at + space, end, is_other)) {
    return space + others + run(codes, at + space + others, end, is_newline);
  }
  if (const std::size_t length = line_ends(codes, at, end)) return length;
  return white_space(codes, at, end);
}

std::size_t gpt2_word(const Codes& codes, std::size_t at, std::size_t end) {
  if (const std::size_t length = contraction(codes, at, end, false)) return length;
  const std::size_t space = codes[at] == ' ' ? 1 : 0;
  if (const std::size_t letters = run(codes, at + space, end, is_letter)) return space + letters;
  if (const std::size_t digits = run(codes, at + space, end, is_number)) return space + digits;
  if (const std::size_t others = run(codes, at + space, end, is_other)) return space + others;
  return white_space(codes, at, end);
}

/// [\p{P}$+<=>^~|]+
std::size_t punctuation_run(const Codes& codes, std::size_t at, std::size_t end) {
  constexpr std::string_view signs = "$+<=>^~|";
  return run(codes, at, end, [&](std::uint32_t code) { return category_of(code) == 'P' || (code < 0x80 && signs.find(static_cast<char>(code)) != std::string_view::npos); });
}

std::size_t number_run(const Codes& codes, std::size_t at, std::size_t end) { return run(codes, at, end, is_number); }

std::size_t three_digits(const Codes& codes, std::size_t at, std::size_t end) {
  const std::size_t digits = run(codes, at, std::min(end, at + 3), [](std::uint32_t code) { return code >= '0' && code <= '9'; });
  return digits == 3 ? 3 : 0;
}

std::size_t one_line_end(const Codes& codes, std::size_t at, std::size_t) { return is_newline(codes[at]) ? 1 : 0; }

std::size_t one_number(const Codes& codes, std::size_t at, std::size_t) { return is_number(codes[at]) ? 1 : 0; }

/// \s?X+
template <class Predicate>
std::size_t spaced_run(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  const std::size_t space = is_white_space(codes[at]) ? 1 : 0;
  const std::size_t length = run(codes, at + space, end, belongs);
  return length > 0 ? space + length : 0;
}

std::size_t spaced_letters(const Codes& codes, std::size_t at, std::size_t end) { return spaced_run(codes, at, end, is_letter); }

std::size_t spaced_punctuation(const Codes& codes, std::size_t at, std::size_t end) {
  return spaced_run(codes, at, end, [](std::uint32_t code) { return category_of(code) == 'P'; });
}

std::size_t ideograph_run(const Codes& codes, std::size_t at, std::size_t end) {
  return run(codes, at, end, [](std::uint32_t code) { return (code >= 0x800 && code <= 0x9FA5) || (code >= 0xAC00 && code <= 0xD7FF); });
}

struct PreTokenizer {
  std::string_view name;
  bool whole_words_first;
  bool joins_contractions;
  std::vector<WordRule> rules;
};

const std::vector<PreTokenizer>& pre_tokenizers() {
  static const std::vector<PreTokenizer> table = {
      {"llama-bpe", true, true, {modern_word<3>}},
      {"qwen2", false, false, {modern_word<1>}},
      {"gpt-2", false, true, {gpt2_word}},
      {"default", false, true, {punctuation_run, gpt2_word, number_run, three_digits}},
      {"deepseek-coder", false, false, {one_line_end, spaced_letters, spaced_punctuation, ideograph_run, one_number}},
  };
  return table;
}

/// Other names under which files ask for one of these.
std::string_view canonical(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> aliases = {{
      {"llama3", "llama-bpe"}, {"llama-v3", "llama-bpe"}, {"smaug-bpe", "llama-bpe"}, {"deepseek-r1-qwen", "qwen2"}, {"", "default"},
  }};
  for (const auto& [alias, meant] : aliases) {
    if (alias == name) return meant;
  }
  return name;
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
  const std::string_view wanted = canonical(name);
  for (const PreTokenizer& entry : pre_tokenizers()) {
    if (entry.name != wanted) continue;
    rules_ = entry.rules;
    whole_words_first_ = entry.whole_words_first;
    joins_contractions_ = entry.joins_contractions;
    return;
  }
  throw Error(ErrorCode::invalid_model, "The model's pre-tokenizer \"" + std::string(name) + "\" is not supported.");
}

std::vector<std::pair<std::size_t, std::size_t>> WordSplitter::split(const DecodedText& text, Pace& pace) const {
  std::vector<std::pair<std::size_t, std::size_t>> stretches;
  if (!text.codes.empty()) stretches.emplace_back(0, text.codes.size());
  for (const WordRule rule : rules_) {
    std::vector<std::pair<std::size_t, std::size_t>> words;
    words.reserve(stretches.size());
    for (const auto& [begin, end] : stretches) {
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
    stretches = std::move(words);
  }
  return stretches;
}

}  // namespace lectern::llm
