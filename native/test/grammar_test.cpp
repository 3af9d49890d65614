// Grammars against plain matching of every token, texts that they take and refuse, and sources that are no grammars.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "grammar_vocabulary.h"
#include "harness.h"
#include "llm/grammar/grammar.h"
#include "llm/grammar/recent_grammars.h"
#include "reference_grammar.h"
#include "sanitized.h"

namespace lectern {
namespace {

using llm::Grammar;
using llm::GrammarMatcher;
using llm::TokenId;
using llm::TokenMask;
using llm::TokenTrie;
using test::allows;
using test::check;
using test::either;
using test::ReferenceGrammar;
using test::ReferenceMatcher;
using test::repeat;
using test::sequence;

/// Every byte first, then whatever the grammars here may ask for: parts of characters, tokens over several rules, long ones, twins.
std::vector<std::string> make_tokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; byte++) tokens.emplace_back(1, static_cast<char>(byte));
  std::mt19937 random(5);
  const std::vector<std::string> pieces = {"a", "b", "c", "aa", "ab", "\"", "\n", "\xC3\xA9", "\xE6\xBC\xA2", "\xF0\x9F\x99\x82", "\xC3", "\xA9", "\xE6\xBC",
                                           "\xF0\x9F", "\x99\x82", "{", "}", "[", "]", "1", "-2", ",", ":", " ", "true", "nul", "l", "\\", "\\u00"};
  for (int i = 0; i < 260; i++) {
    std::string token;
    for (std::size_t k = 1 + random() % 4; k > 0; k--) token += pieces[random() % pieces.size()];
    tokens.push_back(token);
  }
  for (const std::size_t length : {3U, 7U, 15U, 16U, 17U, 18U, 24U, 40U, 41U, 50U}) tokens.emplace_back(length, 'a');
  tokens.emplace_back(std::string(20, 'a') + "\"");
  tokens.emplace_back("ab");
  tokens.emplace_back("\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\",");
  return tokens;
}

struct Vocabulary {
  Vocabulary() : tokens(make_tokens()), tokenizer(test::byte_level_file(tokens)), trie(llm::make_token_trie(*tokenizer)) {}

  std::unique_ptr<GrammarMatcher> match(const std::string& source) const { return llm::match(Grammar::compile(source), trie); }
  TokenId end() const { return static_cast<TokenId>(tokens.size()) + 1; }

  std::vector<std::string> tokens;
  test::OwnedTokenizer tokenizer;
  std::shared_ptr<const TokenTrie> trie;
};

const Vocabulary& vocabulary() {
  static const Vocabulary made;
  return made;
}

TokenId byte_token(char byte) { return static_cast<unsigned char>(byte); }

struct Tally {
  int masks = 0;
  int allowed = 0;
  int forbidden = 0;
  int complete = 0;
  int refused = 0;
};

/// The mask of a place that `plain` stands at too; the tokens that it allows, or none where something differs.
std::vector<TokenId> compare(GrammarMatcher& matcher, const ReferenceMatcher& plain, const std::string& what, Tally& tally) {
  const TokenMask mask = matcher.allowed();
  std::vector<TokenId> open;
  tally.masks++;
  for (std::size_t id = 0; id < vocabulary().tokens.size(); id++) {
    ReferenceMatcher next = plain;
    next.accept(vocabulary().tokens[id]);
    if (next.gave_up()) return {};
    (next.viable() ? tally.allowed : tally.forbidden)++;
    if (allows(mask, id) != next.viable()) {
      check(false, what + ": token " + std::to_string(id));
      return {};
    }
    if (next.viable()) open.push_back(static_cast<TokenId>(id));
  }
  const auto end = static_cast<std::size_t>(vocabulary().end());
  tally.complete += plain.complete();
  const bool ends = check(allows(mask, end) == plain.complete(), what + ": the end") && check(!allows(mask, end - 1), what + ": a control token") &&
                    check(matcher.finished() == plain.finished(), what + ": finished");
  if (!ends) open.clear();
  return open;
}

/// Walks of random tokens from the beginning.
void walk(const ReferenceGrammar& grammar, int walks, int steps, std::mt19937& random, Tally& tally) {
  const std::string source = grammar.source(random);
  if (grammar.left_recursive() || !grammar.productive().front()) {
    tally.refused++;
    test::check_throws(ErrorCode::invalid_request, [&] { Grammar::compile(source); }, source);
    return;
  }
  const std::shared_ptr<const Grammar> compiled = Grammar::compile(source);
  for (int i = 0; i < walks; i++) {
    const std::unique_ptr<GrammarMatcher> matcher = llm::match(compiled, vocabulary().trie);
    ReferenceMatcher plain(grammar);
    std::string text;
    for (int step = 0; step < steps; step++) {
      const std::vector<TokenId> open = compare(*matcher, plain, source + "after \"" + text + "\"", tally);
      if (open.empty()) break;
      // Single bytes lead to more places.
      const auto longer = std::find_if(open.begin(), open.end(), [](TokenId id) { return id >= 256; });
      const std::size_t bytes = static_cast<std::size_t>(longer - open.begin());
      const TokenId id = open[random() % (random() % 2 == 0 && bytes > 0 ? bytes : open.size())];
      matcher->accept(id);
      plain.accept(vocabulary().tokens[static_cast<std::size_t>(id)]);
      text += vocabulary().tokens[static_cast<std::size_t>(id)];
    }
  }
}

LECTERN_TEST("grammar: random grammars allow exactly the tokens that plain matching allows") {
  std::mt19937 random(1);
  Tally tally;
  for (int i = 0; i < (test::sanitized ? 80 : 350); i++) walk(test::random_grammar(random), 2, 6, random, tally);
  // A sanitized run compares a fifth as much.
  const int share = test::sanitized ? 5 : 1;
  check(tally.masks > 1000 / share && tally.allowed > 5000 / share && tally.forbidden > 100000 / share && tally.complete > 250 / share && tally.refused > 50 / share, "enough was compared");
  test::note("grammar: " + std::to_string(tally.masks) + " masks, " + std::to_string(tally.allowed) + " tokens allowed, " + std::to_string(tally.forbidden) +
             " forbidden, " + std::to_string(tally.complete) + " complete, " + std::to_string(tally.refused) + " grammars refused");
}

ReferenceGrammar json() {
  enum : std::size_t { root, value, object, array, string, number, blank };
  using test::characters;
  using test::rule;
  using test::text;
  const auto digits = [](int least) { return repeat(characters({{'0', '9'}}), least, -1); };
  ReferenceGrammar grammar;
  grammar.rules.resize(7);
  grammar.rules[root] = rule(object);
  grammar.rules[value] = either({rule(object), rule(array), rule(string), rule(number), text("true"), text("false"), text("null")});
  const auto member = [&] { return sequence({rule(string), text(":"), rule(blank), rule(value)}); };
  grammar.rules[object] = sequence({text("{"), rule(blank), repeat(sequence({member(), repeat(sequence({text(","), rule(blank), member()}), 0, -1)}), 0, 1), text("}"), rule(blank)});
  grammar.rules[array] = sequence({text("["), rule(blank), repeat(sequence({rule(value), repeat(sequence({text(","), rule(blank), rule(value)}), 0, -1)}), 0, 1), text("]"), rule(blank)});
  grammar.rules[string] = sequence({text("\""),
                                    repeat(either({characters({{'"', '"'}, {'\\', '\\'}, {0, 31}}, true),
                                                   sequence({text("\\"), either({characters({{'"', '"'}, {'\\', '\\'}, {'n', 'n'}}),
                                                                                sequence({text("u"), repeat(characters({{'0', '9'}, {'a', 'f'}}), 4, 4)})})})}),
                                           0, -1),
                                    text("\""), rule(blank)});
  grammar.rules[number] = sequence({repeat(text("-"), 0, 1), digits(1), repeat(sequence({text("."), digits(1)}), 0, 1), rule(blank)});
  grammar.rules[blank] = repeat(characters({{' ', ' '}, {'\n', '\n'}}), 0, 1);
  return grammar;
}

LECTERN_TEST("grammar: JSON, counted strings and ambiguous grammars allow exactly what plain matching allows") {
  using test::characters;
  using test::rule;
  using test::text;
  std::mt19937 random(2);
  Tally tally;
  const int walks = test::sanitized ? 1 : 3;
  walk(json(), 2 * walks, 30, random, tally);
  const auto counted = [&](int least, int most) {
    const auto letter = either({characters({{'"', '"'}, {'\\', '\\'}, {0, 31}}, true), sequence({text("\\"), characters({{'"', '"'}, {'\\', '\\'}})})});
    walk({{sequence({text("\""), repeat(rule(1), least, most), text("\""), repeat(text(","), 0, 1)}), letter}}, walks, 40, random, tally);
    walk({{sequence({repeat(characters({{'a', 'c'}}), least, most), repeat(text("ab"), 0, 2)})}}, walks, 20, random, tally);
  };
  for (const auto& [least, most] : std::vector<std::pair<int, int>>{{0, 50}, {20, 60}, {35, 35}, {30, -1}, {45, 100}}) counted(least, most);
  walk({{repeat(sequence({repeat(text("a"), 0, 3), repeat(text("b"), 0, 2)}), 17, 40)}}, walks, 12, random, tally);
  // Counted in a counted one.
  walk({{repeat(sequence({repeat(text("a"), 17, 19), text("b")}), 2, 20)}}, walks, 30, random, tally);
  // Which letter is the middle cannot be known; nor how the letters are shared.
  walk({{either({sequence({text("a"), rule(0), text("a")}), sequence({text("b"), rule(0), text("b")}), text("c"), text("")})}}, walks, 8, random, tally);
  walk({{either({sequence({text("a"), rule(0), rule(0)}), text("b")})}}, walks, 7, random, tally);
  walk({{sequence({rule(1), rule(1), rule(1), text("c")}), repeat(text("a"), 0, -1)}}, walks, 8, random, tally);
  check(tally.refused == 0 && tally.masks > 150 && tally.complete > 15, "enough was compared: " + std::to_string(tally.masks) + ", " + std::to_string(tally.complete));
}

/// Byte for byte: whether the text is in the language, as far as it is none of its beginnings "<".
std::string reading(const std::string& source, const std::string& text) {
  const std::unique_ptr<GrammarMatcher> matcher = vocabulary().match(source);
  for (const char byte : text) {
    if (!allows(matcher->allowed(), static_cast<std::size_t>(byte_token(byte)))) return "refused";
    matcher->accept(byte_token(byte));
  }
  return allows(matcher->allowed(), static_cast<std::size_t>(vocabulary().end())) ? "complete" : "begun";
}

void reads(const std::string& source, const std::vector<std::string>& complete, const std::vector<std::string>& begun, const std::vector<std::string>& refused) {
  for (const std::string& text : complete) check(reading(source, text) == "complete", source + " takes \"" + text + "\"");
  for (const std::string& text : begun) check(reading(source, text) == "begun", source + " begins with \"" + text + "\"");
  for (const std::string& text : refused) check(reading(source, text) == "refused", source + " refuses \"" + text + "\"");
}

LECTERN_TEST("grammar: every form of GBNF is read as it is meant") {
  reads("root ::= \"a\\x41\\u00e9\\U0001F642\\n\\t\\r\\\\\\\"\\[\\]\"", {"aA\xC3\xA9\xF0\x9F\x99\x82\n\t\r\\\"[]"}, {"a", "aA\xC3"}, {"b", "aA\xC3\xA8"});
  reads("root ::= [a-c\\x5D\\-x-]", {"a", "b", "c", "]", "-", "x"}, {""}, {"d", "w", "\\"});
  reads("root ::= [^a-c\\n]", {"d", "\xC3\xA9", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF", "\t"}, {"\xC3", "\xED\x9F"}, {"a", "\n", "\x80", "\xED\xA0", "\xF4\x90", "\xC1", "\xE0\x80", "\xF0\x8F", "\xFF"});
  reads("root ::= .", {"a", "\n", "\xF0\x9F\x99\x82"}, {"", "\xF0\x9F"}, {"aa", "\xC0", "\xF5"});
  reads("root ::= \"a\"? \"b\"* \"c\"+", {"c", "abbcc", "bc", "ac"}, {"", "a", "ab"}, {"aa", "ca"});
  reads("root ::= \"ab\"{2} [x]{1,2} [y]{0,} [z]{2,}", {"ababxzz", "ababxxyyyzzz"}, {"abab", "ababxz"}, {"ababz", "ababxxx", "ababab"});
  reads("root ::= \"a\"{ 2 , 3 } \"b\"{0}", {"aa", "aaa"}, {"a"}, {"aaaa", "aab"});
  reads("# one\nroot ::= # two\n  thing \"!\" |\n  (\n thing\n \"?\" )\n  | \"\" # three\nthing::=\"a\"\n", {"a!", "a?", ""}, {"a"}, {"a.", "!"});
  reads("a_1-B ::= \"x\"\r\nroot ::= a_1-B a_1-B\r\n", {"xx"}, {"x"}, {"xxx"});
  reads("root ::= | \"a\"", {"", "a"}, {}, {"b"});
  reads("root ::=", {""}, {}, {"a"});
  reads("root ::= (\"a\" | (\"b\"?)*)* \"c\"", {"c", "abac"}, {"", "ab"}, {"d"});
  reads("root ::= \"(\" root \")\" | dead | \"x\"\ndead ::= \"y\" dead", {"x", "((x))"}, {"(("}, {"y", "(y"});
}

LECTERN_TEST("grammar: what was asked for lately is compiled once") {
  llm::RecentGrammars grammars;
  const std::shared_ptr<const Grammar> first = grammars.compile("root ::= \"a\"");
  const std::shared_ptr<const Grammar> second = grammars.compile("root ::= \"b\"");
  check(first != second && grammars.compile("root ::= \"a\"") == first, "the same source");
  for (const char* source : {"root ::= \"c\"", "root ::= \"d\"", "root ::= \"e\""}) grammars.compile(source);
  check(grammars.compile("root ::= \"a\"") == first && grammars.compile("root ::= \"b\"") != second, "the one that was used longest ago goes");
  test::check_throws(ErrorCode::invalid_request, [&] { grammars.compile("root"); }, "no grammar");
  const std::string large = "root ::= \"a\" # " + std::string(70'000, '-');
  check(grammars.compile(large) != grammars.compile(large), "large ones are not kept");
}

/// The sentence of the refusal.
std::string refusal(const std::string& source) {
  try {
    Grammar::compile(source);
  } catch (const Error& error) {
    return error.code() == ErrorCode::invalid_request ? error.what() : "another code";
  }
  return "not refused";
}

LECTERN_TEST("grammar: what is no grammar is refused with its place") {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"", "line 1, column 1: there is no rule \"root\""},
      {"a ::= \"x\"", "there is no rule \"root\""},
      {"root ::= \"a\"\n  b", "line 2, column 3: there is no rule \"b\""},
      {"root ::= \"\xC3\xA9\" b", "line 1, column 14: there is no rule \"b\""},
      {"root ::= \"a", "line 1, column 10: this literal is not closed"},
      {"root ::= \"a\\", "this escape is not complete"},
      {"root ::= \"\\q\"", "column 11: this escape is not known"},
      {"root ::= \"\\x4\"", "this escape is not complete"},
      {"root ::= \"\\uD83D\\uDE42\"", "this escape is no character"},
      {"root ::= \"\\UFFFFFFFF\"", "this escape is no character"},
      {"root ::= \"\xC3\"", "this is not UTF-8"},
      {"root ::= \"\xED\xA0\x80\"", "this is not UTF-8"},
      {"root ::= [a", "this class is not closed"},
      {"root ::= [a-", "this class is not closed"},
      {"root ::= []", "this class has no characters"},
      {"root ::= [b-a]", "this range ends before it begins"},
      {"root ::= (\"a\"", "column 10: this group is not closed"},
      {"root ::= (\"a\"\nb ::= \"c\")", "this group is not closed"},
      {"root ::= \"a\")", "column 13: this was not expected here"},
      {"root ::= *", "this was not expected here"},
      {"root ::= \"a\"{", "a number was expected here"},
      {"root ::= \"a\"{2", "this repetition is not closed"},
      {"root ::= \"a\"{2,1}", "this repetition ends before it begins"},
      {"root ::= \"a\"{99999999999}", "there are at most 100000 repetitions"},
      {"root ::= \"a\"\nroot ::= \"b\"", "line 2, column 1: this rule was already defined"},
      {"root \"a\"", "a rule must begin here"},
      {"root ::= \"a\" b ::= \"c\"", "a rule begins on a line of its own"},
      {"root ::= <[5]>", "this was not expected here"},
      {"root ::= root \"a\" | \"b\"", "left recursion"},
      {"root ::= a\na ::= b? c* a \"x\" | \"y\"\nb ::= \"b\"\nc ::= b b?", "line 2, column 1: this may begin with itself"},
      {"root ::= a\na ::= (e | \"\") b\nb ::= e{0,5} a | \"y\"\ne ::= \"\" \"\"", "left recursion"},
      {"root ::= \"x\" root", "no text is ever complete"},
      {"root ::= [^\\x00-\\U0010FFFF]", "no text is ever complete"},
  };
  for (const auto& [source, sentence] : all) {
    const std::string said = refusal(source);
    check(said.find(sentence) != std::string::npos, source + ": " + said);
  }
  check(refusal("root ::= [\\uD800-\\uDFFF]").find("is no character") != std::string::npos, "surrogates cannot be written");
}

}  // namespace
}  // namespace lectern
