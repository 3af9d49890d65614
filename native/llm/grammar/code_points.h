// Sets of code points, and how UTF-8 writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lectern::llm {

struct CodePoints {
  char32_t first;
  char32_t last;
};

inline constexpr char32_t last_code_point = 0x10FFFF;

constexpr bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

void append_utf8(char32_t c, std::string& out);

/// Sorted, and joined where they touch.
std::vector<CodePoints> tidy(std::vector<CodePoints> ranges);

/// All code points that are not in `ranges`, which are tidy.
std::vector<CodePoints> complement(const std::vector<CodePoints>& ranges);

/// UTF-8 cannot say them.
std::vector<CodePoints> without_surrogates(const std::vector<CodePoints>& ranges);

struct Bytes {
  std::uint8_t first;
  std::uint8_t last;
};

/// The encodings of code points of one length whose bytes are each of one range, whatever the others are.
struct ByteSequence {
  int length;
  Bytes bytes[4];
};

/// All encodings of `ranges`, which are tidy and without surrogates; no encoding in two of the sequences.
std::vector<ByteSequence> utf8_sequences(const std::vector<CodePoints>& ranges);

}  // namespace lectern::llm
