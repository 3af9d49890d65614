// Rules of single families of models: numbers in groups of three from the right, scripts by ranges, words joined by spaces.
#include <algorithm>
#include <array>
#include <string_view>

#include "llm/tokenizer/word_rule_parts.h"
#include "llm/tokenizer/word_rules.h"

namespace lectern::llm {
namespace {

using namespace word_parts;

struct CodeRange {
  std::uint32_t first, last;
};

/// `ranges` ascend and do not overlap.
template <std::size_t Count>
bool is_in(const CodeRange (&ranges)[Count], std::uint32_t code) {
  const auto* const found = std::upper_bound(std::begin(ranges), std::end(ranges), code, [](std::uint32_t value, const CodeRange& range) { return value < range.first; });
  return found != std::begin(ranges) && code <= std::prev(found)->last;
}

// Cased letters, as DeepSeek's first expression lists them.
constexpr CodeRange deepseek_letters[] = {
    {0x41, 0x5A}, {0x61, 0x7A}, {0xB5, 0xB5}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x1BA}, {0x1BC, 0x1BF}, {0x1C4, 0x293}, {0x295, 0x2AF},
    {0x370, 0x373}, {0x376, 0x376}, {0x377, 0x377}, {0x37B, 0x37D}, {0x37F, 0x37F}, {0x386, 0x386}, {0x388, 0x38A}, {0x38C, 0x38C}, {0x38E, 0x3A1},
    {0x3A3, 0x3F5}, {0x3F7, 0x481}, {0x48A, 0x52F}, {0x531, 0x556}, {0x10A0, 0x10C5}, {0x13A0, 0x13F5}, {0x13F8, 0x13FD}, {0x1C90, 0x1CBA},
    {0x1CBD, 0x1CBF}, {0x1D00, 0x1D2B}, {0x1D6B, 0x1D77}, {0x1D79, 0x1D9A}, {0x1E00, 0x1F15}, {0x1F18, 0x1F1D}, {0x1F20, 0x1F45}, {0x1F48, 0x1F4D},
    {0x1F50, 0x1F57}, {0x1F59, 0x1F59}, {0x1F5B, 0x1F5B}, {0x1F5D, 0x1F5D}, {0x1F5F, 0x1F7D}, {0x1F80, 0x1FB4}, {0x1FB6, 0x1FBC}, {0x1FBE, 0x1FBE},
    {0x1FC2, 0x1FC4}, {0x1FC6, 0x1FCC}, {0x1FD0, 0x1FD3}, {0x1FD6, 0x1FDB}, {0x1FE0, 0x1FEC}, {0x1FF2, 0x1FF4}, {0x1FF6, 0x1FFC}, {0x2102, 0x2102},
    {0x2107, 0x2107}, {0x210A, 0x2113}, {0x2115, 0x2115}, {0x2119, 0x211D}, {0x2124, 0x2124}, {0x2126, 0x2126}, {0x2128, 0x2128}, {0x212A, 0x212D},
    {0x212F, 0x2134}, {0x2139, 0x2139}, {0x213C, 0x213F}, {0x2145, 0x2149}, {0x214E, 0x214E}, {0x2183, 0x2183}, {0x2184, 0x2184}, {0x2C00, 0x2C7B},
    {0x2C7E, 0x2CE4}, {0x2CEB, 0x2CEE}, {0x2CF2, 0x2CF2}, {0x2CF3, 0x2CF3}, {0xA640, 0xA66D}, {0xA680, 0xA69B}, {0xA722, 0xA76F}, {0xA771, 0xA787},
    {0xA78B, 0xA78E}, {0xAB70, 0xABBF}, {0xFB00, 0xFB06}, {0xFB13, 0xFB17}, {0xFF21, 0xFF3A}, {0xFF41, 0xFF5A}, {0x10400, 0x1044F},
    {0x104B0, 0x104D3}, {0x104D8, 0x104FB}, {0x10C80, 0x10CB2}, {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943}};

// Letters of ASCII among them, as published.
constexpr CodeRange deepseek_signs[] = {
    {0x21, 0x2F}, {0x3A, 0x7E}, {0x2018, 0x201F}, {0x3000, 0x3002}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF5E}};

// Youtu: Hangul.
constexpr CodeRange youtu_hangul[] = {
    {0x3131, 0x318E}, {0xAC00, 0xD7A3}};

// Youtu: Chinese punctuation.
constexpr CodeRange youtu_punctuation[] = {
    {0x2014, 0x2014}, {0x2018, 0x2018}, {0x2019, 0x2019}, {0x201C, 0x201C}, {0x201D, 0x201D}, {0x2026, 0x2026}, {0x3001, 0x303F}, {0xFE30, 0xFE4F},
    {0xFF01, 0xFF01}, {0xFF0C, 0xFF0C}, {0xFF1A, 0xFF1A}, {0xFF1B, 0xFF1B}};

// Youtu: Bopomofo.
constexpr CodeRange youtu_bopomofo[] = {
    {0x3105, 0x312F}};

// Youtu: Ideographs and kana.
constexpr CodeRange youtu_ideographs[] = {
    {0x3040, 0x309F}, {0x30A0, 0x30FF}, {0x4E00, 0x9FA5}};

// AFMoE: ideographs, kana, Thai, Lao, Khmer, Myanmar, Hangul.
constexpr CodeRange afmoe_scripts[] = {
    {0xE40, 0xE7F}, {0xE80, 0xEFF}, {0x1000, 0x109F}, {0x1100, 0x11FF}, {0x1780, 0x17FF}, {0x2F00, 0x2FDF}, {0x3040, 0x309F}, {0x30A0, 0x30FF},
    {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0x8C48, 0xFAFF}, {0xA9E0, 0xA9FF}, {0xAA60, 0xAA7F}, {0xAC00, 0xD7AF}, {0xFF65, 0xFF9F}};

// The script Han (Unicode 15.1, Scripts.txt).
constexpr CodeRange han[] = {
    {0x2E80, 0x2E99}, {0x2E9B, 0x2EF3}, {0x2F00, 0x2FD5}, {0x3005, 0x3005}, {0x3007, 0x3007}, {0x3021, 0x3029}, {0x3038, 0x303B}, {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF}, {0xF900, 0xFA6D}, {0xFA70, 0xFAD9}, {0x16FE2, 0x16FE3}, {0x16FF0, 0x16FF1}, {0x20000, 0x2A6DF}, {0x2A700, 0x2B739},
    {0x2B740, 0x2B81D}, {0x2B820, 0x2CEA1}, {0x2CEB0, 0x2EBE0}, {0x2EBF0, 0x2EE5D}, {0x2F800, 0x2FA1D}, {0x30000, 0x3134A}, {0x31350, 0x323AF}};

/// Bounds of a sequence of white space, from the longest: Jais 2.
constexpr std::array<std::size_t, 9> white_space_lengths = {512, 256, 128, 64, 32, 16, 8, 4, 2};

bool is_han(std::uint32_t code) { return is_in(han, code); }

/// The places of a number from the left of which the remainder is whole groups of three; what stands before a group already is of the same number.
std::size_t number_group(const Codes& codes, std::size_t at, std::size_t end, bool ends_word) {
  if (!is_number(codes[at])) return 0;
  if (at > 0 && is_number(codes[at - 1])) return std::min<std::size_t>(3, end - at);
  const std::size_t digits = run(codes, at, end, is_number);
  const bool goes_on = at + digits < end && (is_letter_or_mark(codes[at + digits]) || codes[at + digits] == '_');
  if (ends_word && goes_on) return passed_over | digits;
  return digits % 3 == 0 ? 3 : digits % 3;
}

bool has(const Codes& codes, std::size_t at, std::size_t end, std::string_view text) {
  if (end - at < text.size()) return false;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (codes[at + i] != static_cast<unsigned char>(text[i])) return false;
  }
  return true;
}

bool is_digit(std::uint32_t code) { return code >= '0' && code <= '9'; }

}  // namespace

std::size_t plain_word(const Codes& codes, std::size_t at, std::size_t end) { return modern_word(codes, at, end, 1, is_letter, is_other, true, false); }

std::size_t jais2_word(const Codes& codes, std::size_t at, std::size_t end) {
  if (!is_white_space(codes[at]) || led_word(codes, at, end, is_letter) > 0 || spaced_others(codes, at, end, is_other, is_newline) > 0) return llama3_word(codes, at, end);
  // Behind white space that is no line end there is none in what follows of it: only as much as the longest word is read, or a long run would be read once for each word.
  const bool goes_on = at > 0 && is_white_space(codes[at - 1]) && !is_newline(codes[at - 1]);
  const std::size_t length = run(codes, at, goes_on ? std::min(end, at + white_space_lengths.front() + 1) : end, is_white_space);
  std::size_t lines = length;
  while (lines > 0 && !is_newline(codes[at + lines - 1])) lines--;
  if (lines > 0) return lines;
  // The last character of white space before a word is left to the word.
  const std::size_t free = at + length < end ? length - 1 : length;
  for (const std::size_t wanted : white_space_lengths) {
    if (free >= wanted) return wanted;
  }
  return 1;
}

std::size_t exaone_moe_word(const Codes& codes, std::size_t at, std::size_t end) {
  if (const std::size_t length = contraction(codes, at, end, true)) return length;
  const auto joined = [&](std::size_t begin) {
    std::size_t length = 0;
    while (begin + length < end) {
      const std::size_t space = length > 0 && codes[begin + length] == ' ' ? 1 : 0;
      if (begin + length + space >= end || !is_letter(codes[begin + length + space])) break;
      length += space + 1;
      length += run(codes, begin + length, end, is_mark);
    }
    return length;
  };
  const std::uint32_t first = codes[at];
  const bool leads = !is_newline(first) && !is_letter(first) && !is_number(first) && at + 1 < end;
  if (const std::size_t length = leads ? joined(at + 1) : joined(at)) return length + (leads ? 1 : 0);
  if (is_number(first)) return 1;
  const std::size_t others = spaced_others(codes, at, end, is_other, [](std::uint32_t) { return false; });
  if (others > 0) return others + (at + others < end && (is_newline(codes[at + others]) || codes[at + others] == '/') ? 1 : 0);
  return blanks(codes, at, end);
}

std::size_t youtu_script(const Codes& codes, std::size_t at, std::size_t end) {
  const auto in = [&](const auto& ranges) { return run(codes, at, end, [&](std::uint32_t code) { return is_in(ranges, code); }); };
  for (const std::size_t length : std::array{in(youtu_hangul), in(youtu_punctuation), in(youtu_bopomofo), in(youtu_ideographs)}) {
    if (length > 0) return length;
  }
  return 0;
}

std::size_t youtu_word(const Codes& codes, std::size_t at, std::size_t end) { return cased_word(codes, at, end, 1, true); }

std::size_t spark_word(const Codes& codes, std::size_t at, std::size_t end) { return signed_word(codes, at, end, false); }

std::size_t kimi_word(const Codes& codes, std::size_t at, std::size_t end) {
  if (const std::size_t length = run(codes, at, end, is_han)) return length;
  if (const std::size_t length = cased_start(codes, at, end, is_han)) return length + contraction(codes, at + length, end, true);
  if (is_number(codes[at])) return run(codes, at, std::min(end, at + 3), is_number);
  if (const std::size_t length = spaced_others(codes, at, end, is_other, is_newline)) return length;
  return blanks(codes, at, end);
}

std::size_t number_groups(const Codes& codes, std::size_t at, std::size_t end) { return number_group(codes, at, end, false); }

std::size_t free_number_groups(const Codes& codes, std::size_t at, std::size_t end) { return number_group(codes, at, end, true); }

std::size_t afmoe_script(const Codes& codes, std::size_t at, std::size_t end) {
  return run(codes, at, end, [](std::uint32_t code) { return is_in(afmoe_scripts, code); });
}

std::size_t deepseek_letter_run(const Codes& codes, std::size_t at, std::size_t end) {
  return spaced_run(codes, at, end, [](std::uint32_t code) { return is_in(deepseek_letters, code); });
}

std::size_t deepseek_sign_run(const Codes& codes, std::size_t at, std::size_t end) {
  return spaced_run(codes, at, end, [](std::uint32_t code) { return is_in(deepseek_signs, code); });
}

std::size_t last_white_space(const Codes& codes, std::size_t at, std::size_t end) {
  const std::size_t length = run(codes, at, end, is_white_space);
  return at + length == end ? length : length == 0 ? 0 : passed_over | length;
}

std::size_t one_line(const Codes& codes, std::size_t at, std::size_t end) {
  const bool ends = codes[at] == '\n';
  return run(codes, at, end, [ends](std::uint32_t code) { return (code == '\n') == ends; });
}

std::size_t no_white_space(const Codes& codes, std::size_t at, std::size_t end) {
  return run(codes, at, end, [](std::uint32_t code) { return !is_white_space(code); });
}

std::size_t chameleon_special(const Codes& codes, std::size_t at, std::size_t end) {
  constexpr std::string_view sentinel = "<sentinel:";
  constexpr std::string_view image = "IMGIMG";
  if (has(codes, at, end, sentinel)) {
    const std::size_t digits = run(codes, at + sentinel.size(), end, is_digit);
    const std::size_t length = sentinel.size() + digits;
    return digits > 0 && at + length < end && codes[at + length] == '>' ? length + 1 : 0;
  }
  if (!has(codes, at, end, image)) return 0;
  const std::size_t letters = run(codes, at + image.size(), std::min(end, at + image.size() + 4), [](std::uint32_t code) { return code >= 'A' && code <= 'I'; });
  const std::size_t length = image.size() + letters;
  return letters > 0 && at + length < end && codes[at + length] == 'Z' ? length + 1 : 0;
}

std::size_t chameleon_blank(const Codes& codes, std::size_t at, std::size_t end) {
  if (codes[at] == '\t' || codes[at] == '\n') return 1;
  const std::size_t spaces = run(codes, at, std::min(end, at + 4), [](std::uint32_t code) { return code == ' '; });
  return spaces == 4 ? 4 : spaces >= 2 ? 2 : 0;
}

std::size_t one_punctuation(const Codes& codes, std::size_t at, std::size_t) {
  const std::uint32_t code = codes[at];
  return category_of(code) == 'P' || (code > ' ' && code < 0x7F && !is_ascii_letter(code) && !is_number(code)) ? 1 : 0;
}

}  // namespace lectern::llm
