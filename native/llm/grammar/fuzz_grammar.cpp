// The fuzzer's target: any text as a grammar, and sequences by it, token by token. native/test/fuzz.sh builds and starts it.
//
// The input is a grammar, and behind a zero byte what to choose of the tokens that are allowed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "error.h"
#include "grammar_vocabulary.h"
#include "llm/grammar/grammar.h"

namespace lectern::llm {
namespace {

constexpr std::size_t max_steps = 8;

/// Ends the process: the fuzzer keeps the input that got here.
void demand(bool holds) {
  if (!holds) std::abort();
}

struct FuzzVocabulary {
  FuzzVocabulary() {
    for (int byte = 0; byte < 256; byte++) texts.emplace_back(1, static_cast<char>(byte));
    for (const char* text : {"ab", "aa", "\"", "\":", "\", \"", "{\"", "}}", "[1", "12", "true", "\xC3\xA9", "\xE6\xBC", "\x99\x82\"", "aaaaaaaaaaaaaaaaaaaa",
                             "                                             ", "\\n", "\\u00e9"}) {
      texts.emplace_back(text);
    }
    tokenizer = std::make_unique<test::OwnedTokenizer>(test::byte_level_file(texts));
    trie = make_token_trie(**tokenizer);
  }

  std::vector<std::string> texts;
  std::unique_ptr<test::OwnedTokenizer> tokenizer;
  std::shared_ptr<const TokenTrie> trie;
};

/// Whether `text` may be written byte by byte; `allowed`, that of the whole token, must say the same.
void compare(const FuzzVocabulary& vocabulary, const std::shared_ptr<const Grammar>& grammar, const std::string& before, const std::string& token, bool allowed) {
  const std::unique_ptr<GrammarMatcher> matcher = match(grammar, vocabulary.trie);
  for (const char byte : before) matcher->accept(static_cast<unsigned char>(byte));
  bool fits = true;
  for (const char byte : token) {
    fits = test::allows(matcher->allowed(), static_cast<unsigned char>(byte));
    if (!fits) break;
    matcher->accept(static_cast<unsigned char>(byte));
  }
  demand(fits == allowed);
}

void write(const FuzzVocabulary& vocabulary, const std::shared_ptr<const Grammar>& grammar, std::string_view choices) {
  const std::unique_ptr<GrammarMatcher> matcher = match(grammar, vocabulary.trie);
  const std::size_t count = vocabulary.texts.size();
  std::string text;
  for (const char choice : choices.substr(0, max_steps)) {
    const TokenMask mask = matcher->allowed();
    std::vector<std::size_t> open;
    for (std::size_t id = 0; id < count; id++) {
      if (test::allows(mask, id)) open.push_back(id);
    }
    demand(!test::allows(mask, count));
    // Every grammar can go on byte by byte, or it is at its end.
    demand(matcher->finished() ? open.empty() && test::allows(mask, count + 1) : !open.empty() && open.front() < 256);
    if (open.empty()) return;
    const auto number = static_cast<unsigned char>(choice);
    const std::size_t longer = 256 + number % (count - 256);
    compare(vocabulary, grammar, text, vocabulary.texts[longer], test::allows(mask, longer));
    const std::size_t id = open[number % open.size()];
    matcher->accept(static_cast<TokenId>(id));
    text += vocabulary.texts[id];
  }
}

}  // namespace
}  // namespace lectern::llm

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lectern::llm;
  static const FuzzVocabulary vocabulary;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t border = std::min(input.find('\0'), input.size());
  try {
    write(vocabulary, Grammar::compile(input.substr(0, border)), input.substr(std::min(border + 1, input.size())));
  } catch (const lectern::Error& error) {
    demand(error.code() == lectern::ErrorCode::invalid_request && *error.what() != '\0');
  }
  return 0;
}
