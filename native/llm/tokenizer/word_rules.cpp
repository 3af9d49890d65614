#include "llm/tokenizer/word_rules.h"

#include <algorithm>
#include <string_view>

#include "llm/tokenizer/word_rule_parts.h"

namespace lectern::llm {

using namespace word_parts;

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

std::size_t deepseek3_word(const Codes& codes, std::size_t at, std::size_t end) { return signed_word(codes, at, end, true); }

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
