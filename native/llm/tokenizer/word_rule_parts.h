// What the rules of word_rules.h are made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "llm/tokenizer/unicode.h"

namespace lectern::llm::word_parts {

using Codes = std::vector<std::uint32_t>;

inline bool is_newline(std::uint32_t code) { return code == '\r' || code == '\n'; }

inline bool is_mark(std::uint32_t code) { return category_of(code) == 'M'; }

inline bool is_letter_or_mark(std::uint32_t code) { return is_letter(code) || is_mark(code); }

/// [^\s\p{L}\p{N}]
inline bool is_other(std::uint32_t code) { return !is_white_space(code) && !is_letter(code) && !is_number(code); }

/// [\p{P}\p{S}]
inline bool is_sign(std::uint32_t code) { return category_of(code) == 'P' || category_of(code) == 'S'; }

inline bool is_ascii_letter(std::uint32_t code) { return (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z'); }

template <class Predicate>
inline std::size_t run(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  std::size_t length = 0;
  while (at + length < end && belongs(codes[at + length])) length++;
  return length;
}

/// 's 't 'm 'd 're 've 'll
inline std::size_t contraction(const Codes& codes, std::size_t at, std::size_t end, bool any_case) {
  if (at + 1 >= end || codes[at] != '\'') return 0;
  const auto letter = [&](std::size_t i) { return i < end ? (any_case ? lower_case(codes[i]) : codes[i]) : 0U; };
  const std::uint32_t first = letter(at + 1);
  const std::uint32_t second = letter(at + 2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const bool pair = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
  return pair ? 3 : 0;
}

/// \s+(?!\S)|\s+ : white space before a word leaves its last character to the word.
inline std::size_t white_space(const Codes& codes, std::size_t at, std::size_t end) {
  const std::size_t length = run(codes, at, end, is_white_space);
  return length > 1 && at + length < end ? length - 1 : length;
}

/// \s*[\r\n]+|\s+(?!\S)|\s+
inline std::size_t blanks(const Codes& codes, std::size_t at, std::size_t end) {
  std::size_t length = run(codes, at, end, is_white_space);
  while (length > 0 && !is_newline(codes[at + length - 1])) length--;
  return length > 0 ? length : white_space(codes, at, end);
}

/// ' ?X+E*', X by `belongs`, E by `behind`.
template <class Predicate, class Behind>
inline std::size_t spaced_others(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs, const Behind& behind) {
  const std::size_t space = codes[at] == ' ' ? 1 : 0;
  const std::size_t others = run(codes, at + space, end, belongs);
  return others == 0 ? 0 : space + others + run(codes, at + space + others, end, behind);
}

/// [^\r\n\p{L}\p{N}]?X+
template <class Predicate>
inline std::size_t led_word(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  const std::uint32_t first = codes[at];
  if (!is_newline(first) && !is_letter(first) && !is_number(first)) {
    if (const std::size_t letters = run(codes, at + 1, end, belongs)) return 1 + letters;
  }
  return run(codes, at, end, belongs);
}

template <class Letter, class Other>
inline std::size_t modern_word(const Codes& codes, std::size_t at, std::size_t end, std::size_t most_digits, const Letter& letter, const Other& other, bool line_ends, bool contracts = true) {
  if (const std::size_t length = contracts ? contraction(codes, at, end, true) : 0) return length;
  if (const std::size_t length = led_word(codes, at, end, letter)) return length;
  if (is_number(codes[at])) return run(codes, at, end - at > most_digits ? at + most_digits : end, is_number);
  const auto behind = [line_ends](std::uint32_t code) { return line_ends && is_newline(code); };
  if (const std::size_t length = spaced_others(codes, at, end, other, behind)) return length;
  return blanks(codes, at, end);
}

/// U of word_rules.h.
inline bool may_be_upper(std::uint32_t code) { return is_letter_or_mark(code) && case_of(code) != 'L'; }
/// L of word_rules.h.
inline bool may_be_lower(std::uint32_t code) { return is_letter_or_mark(code) && case_of(code) != 'U'; }

inline bool none_left_out(std::uint32_t) { return false; }

/// U*L+|U+L*, greedy: as many U as leave an L behind them. No code point of `left_out` is among them.
template <class Predicate>
std::size_t cased_letters(const Codes& codes, std::size_t at, std::size_t end, const Predicate& left_out) {
  const std::size_t upper = run(codes, at, end, [&](std::uint32_t code) { return may_be_upper(code) && !left_out(code); });
  const auto is_lower = [&](std::uint32_t code) { return may_be_lower(code) && !left_out(code); };
  std::size_t first_lower = upper;
  if (at + upper >= end || !is_lower(codes[at + upper])) {
    // The last of them that may be an L, too.
    while (first_lower > 0 && !is_lower(codes[at + first_lower - 1])) first_lower--;
    if (first_lower == 0) return upper;
    first_lower--;
  }
  return first_lower + run(codes, at + first_lower, end, is_lower);
}

/// [^\r\n\p{L}\p{N}]? in front of cased letters.
template <class Predicate>
std::size_t cased_start(const Codes& codes, std::size_t at, std::size_t end, const Predicate& left_out) {
  const std::uint32_t first = codes[at];
  const bool leads = !is_newline(first) && !is_letter(first) && !is_number(first);
  const std::size_t length = leads && at + 1 < end ? cased_letters(codes, at + 1, end, left_out) : 0;
  return length > 0 ? length + 1 : cased_letters(codes, at, end, left_out);
}

inline std::size_t cased_word(const Codes& codes, std::size_t at, std::size_t end, std::size_t most_digits, bool contracts) {
  if (const std::size_t length = cased_start(codes, at, end, none_left_out)) return length + (contracts ? contraction(codes, at + length, end, true) : 0);
  if (is_number(codes[at])) return run(codes, at, std::min(end, at + most_digits), is_number);
  const auto behind = [](std::uint32_t code) { return is_newline(code) || code == '/'; };
  if (const std::size_t others = spaced_others(codes, at, end, is_other, behind)) return others;
  return blanks(codes, at, end);
}

/// DeepSeek V3's; without `joins_line_ends`, signs and white space leave the line ends behind them, each of which is a word.
inline std::size_t signed_word(const Codes& codes, std::size_t at, std::size_t end, bool joins_line_ends) {
  const std::uint32_t first = codes[at];
  if (first > ' ' && first < 0x7F && !is_ascii_letter(first) && !is_number(first)) {
    if (const std::size_t letters = run(codes, at + 1, end, is_ascii_letter)) return 1 + letters;
  }
  if (!is_newline(first) && !is_letter(first) && !is_sign(first)) {
    if (const std::size_t letters = run(codes, at + 1, end, is_letter_or_mark)) return 1 + letters;
  }
  if (const std::size_t letters = run(codes, at, end, is_letter_or_mark)) return letters;
  const auto behind = [joins_line_ends](std::uint32_t code) { return joins_line_ends && is_newline(code); };
  if (const std::size_t length = spaced_others(codes, at, end, is_sign, behind)) return length;
  if (joins_line_ends) return blanks(codes, at, end);
  return is_newline(first) ? 1 : white_space(codes, at, end);
}

/// \s?X+
template <class Predicate>
inline std::size_t spaced_run(const Codes& codes, std::size_t at, std::size_t end, const Predicate& belongs) {
  const std::size_t space = is_white_space(codes[at]) ? 1 : 0;
  const std::size_t length = run(codes, at + space, end, belongs);
  return length > 0 ? space + length : 0;
}

inline std::size_t signs_run(const Codes& codes, std::size_t at, std::size_t end, std::string_view signs) {
  return run(codes, at, end, [&](std::uint32_t code) { return category_of(code) == 'P' || (code < 0x80 && signs.find(static_cast<char>(code)) != std::string_view::npos); });
}

}  // namespace lectern::llm::word_parts
