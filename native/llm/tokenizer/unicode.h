// Text as code points, and the character properties that the tokenizers need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lectern::llm {

/// One code point of a text: `bytes` long from where it was read.
struct CodePoint {
  std::uint32_t value;
  std::uint32_t bytes;
};

inline constexpr std::uint32_t replacement_character = 0xFFFD;

/// Reads the code point at `at` (< text.size()). What is no UTF-8 reads as U+FFFD, one byte long.
CodePoint decode_utf8(std::string_view text, std::size_t at) noexcept;
void append_utf8(std::uint32_t code, std::string& out);
/// Bytes that a sequence beginning with `lead` claims: 1 for a stray continuation byte.
std::size_t utf8_length(std::uint8_t lead) noexcept;

/// The major category: L N M P S Z, C for controls, formats and private ones, U for what is unassigned.
char category_of(std::uint32_t code) noexcept;
/// The White_Space property, which is not the category Z.
bool is_white_space(std::uint32_t code) noexcept;
bool is_letter(std::uint32_t code) noexcept;
/// U for upper and title case (Lu, Lt), L for lower case (Ll), - for all else.
char case_of(std::uint32_t code) noexcept;
bool is_number(std::uint32_t code) noexcept;
/// Ideographs of Chinese, Japanese and Korean, as BERT's tokenizer sets them apart.
bool is_ideograph(std::uint32_t code) noexcept;
std::uint32_t lower_case(std::uint32_t code) noexcept;
/// The letter without its marks: the first code point of the canonical decomposition (Unicode, section 3.7).
std::uint32_t base_of(std::uint32_t code) noexcept;

}  // namespace lectern::llm
