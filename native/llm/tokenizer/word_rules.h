// The parts of the published regular expressions that cut text into words, as code: each takes time proportional to what it matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lectern::llm {

/// How many code points of [at, end), which is not empty, the rule takes as one word; 0 where it matches nothing, and passed_over | n where no match begins among the next n.
using WordRule = std::size_t (*)(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);

constexpr std::size_t passed_over = ~(~std::size_t{0} >> 1);

// GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);

// Llama 3 and Qwen 2: (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t llama3_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);      // N = 3
std::size_t qwen2_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);       // N = 1
std::size_t long_number_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);  // any N
// Qwen 3.5: the same with [\p{L}\p{M}] for \p{L} in words, N = 1.
std::size_t qwen35_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
// Seed-Coder: without the line ends behind other characters, N = 1.
std::size_t seed_coder_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);

// Words whose case changes at most once, from upper to lower: with U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}] and L = [\p{Ll}\p{Lm}\p{Lo}\p{M}]
//   [^\r\n\p{L}\p{N}]?U*L+|[^\r\n\p{L}\p{N}]?U+L*|\p{N}{1,N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t tekken_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);  // N = 1
// GPT-4o: N = 3, and (?i:'s|'t|'re|'ve|'m|'ll|'d)? behind a word.
std::size_t gpt4o_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);

// DeepSeek V3: [!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
std::size_t deepseek3_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);

std::size_t one_line_end(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);        // [\r\n]
std::size_t one_number(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);          // \p{N}
std::size_t three_numbers(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);       // \p{N}{1,3}
std::size_t number_run(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);          // \p{N}+
std::size_t three_digits(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);        // [0-9][0-9][0-9]
std::size_t spaced_letters(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);      // \s?\p{L}+
std::size_t spaced_punctuation(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);  // \s?\p{P}+
std::size_t punctuation_run(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);     // [\p{P}$+<=>^~|]+
std::size_t falcon_punctuation(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);  // the same and `
std::size_t ideograph_run(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);       // [U+4E00-9FA5 U+0800-4E00 U+AC00-D7FF]+
std::size_t han_kana_run(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);        // [U+4E00-9FA5 U+3040-309F U+30A0-30FF]+
// BLOOM:  ?[^(\s|.,!?…。，、।۔،)]+
std::size_t bloom_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);


// Qwen 2 without its contractions (UfakZeka).
std::size_t plain_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
// Llama 3, its last two alternatives replaced by \s{512}(?!\S)|\s{256}(?!\S)|...|\s{4}(?!\S)|\s{1,2}(?!\S)|\s
std::size_t jais2_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
// EXAONE MoE: as Qwen 2 with [^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+ for words, and one of [\r\n/] behind other characters
std::size_t exaone_moe_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
// Youtu: runs of Hangul, Chinese punctuation, Bopomofo, ideographs with kana; then GPT-4o with N = 1
std::size_t youtu_script(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t youtu_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
// Spark: DeepSeek V3 with ` ?[\p{P}\p{S}]+|[\r\n]` for ` ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+`
std::size_t spark_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
// Kimi K2: \p{Han}+, then GPT-4o without ideographs in words and without / behind other characters
std::size_t kimi_word(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
// Groups of three digits from the right, which ends anywhere (AFMoE, SuperBPE) or at the end of a word: \d{1,3}(?=(?:\d{3})*\b) (Tiny Aya). For a whole text, or whole numbers.
std::size_t number_groups(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t free_number_groups(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t afmoe_script(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);  // runs of ideographs, kana, and scripts without spaces
// DeepSeek LLM: \s?[cased letters]+, \s?[!-/:-~ and wide signs]+, \s+$
std::size_t deepseek_letter_run(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t deepseek_sign_run(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t last_white_space(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t one_line(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);        // [^\n]+|\n+
std::size_t no_white_space(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);  // \S+
// Chameleon: <sentinel:[0-9]+>|IMGIMG[A-I]{1,4}Z, [\t\n]|    |  , one of \p{P} and ASCII's signs
std::size_t chameleon_special(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t chameleon_blank(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);
std::size_t one_punctuation(const std::vector<std::uint32_t>& codes, std::size_t at, std::size_t end);

}  // namespace lectern::llm
