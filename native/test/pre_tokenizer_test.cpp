// Where each pre-tokenizer ends words, and which one a vocabulary has: by its name, by a setting, by its tokens.
#include <string>
#include <utility>
#include <vector>

#include "cancel.h"
#include "error.h"
#include "harness.h"
#include "llm/tokenizer/word_splitter.h"
#include "made_vocabulary.h"
#include "published_words.h"

namespace lectern {
namespace {

using llm::TokenId;
using test::add_tokens;
using test::check;
using test::GgufWriter;
using test::MadeToken;
using test::OwnedTokenizer;

LECTERN_TEST("tokenizer: words end where each pre-tokenizer's expression ends them") {
  const auto words = [](const char* pre, const std::string& text) {
    const Cancel never;
    llm::CancelPace pace(never);
    const llm::DecodedText decoded(text, pace);
    std::string shown_words;
    for (const auto& [begin, end] : llm::WordSplitter(pre).split(decoded, pace)) shown_words += (begin == 0 ? "" : "|") + text.substr(decoded.offsets[begin], decoded.offsets[end] - decoded.offsets[begin]);
    return shown_words;
  };
  const auto is = [&](const char* pre, const std::string& text, const std::string& expected) {
    const std::string got = words(pre, text);
    check(got == expected, std::string(pre) + ": " + got + " instead of " + expected);
  };
  is("smollm", "in 1234 it's", "in| |1|2|3|4| it|'s");
  is("gpt-2", "in 1234 it's", "in| 1234| it|'s");
  is("llama-bpe", "in 1234 it'S", "in| |123|4| it|'S");
  is("qwen2", "in 12 it'S", "in| |1|2| it|'S");
  is("tekken", "HelloWorld ABc XMLHttp", "Hello|World| ABc| XMLHttp");
  is("tekken", "it's a/b//\n12", "it|'s| a|/b|//\n|1|2");
  is("gpt-4o", "It'S camelCase 12345", "It'S| camel|Case| |123|45");
  is("deepseek-v3", "a.b (x) 12345 \xE4\xB8\xAD\xE6\x96\x87", "a|.b| (|x|)| |123|45| |\xE4\xB8\xAD\xE6\x96\x87");
  is("qwen35", "e\xCC\x81t 12", "e\xCC\x81t| |1|2");
  is("qwen2", "e\xCC\x81t", "e|\xCC\x81t");
  is("bloom", "a, b 12", "a|,| b| 12");
  is("seed-coder", "a;\n\nb", "a|;|\n\n|b");
  is("falcon", "a` 1234", "a|`| |123|4");
}

LECTERN_TEST("tokenizer: words end where an independent tokenizer ends them by the published expressions") {
  const Cancel never;
  llm::CancelPace pace(never);
  for (const test::PublishedWords& published : test::published_words()) {
    const llm::WordSplitter splitter(published.pre_tokenizer);
    std::string wrong;
    for (std::size_t i = 0; i < test::hard_texts().size(); i++) {
      const std::string& text = test::hard_texts()[i];
      const llm::DecodedText decoded(text, pace);
      std::uint32_t digest = 0x811C9DC5;
      std::string shown_words;
      for (const auto& [begin, end] : splitter.split(decoded, pace)) {
        const std::uint32_t last = decoded.offsets[end];
        shown_words += "[" + text.substr(decoded.offsets[begin], last - decoded.offsets[begin]) + "]";
        for (const int shift : {0, 8, 16, 24}) digest = (digest ^ (last >> shift & 255)) * 0x01000193U;
      }
      if (digest != published.digests[i]) wrong += "\n  " + shown_words;
    }
    check(wrong.empty(), std::string(published.pre_tokenizer) + ":" + wrong);
  }
}

LECTERN_TEST("tokenizer: a forced pre-tokenizer takes the place of names that are not known, and of no others") {
  struct Unforced {
    ~Unforced() { llm::force_pre_tokenizer(""); }
  };
  const auto file = [](const char* name) {
    std::vector<MadeToken> tokens;
    for (int i = 0; i < 256; i++) tokens.push_back({std::string(1, static_cast<char>(i < 94 ? '!' + i : 1))});
    GgufWriter writer;
    writer.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", name);
    tokens[200].text = "12";
    // Digits are joined where a pre-tokenizer leaves them in one word.
    return add_tokens(writer, tokens).list("tokenizer.ggml.merges", std::vector<std::string>{"1 2"}).bytes();
  };
  const auto refused = [&] { test::check_throws(ErrorCode::invalid_model, [&] { const OwnedTokenizer made(file("qwen9")); }, "--pre-tokenizer"); };
  refused();
  const Unforced end;
  llm::force_pre_tokenizer("qwen2");
  const OwnedTokenizer forced(file("qwen9"));
  const OwnedTokenizer usual(file("qwen2"));
  const OwnedTokenizer other(file("llama-bpe"));
  check(forced->encode("12", {}) == usual->encode("12", {}), "as qwen2");
  check(other->encode("12", {}) != usual->encode("12", {}), "a known name stays what it is");
  test::check_throws(ErrorCode::invalid_request, [] { llm::force_pre_tokenizer("qwen9"); }, "qwen");
  llm::force_pre_tokenizer("");
  refused();
}

LECTERN_TEST("tokenizer: the first conversions of Llama 3 are known without the name of their pre-tokenizer") {
  std::vector<MadeToken> tokens;
  for (int i = 0; i < 256; i++) tokens.push_back({std::string(1, static_cast<char>(i < 94 ? '!' + i : 1))});
  while (tokens.size() < 128000) tokens.push_back({"<" + std::to_string(tokens.size())});
  const auto begin = static_cast<TokenId>(tokens.size());
  tokens.push_back({"<|begin_of_text|>", 0, llm::TokenKind::control});
  tokens.push_back({"<|end_of_text|>", 0, llm::TokenKind::control});
  tokens[300].text = "whole";
  const auto file = [&] {
    GgufWriter writer;
    writer.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(begin));
    add_tokens(writer, tokens).list("tokenizer.ggml.merges", std::vector<std::string>{"w h"});
    return writer;
  };
  const OwnedTokenizer nameless(file().bytes());
  check(nameless->vocabulary().pre_tokenizer == "llama-bpe", "found");
  check(nameless->encode("whole", {true, false}) == std::vector<TokenId>{begin, 300}, "whole words first, behind the begin token");
  const OwnedTokenizer named(file().key("tokenizer.ggml.pre", "default").bytes());
  check(named->vocabulary().pre_tokenizer == "default" && named->encode("whole", {true, false}).size() == 5, "a name is believed");
  std::swap(tokens[128000].text, tokens[128001].text);
  const OwnedTokenizer other(file().bytes());
  check(other->vocabulary().pre_tokenizer == "default" && other->encode("whole", {true, false}).size() == 5, "another vocabulary");
}

}  // namespace
}  // namespace lectern
