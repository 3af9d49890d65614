#include "made_vocabulary.h"

#include <algorithm>
#include <ctime>
#include <random>

#include "harness.h"
#include "sanitized.h"

namespace lectern::test {
namespace {

// What takes half a second by the clock takes many under a sanitizer.
constexpr bool timed = !sanitized;

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

bool within(const llm::Tokenizer& tokenizer, const std::vector<llm::TokenId>& ids) {
  return std::all_of(ids.begin(), ids.end(), [&](llm::TokenId id) { return id >= 0 && id < tokenizer.vocabulary().size(); });
}

/// Texts in which a careless tokenizer is slow.
struct LongText {
  std::string name;
  std::string text;
};

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

}  // namespace

void check_long_texts(const llm::Tokenizer& tokenizer, const std::string& name) {
  static const std::vector<LongText> texts = long_texts(timed ? 1'000'000 : 50'000);
  for (const LongText& text : texts) {
    const std::clock_t start = std::clock();
    const std::vector<llm::TokenId> ids = tokenizer.encode(text.text, {true, true});
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    check(within(tokenizer, ids), name + ", " + text.name + ": ids of the vocabulary");
    if (timed) check(seconds < 0.5, name + ", " + text.name + ": 1 MB in " + std::to_string(seconds) + " s");
  }
}

void check_broken_texts(const llm::Tokenizer& tokenizer, const std::string& name) {
  std::mt19937 random(11);
  const std::string whole = "na\xC3\xAFve \xE7\x9A\x84 \xF0\x9F\x99\x82 x";
  bool sound = true;
  for (int round = 0; round < 500; round++) {
    std::string text = whole.substr(0, random() % whole.size());
    if (round % 2 == 0) text += whole.substr(random() % whole.size());
    for (unsigned i = random() % 8; i > 0; i--) text += static_cast<char>(random());
    const std::vector<llm::TokenId> ids = tokenizer.encode(text, {false, round % 3 == 0});
    sound = sound && within(tokenizer, ids);
    (void)tokenizer.decode(ids);
  }
  check(sound, name + ": broken UTF-8 gives ids of the vocabulary");
}

}  // namespace lectern::test
