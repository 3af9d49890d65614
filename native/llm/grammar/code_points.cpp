#include "llm/grammar/code_points.h"

#include <algorithm>
#include <iterator>

namespace lectern::llm {
namespace {

/// `first` and `last` have encodings of the same length.
void split(char32_t first, char32_t last, std::vector<ByteSequence>& out) {
  // A range becomes one sequence when, from some byte on, all of the tails are in it.
  for (int tail = 1; tail < 4; tail++) {
    const char32_t low = (char32_t{1} << (6 * tail)) - 1;
    if ((first & ~low) == (last & ~low) || last < 0x80) break;
    if ((first & low) != 0) {
      split(first, first | low, out);
      return split((first | low) + 1, last, out);
    }
    if ((last & low) != low) {
      split(first, (last & ~low) - 1, out);
      return split(last & ~low, last, out);
    }
  }
  std::string from;
  std::string to;
  append_utf8(first, from);
  append_utf8(last, to);
  ByteSequence sequence{static_cast<int>(from.size()), {}};
  for (std::size_t i = 0; i < from.size(); i++) sequence.bytes[i] = {static_cast<std::uint8_t>(from[i]), static_cast<std::uint8_t>(to[i])};
  out.push_back(sequence);
}

}  // namespace

void append_utf8(char32_t c, std::string& out) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xE0 | c >> 12);
    } else {
      put(0xF0 | c >> 18);
      put(0x80 | (c >> 12 & 0x3F));
    }
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

/// Sorted and joined where they touch.
std::vector<CodePoints> tidy(std::vector<CodePoints> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const CodePoints& a, const CodePoints& b) { return a.first < b.first; });
  std::vector<CodePoints> joined;
  for (const CodePoints& range : ranges) {
    if (!joined.empty() && range.first <= joined.back().last + 1) joined.back().last = std::max(joined.back().last, range.last);
    else joined.push_back(range);
  }
  return joined;
}

/// What of all code points that UTF-8 can say is not in `ranges`, which are tidy.
std::vector<CodePoints> complement(const std::vector<CodePoints>& ranges) {
  std::vector<CodePoints> rest;
  char32_t from = 0;
  for (const CodePoints& range : ranges) {
    if (range.first > from) rest.push_back({from, range.first - 1});
    from = range.last + 1;
  }
  if (from <= last_code_point) rest.push_back({from, last_code_point});
  return rest;
}

std::vector<CodePoints> without_surrogates(const std::vector<CodePoints>& ranges) {
  std::vector<CodePoints> kept;
  for (const CodePoints& range : ranges) {
    if (range.first < 0xD800) kept.push_back({range.first, std::min<char32_t>(range.last, 0xD7FF)});
    if (range.last > 0xDFFF) kept.push_back({std::max<char32_t>(range.first, 0xE000), range.last});
  }
  return kept;
}

std::vector<ByteSequence> utf8_sequences(const std::vector<CodePoints>& ranges) {
  constexpr CodePoints lengths[] = {{0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xFFFF}, {0x10000, last_code_point}};
  std::vector<ByteSequence> sequences;
  for (const CodePoints& range : ranges) {
    for (const CodePoints& length : lengths) {
      const char32_t first = std::max(range.first, length.first);
      const char32_t last = std::min(range.last, length.last);
      if (first <= last) split(first, last, sequences);
    }
  }
  return sequences;
}

}  // namespace lectern::llm
