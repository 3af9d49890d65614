#include "long_texts.h"

#include <algorithm>
#include <random>

namespace lectern::test {
namespace {

std::string repeat(const std::string& pattern, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + pattern.size());
  while (text.size() < bytes) text += pattern;
  return text;
}

std::string random_text(const std::string& alphabet, std::size_t bytes) {
  std::mt19937 random(7);
  std::string text(bytes, ' ');
  std::generate(text.begin(), text.end(), [&] { return alphabet[random() % alphabet.size()]; });
  return text;
}

}  // namespace

std::vector<LongText> long_texts(std::size_t bytes) {
  return {
      {"English", repeat("The quick brown fox, aged 12345, jumps over  the lazy dog's tail; it didn't mind.\n", bytes)},
      {"one letter", repeat("a", bytes)},
      {"spaces", repeat(" ", bytes)},
      {"line ends", repeat("\n", bytes)},
      {"mixed white space", repeat(" \t\r\n", bytes)},
      {"digits", repeat("7", bytes)},
      {"signs", repeat("=", bytes)},
      {"quotes", repeat("'", bytes)},
      {"emoji", repeat("\xF0\x9F\x99\x82", bytes)},
      {"ideographs", repeat("\xE7\x9A\x84", bytes)},
      {"broken bytes", repeat("\xF0", bytes)},
      {"half a special", repeat("<|begin_of_text", bytes)},
      {"random letters", random_text("abcdefghijklmnopqrstuvwxyz", bytes)},
      {"random words", random_text("abcdefghijklmnopqrstuvwxyzaeiou      ,.\n", bytes)},
  };
}

}  // namespace lectern::test
