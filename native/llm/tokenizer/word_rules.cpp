#include "llm/tokenizer/word_rules.h"

#include <algorithm>
#include <string_view>

#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

using Codes = std::vector<std::uint32_t>;

bool is_newline(std::uint32_t code) { return code == '\r' || code == '\n'; }

bool is_mark(std::uint32_t code) { return category_of(code) == 'M'; }

bool is_letter_or_mark(std::uint32_t code) { return is_letter(code) || is_mark(code); }

/// [^\s\p{L}\p{N}]
bool is_other(std::uint32_t code) { return !is_white_space(code) && !is_letter(code) && !is_number(code); }

/// [\p{P}\p{S}]
bool is_sign(std::uint32_t code) { return category_of(code) == 'P' || category_of(code) == 'S'; }

bool is_ascii_letter(std::uint32_t code) { return (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z'); }

template <class Predicate>
std::size_t run(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  std::size_t length = 0;
  while (at + length < end && belongs(codes[at + length])) length++;
  return length;
}

/// 's 't 'm 'd 're 've 'll
std::size_t contraction(const Codes& codes, std::size_t at, std::size_t end, bool any_case) {
  if (at + 1 >= end || codes[at] != '\'') return 0;
  const auto letter = [&](std::size_t i) { return i < end ? (any_case ? lower_case(codes[i]) : codes[i]) : 0U; };
  const std::uint32_t first = letter(at + 1);
  const std::uint32_t second = letter(at + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const bool pair = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
  return pair ? 3 : 0;
}

/// \s+(?!\S)|\s+ : white space before a word leaves its last character to the word.
std::size_t white_space(const Codes& codes, std::size_t at, std::size_t end) {
  const std::size_t length = run(codes, at, end, is_white_space);
  return length > 1 && at + length < end ? length - 1 : length;
}

/// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t blanks(const Codes& codes, std::size_t at, std::size_t end) {
  std::size_t length = run(codes, at, end, is_white_space);
  while (length > 0 && !is_newline(codes[at + length - 1])) length--;
  return length > 0 ? length : white_space(codes, at, end);
}

/// ' ?X+E*', X by `belongs`, E by `behind`.
template <class Predicate, class Behind>
std::size_t spaced_others(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs, const Behind& behind) {
  const std::size_t space = codes[at] == ' ' ? 1 : 0;
  const std::size_t others = run(codes, at + space, end, belongs);
  return others == 0 ? 0 : space + others + run(codes, at + space + others, end, behind);
}

/// [^\r\n\p{L}\p{N}]?X+
template <class Predicate>
std::size_t led_word(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  const std::uint32_t first = codes[at];
  if (!is_newline(first) && !is_letter(first) && !is_number(first)) {
    if (const std::size_t letters = run(codes, at + 1, end, belongs)) return 1 + letters;
  }
  return run(codes, at, end, belongs);
}

template <class Letter, class Other>
std::size_t modern_word(const Codes& codes, std::size_t at, std::size_t end, std::size_t most_digits, const Letter& letter, const Other& other, bool line_ends) {
  if (const std::size_t length = contraction(codes, at, end, true)) return length;
  if (const std::size_t length = led_word(codes, at, end, letter)) return length;
  if (is_number(codes[at])) return run(codes, at, end - at > most_digits ? at + most_digits : end, is_number);
  const auto behind = [line_ends](std::uint32_t code) { return line_ends && is_newline(code); };
  if (const std::size_t length = spaced_others(codes, at, end, other, behind)) return length;
  return blanks(codes, at, end);
}

/// U of word_rules.h.
bool may_be_upper(std::uint32_t code) { return is_letter_or_mark(code) && case_of(code) != 'L'; }
/// L of word_rules.h.
bool may_be_lower(std::uint32_t code) { return is_letter_or_mark(code) && case_of(code) != 'U'; }

/// U*L+|U+L*, greedy: as many U as leave an L behind them.
std::size_t cased_letters(const Codes& codes, std::size_t at, std::size_t end) {
  const std::size_t upper = run(codes, at, end, may_be_upper);
  std::size_t first_lower = upper;
  if (at + upper >= end || !may_be_lower(codes[at + upper])) {
    // The last of them that may be an L, too.
    while (first_lower > 0 && !may_be_lower(codes[at + first_lower - 1])) first_lower--;
    if (first_lower == 0) return upper;
    first_lower--;
  }
  return first_lower + run(codes, at + first_lower, end, may_be_lower);
}

std::size_t cased_word(const Codes& codes, std::size_t at, std::size_t end, std::size_t most_digits, bool contracts) {
  const std::uint32_t first = codes[at];
  const bool leads = !is_newline(first) && !is_letter(first) && !is_number(first);
  std::size_t length = leads && at + 1 < end ? cased_letters(codes, at + 1, end) : 0;
  if (length > 0) length++;
  else length = cased_letters(codes, at, end);
  if (length > 0) return length + (contracts ? contraction(codes, at + length, end, true) : 0);
  if (is_number(first)) return run(codes, at, std::min(end, at + most_digits), is_number);
  const auto behind = [](std::uint32_t code) { return is_newline(code) || code == '/'; };
  if (const std::size_t others = spaced_others(codes, at, end, is_other, behind)) return others;
  return blanks(codes, at, end);
}

/// \s?X+
template <class Predicate>
std::size_t spaced_run(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  const std::size_t space = is_white_space(codes[at]) ? 1 : 0;
  const std::size_t length = run(codes, at + space, end, belongs);
  return length > 0 ? space + length : 0;
}

std::size_t signs_run(const Codes& codes, std::size_t at, std::size_t end, std::string_view signs) {
  return run(codes, at, end, [&](std::uint32_t code) { return category_of(code) == 'P' || (code < 0x80 && signs.find(static_cast<char>(code)) != std::string_view::npos); });
}

}  // namespace

std::size_t gpt2_word(const Codes& codes, std::size_t at, std::size_t end) {
  if (const std::size_t length = contraction(codes, at, end, false)) return length;
  const std::size_t space = codes[at] == ' ' ? 1 : 0;
  if (const std::size_t letters = run(codes, at + space, end, is_letter)) return space + letters;
  if (const std::size_t digits = run(codes, at + space, end, is_number)) return space + digits;
  if (const std::size_t others = run(codes, at + space, end, is_other)) return space + others;
  return white_space(codes, at, end);
}

std::size_t llama3_word(const Codes& codes, std::size_t at, std::size_t end) { return modern_word(codes, at, end, 3, is_letter, is_other, true); }

std::size_t qwen2_word(const Codes& codes, std::size_t at, std::size_t end) { return modern_word(codes, at, end, 1, is_letter, is_other, true); }

std::size_t long_number_word(const Codes& codes, std::size_t at, std::size_t end) { return modern_word(codes, at, end, codes.size(), is_letter, is_other, true); }

std::size_t qwen35_word(const Codes& codes, std::size_t at, std::size_t end) {
  const auto other = [](std::uint32_t code) { return is_other(code) && !is_mark(code); };
  return modern_word(codes, at, end, 1, is_letter_or_mark, other, true);
}

std::size_t seed_coder_word(const Codes& codes, std::size_t at, std::size_t end) { return modern_word(codes, at, end, 1, is_letter, is_other, false); }

std::size_t tekken_word(const Codes& codes, std::size_t at, std::size_t end) { return cased_word(codes, at, end, 1, false); }

std::size_t gpt4o_word(const Codes& codes, std::size_t at, std::size_t end) { return cased_word(codes, at, end, 3, true); }

std::size_t deepseek3_word(const Codes& codes, std::size_t at, std::size_t end) {
  const std::uint32_t first = codes[at];
  if (first > ' ' && first < 0x7F && !is_ascii_letter(first) && !is_number(first)) {
    if (const std::size_t letters = run(codes, at + 1, end, is_ascii_letter)) return 1 + letters;
  }
  if (!is_newline(first) && !is_letter(first) && !is_sign(first)) {
    if (const std::size_t letters = run(codes, at + 1, end, is_letter_or_mark)) return 1 + letters;
  }
  if (const std::size_t letters = run(codes, at, end, is_letter_or_mark)) return letters;
  if (const std::size_t length = spaced_others(codes, at, end, is_sign, is_newline)) return length;
  return blanks(codes, at, end);
}

std::size_t one_line_end(const Codes& codes, std::size_t at, std::size_t) { return is_newline(codes[at]) ? 1 : 0; }

std::size_t one_number(const Codes& codes, std::size_t at, std::size_t) { return is_number(codes[at]) ? 1 : 0; }

std::size_t three_numbers(const Codes& codes, std::size_t at, std::size_t end) { return run(codes, at, std::min(end, at + 3), is_number); }

std::size_t number_run(const Codes& codes, std::size_t at, std::size_t end) { return run(codes, at, end, is_number); }

std::size_t three_digits(const Codes& codes, std::size_t at, std::size_t end) {
  const std::size_t digits = run(codes, at, std::min(end, at + 3), [](std::uint32_t code) { return code >= '0' && code <= '9'; });
  return digits == 3 ? 3 : 0;
}

std::size_t spaced_letters(const Codes& codes, std::size_t at, std::size_t end) { return spaced_run(codes, at, end, is_letter); }

std::size_t spaced_punctuation(const Codes& codes, std::size_t at, std::size_t end) {
  return spaced_run(codes, at, end, [](std::uint32_t code) { return category_of(code) == 'P'; });
}

std::size_t punctuation_run(const Codes& codes, std::size_t at, std::size_t end) { return signs_run(codes, at, end, "$+<=>^~|"); }

std::size_t falcon_punctuation(const Codes& codes, std::size_t at, std::size_t end) { return signs_run(codes, at, end, "$+<=>^~|`"); }

std::size_t ideograph_run(const Codes& codes, std::size_t at, std::size_t end) {
  return run(codes, at, end, [](std::uint32_t code) { return (code >= 0x800 && code <= 0x9FA5) || (code >= 0xAC00 && code <= 0xD7FF); });
}

std::size_t han_kana_run(const Codes& codes, std::size_t at, std::size_t end) {
  return run(codes, at, end, [](std::uint32_t code) { return (code >= 0x4E00 && code <= 0x9FA5) || (code >= 0x3040 && code <= 0x30FF); });
}

std::size_t bloom_word(const Codes& codes, std::size_t at, std::size_t end) {
  constexpr std::u32string_view apart = U"(|.,!?\u2026\u3002\uFF0C\u3001\u0964\u06D4\u060C)";
  const auto belongs = [&](std::uint32_t code) { return !is_white_space(code) && apart.find(static_cast<char32_t>(code)) == std::u32string_view::npos; };
  return spaced_others(codes, at, end, belongs, [](std::uint32_t) { return false; });
}

}  // namespace lectern::llm
