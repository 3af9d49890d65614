#include "llm/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <memory>

#include "llm/tokenizer/unicode_tables.h"

namespace lectern::llm {
namespace {

char search_run(const CategoryRun* runs, std::size_t count, std::uint32_t code) {
  // Both tables begin with code point 0.
  return (std::upper_bound(runs, runs + count, code, [](std::uint32_t c, const CategoryRun& run) { return c < run.first; }) - 1)->category;
}

char search_category(std::uint32_t code) { return search_run(category_runs, category_run_count, code); }

/// Categories of the basic plane, one byte each: a search per character would dominate the splitting of text.
const std::array<char, 0x10000>& basic_plane() {
  static const auto table = [] {
    auto filled = std::make_unique<std::array<char, 0x10000>>();
    for (std::uint32_t code = 0; code < 0x10000; code++) (*filled)[code] = search_category(code);
    return filled;
  }();
  return *table;
}

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<std::uint8_t>(text[at]) & 0xC0U) == 0x80U;
}

const CodePair* first_pair(const CodePair* pairs, std::size_t count, std::uint32_t code) {
  const CodePair* found = std::lower_bound(pairs, pairs + count, code, [](const CodePair& pair, std::uint32_t c) { return pair.from < c; });
  return found != pairs + count && found->from == code ? found : nullptr;
}

}  // namespace

std::size_t utf8_length(std::uint8_t lead) noexcept {
  if (lead >= 0xF0U) return 4;
  if (lead >= 0xE0U) return 3;
  return lead >= 0xC0U ? 2 : 1;
}

CodePoint decode_utf8(std::string_view text, std::size_t at) noexcept {
  const auto lead = static_cast<std::uint8_t>(text[at]);
  if (lead < 0x80U) return {lead, 1};
  if (lead < 0xC2U || lead > 0xF4U) return {replacement_character, 1};
  const std::size_t length = utf8_length(lead);
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; i++) {
    if (!is_continuation(text, at + i)) return {replacement_character, 1};
    value = (value << 6) | (static_cast<std::uint8_t>(text[at + i]) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least[length] || value > 0x10FFFF || surrogate) return {replacement_character, 1};
  return {value, static_cast<std::uint32_t>(length)};
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto push = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0U | (code >> 6));
    push(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    push(0xE0U | (code >> 12));
    push(0x80U | ((code >> 6) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  } else {
    push(0xF0U | (code >> 18));
    push(0x80U | ((code >> 12) & 0x3FU));
    push(0x80U | ((code >> 6) & 0x3FU));
    push(0x80U | (code & 0x3FU));
  }
}

char category_of(std::uint32_t code) noexcept { return code < 0x10000 ? basic_plane()[code] : search_category(code); }

bool is_white_space(std::uint32_t code) noexcept {
  if (code < 0x80) return code == 0x20 || (code >= 0x09 && code <= 0x0D);
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_letter(std::uint32_t code) noexcept { return category_of(code) == 'L'; }

char case_of(std::uint32_t code) noexcept {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? 'U' : code >= 'a' && code <= 'z' ? 'L' : '-';
  return search_run(case_runs, case_run_count, code);
}

bool is_number(std::uint32_t code) noexcept { return category_of(code) == 'N'; }

bool is_ideograph(std::uint32_t code) noexcept {
  return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) || (code >= 0x20000 && code <= 0x2A6DF) ||
         (code >= 0x2A700 && code <= 0x2B73F) || (code >= 0x2B740 && code <= 0x2B81F) || (code >= 0x2B920 && code <= 0x2CEAF) ||
         (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x2F800 && code <= 0x2FA1F);
}

std::uint32_t lower_case(std::uint32_t code) noexcept {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
  const CodePair* pair = first_pair(lower_pairs, lower_pair_count, code);
  return pair == nullptr ? code : pair->to;
}

std::uint32_t base_of(std::uint32_t code) noexcept {
  // Hangul syllables are numbered as leading * 588 + vowel * 28 + trailing (Unicode, section 3.12).
  if (code >= 0xAC00 && code <= 0xD7A3) return 0x1100 + (code - 0xAC00) / 588;
  const CodePair* pair = code < 0xC0 ? nullptr : first_pair(base_pairs, base_pair_count, code);
  return pair == nullptr ? code : pair->to;
}

}  // namespace lectern::llm
