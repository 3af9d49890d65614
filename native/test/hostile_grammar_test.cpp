// Grammars made to take time or memory: they are taken or refused, and it ends.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar_vocabulary.h"
#include "harness.h"
#include "llm/grammar/grammar.h"
#include "sanitized.h"

namespace lectern {
namespace {

using llm::Grammar;
using llm::GrammarMatcher;
using llm::TokenId;
using test::allows;
using test::check;

/// Bytes, and runs of the letters that the grammars here are about.
struct Vocabulary {
  Vocabulary() : tokenizer(test::byte_level_file(make_tokens())), trie(llm::make_token_trie(*tokenizer)) {}

  static std::vector<std::string> make_tokens() {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; byte++) tokens.emplace_back(1, static_cast<char>(byte));
    for (const char* piece : {"a", "ab", "[", "]", "0"}) {
      std::string token;
      for (int i = 0; i < 48; i++) {
        token += piece;
        if (token.size() > 1) tokens.push_back(token);
      }
    }
    return tokens;
  }

  std::size_t end() const { return static_cast<std::size_t>(tokenizer->vocabulary().size()) - 1; }

  test::OwnedTokenizer tokenizer;
  std::shared_ptr<const llm::TokenTrie> trie;
};

const Vocabulary& vocabulary() {
  static const Vocabulary made;
  return made;
}

/// The refusal, or none; any other failure is one of the test.
std::optional<std::string> refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    check(error.code() == ErrorCode::invalid_request, std::string("refused as ") + std::string(name_of(error.code())) + ": " + error.what());
    return error.what();
  }
  return std::nullopt;
}

std::string repeated(const std::string& piece, std::size_t count) {
  std::string text;
  text.reserve(piece.size() * count);
  for (std::size_t i = 0; i < count; i++) text += piece;
  return text;
}

/// Reads the text byte by byte, with a mask before every `every`th; how many bytes went well.
std::size_t read(const std::string& source, const std::string& text, std::size_t every, std::optional<std::string>& refused) {
  std::size_t count = 0;
  refused = refusal([&] {
    const std::unique_ptr<GrammarMatcher> matcher = llm::match(Grammar::compile(source), vocabulary().trie);
    for (const char byte : text) {
      const auto id = static_cast<unsigned char>(byte);
      if (count % every == 0 && !check(allows(matcher->allowed(), id), source.substr(0, 60) + ": byte " + std::to_string(count))) return;
      matcher->accept(id);
      count++;
    }
    (void)matcher->allowed();
  });
  return count;
}

LECTERN_TEST("hostile grammar: ambiguity does not multiply") {
  // Each has more readings of 60 letters than there are atoms.
  for (const char* source : {"root ::= \"a\" root root | \"a\"", "root ::= x*\nx ::= \"a\" | \"aa\" | \"a\" x", "root ::= (\"a\"? \"a\"? \"a\"? \"a\"?)*",
                             "root ::= \"a\" root \"a\" | \"a\" root \"b\" | \"a\" root | \"a\"", "root ::= ((\"a\"*)* | (\"a\" | \"a\"+)*)*",
                             "root ::= s s s s\ns ::= \"a\" s s s | \"\" | \"a\""}) {
    std::optional<std::string> refused;
    const std::size_t count = read(source, std::string(60, 'a'), 7, refused);
    check(!refused && count == 60, std::string(source) + ": " + refused.value_or("") + " after " + std::to_string(count));
  }
}

LECTERN_TEST("hostile grammar: what grows with the text is refused when it is too much") {
  std::optional<std::string> refused;
  const std::string letters(test::sanitized ? 3000 : 20'000, 'a');
  const std::size_t count = read("root ::= \"a\" root root | \"a\"", letters, 1000, refused);
  check(count > 500 && (count == letters.size() || refused), "after " + std::to_string(count) + " letters: " + refused.value_or("none"));
  if (!test::sanitized) check(refused.has_value() && refused->find("too many ways") != std::string::npos, "the sentence");
}

LECTERN_TEST("hostile grammar: 10,000 brackets deep and out again") {
  const std::string source = "root ::= value\nvalue ::= \"[\" (value (\",\" value)*)? \"]\" | \"0\"";
  const std::size_t depth = test::sanitized ? 1000 : 10'000;
  std::optional<std::string> refused;
  const std::string text = repeated("[", depth) + "0" + repeated("]", depth);
  check(read(source, text, 97, refused) == text.size() && !refused, "read: " + refused.value_or(""));
  const std::unique_ptr<GrammarMatcher> matcher = llm::match(Grammar::compile(source), vocabulary().trie);
  for (const char byte : repeated("[", depth) + repeated("]", depth - 1)) matcher->accept(byte);
  check(!matcher->finished() && allows(matcher->allowed(), ']') && allows(matcher->allowed(), ',') && !allows(matcher->allowed(), vocabulary().end()), "one is open");
  matcher->accept(']');
  check(matcher->finished() && allows(matcher->allowed(), vocabulary().end()) && !allows(matcher->allowed(), ']'), "none is");
  test::check_throws(ErrorCode::internal, [&] { matcher->accept(']'); }, "a bracket too many");
}

LECTERN_TEST("hostile grammar: repetitions") {
  std::optional<std::string> refused;
  const auto reads = [&](const std::string& source, const std::string& text) {
    const std::size_t count = read(source, text, 50, refused);
    check(!refused && count == text.size(), source.substr(0, 60) + ": " + refused.value_or("") + " after " + std::to_string(count));
  };
  const auto ends = [&](const std::string& source, const std::string& text) {
    const std::unique_ptr<GrammarMatcher> matcher = llm::match(Grammar::compile(source), vocabulary().trie);
    for (const char byte : text) matcher->accept(static_cast<unsigned char>(byte));
    check(matcher->finished() && !allows(matcher->allowed(), 'a'), source + " ends after " + std::to_string(text.size()));
  };
  ends("root ::= \"a\"{0,1000}", std::string(1000, 'a'));
  ends("root ::= (\"a\"?){0,1000}", std::string(1000, 'a'));
  ends("root ::= [^b]{1000}", std::string(1000, 'a'));
  ends("root ::= (\"a\"{10}){100}", std::string(1000, 'a'));
  ends("root ::= ((\"a\"{0,10}){0,10}){0,10}", std::string(1000, 'a'));
  reads("root ::= \"a\"{100000}", std::string(300, 'a'));
  reads("root ::= ([^b]{0,50000}){0,50000}", std::string(300, 'a'));
  reads("root ::= " + repeated("(", 150) + "\"a\"+" + repeated(")+", 150), std::string(300, 'a'));
  reads("root ::= " + repeated("(", 2) + "\"a\"" + repeated("{0,1000})", 2), std::string(60, 'a'));
  check(refusal([] { Grammar::compile("root ::= " + repeated("(\"a\" \"b\"){50000} ", 20)); }).has_value(), "too many copies");
}

LECTERN_TEST("hostile grammar: megabytes of source") {
  const auto outcome = [](const std::string& source, bool taken) {
    std::optional<std::string> refused;
    const std::size_t count = read(source, "a", 1, refused);
    const std::string what = source.substr(0, 40) + "... of " + std::to_string(source.size()) + " bytes";
    check(taken == !refused.has_value() && (refused || count == 1), what + ": " + refused.value_or("taken"));
  };
  const std::size_t megabyte = 1 << 20;
  outcome("root ::= \"a\" #" + std::string(megabyte - 100, '#'), true);
  outcome("root ::= \"a\" #" + std::string(megabyte, '#'), false);
  outcome("root ::= \"" + std::string(megabyte - 100, 'a') + "\"", false);
  outcome("root ::= \"" + std::string(300'000, 'a') + "\"", true);
  outcome("root ::= " + std::string(megabyte - 100, '('), false);
  outcome("root ::= \"a\"" + std::string(megabyte - 100, '?'), false);
  outcome("root ::= " + std::string(megabyte - 100, 'a'), false);
  outcome("root ::= (\"a\"" + repeated("|\"\"", 150'000) + ")*", true);
  outcome("root ::= \"a\"" + repeated("|\"a\"", 150'000), true);
  outcome("root ::= \"a\"" + repeated("|\"a\"", 250'000), false);
  outcome("root ::= \"a\"? " + repeated("\"b\"? ", 90'000), true);
  outcome("root ::= [" + repeated("\xE6\xBC\xA2", 300'000) + "a]", true);
  std::string chain = "root ::= r0\n";
  for (int i = 0; i < 9000; i++) chain += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + " r" + std::to_string(i + 1) + "?\n";
  check(!refusal([&] { Grammar::compile(chain + "r9000 ::= \"a\""); }), "a chain of 9,000 rules");
  outcome(chain + "r9000 ::= \"a\"? r0", false);
  std::string many = "root ::= \"a\"\n";
  for (int i = 0; i < 10'000; i++) many += "r" + std::to_string(i) + " ::= \"\"\n";
  outcome(many, false);
}

}  // namespace
}  // namespace lectern
