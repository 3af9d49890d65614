#include "grammar_bench.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "grammar_vocabulary.h"
#include "llm/grammar/grammar.h"

namespace lectern::test {
namespace {

/// Processor time of this thread: what others do meanwhile is not the grammar's.
double now_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

double microseconds(double from) { return now_us() - from; }

constexpr std::size_t vocabulary_size = 150'000;

/// As published vocabularies are: bytes, words with and without a space, capitals, code, runs of blanks, ideographs; 1 in 30 beyond 16 bytes.
std::vector<std::string> make_tokens() {
  std::mt19937 random(1);
  const auto one_of = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  const std::vector<std::string> heads = {"b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "th", "qu", "k", "h", "v", "w", ""};
  const std::vector<std::string> cores = {"a", "e", "i", "o", "u", "ea", "ou", "\xC3\xA9", "\xC3\xBC", "y"};
  const std::vector<std::string> tails = {"", "n", "r", "s", "t", "l", "nt", "ng", "ck", "m"};
  const std::vector<std::string> signs = {"\"", "\":", "\",", "\"}", "\"]", "{", "{\"", "[", "]", "},", "\":\"", "\", \"", ".", ",", "(", ");", "\n", "\n\n", "  ", "\\", "/", "-", "_", "'", "?", "!", "=", "<", ">"};
  std::set<std::string> tokens;
  for (int byte = 0; byte < 256; byte++) tokens.insert(std::string(1, static_cast<char>(byte)));
  for (std::size_t blanks = 2; blanks < 128; blanks++) tokens.insert(std::string(blanks, ' '));
  for (int number = 0; number < 1000; number++) tokens.insert(std::to_string(number));
  while (tokens.size() < vocabulary_size) {
    std::string token = random() % 2 == 0 ? " " : "";
    switch (random() % 12) {
      case 0:
        for (std::size_t i = 1 + random() % 3; i > 0; i--) token += one_of(signs);
        if (random() % 3 == 0) token += one_of(heads) + one_of(cores) + one_of(tails);
        break;
      case 1: case 2:
        token.clear();
        for (std::size_t i = 1 + random() % 4; i > 0; i--) {
          const std::size_t point = 0x4E00 + random() % 3000;
          for (const std::size_t byte : {0xE0 | point >> 12, 0x80 | (point >> 6 & 63), 0x80 | (point & 63)}) token += static_cast<char>(byte);
        }
        break;
      default:
        for (std::size_t i = 1 + random() % 3 + (random() % 12 == 0 ? 3 : 0); i > 0; i--) token += one_of(heads) + one_of(cores) + one_of(tails);
        if (random() % 8 == 0) token += one_of(signs);
    }
    tokens.insert(token);
  }
  return {tokens.begin(), tokens.end()};
}

const char* const strings = R"(
string ::= "\"" char* "\"" space
char ::= [^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})? space
integer ::= "-"? ("0" | [1-9] [0-9]{0,15}) space
boolean ::= ("true" | "false") space
space ::= | " " | "\n" [ \t]{0,20}
)";

std::string schema_grammar() {
  return std::string(R"(
root ::= "{" space "\"title\":" space string "," space "\"summary\":" space short-text "," space "\"kind\":" space kind "," space
  "\"pages\":" space integer ("," space "\"score\":" space number)? ("," space "\"draft\":" space boolean)? "," space "\"tags\":" space tags "," space
  "\"authors\":" space "[" space (author ("," space author){0,50})? "]" space ("," space "\"extra\":" space object)? "}" space
kind ::= ("\"invoice\"" | "\"letter\"" | "\"report\"" | "\"contract\"" | "\"other\"") space
tags ::= "[" space (string ("," space string){0,19})? "]" space
author ::= "{" space "\"name\":" space string "," space "\"age\":" space integer "," space "\"address\":" space address "}" space
address ::= "{" space "\"street\":" space short-text "," space "\"city\":" space string "}" space
short-text ::= "\"" char{1,300} "\"" space
value ::= object | array | string | number | boolean | "null" space
object ::= "{" space (string ":" space value ("," space string ":" space value)*)? "}" space
array ::= "[" space (value ("," space value)*)? "]" space
)") + strings;
}

std::string json_grammar() {
  return std::string(R"(
root ::= object
value ::= object | array | string | number | boolean | "null" space
object ::= "{" space (string ":" space value ("," space string ":" space value)*)? "}" space
array ::= "[" space (value ("," space value)*)? "]" space
)") + strings;
}

std::string answer() {
  std::string text = R"({"title": "The stones of the north, a report", "summary": ")";
  for (int i = 0; i < 12; i++) text += "Somewhat later the rest was found. ";
  text.resize(250);
  text += R"(\u00e9 \"so\"", "kind": "report", "pages": 212, "score": 0.75, "draft": false, "tags": ["stone", "north", "bones of old"], "authors": [)";
  for (int i = 0; i < 12; i++) {
    text += (i == 0 ? "" : ", ") + std::string(R"({"name": "Tomas Lindqu)") + std::to_string(i) + R"(ist", "age": )" + std::to_string(30 + i) +
            R"(, "address": {"street": "Long lane )" + std::to_string(i) + R"(", "city": "G\u00f6teborg"}})";
  }
  return text + R"(], "extra": {"notes": [{"page": 3, "text": "see there"}, {"page": 5, "deep": [[["a", 1.5e3], null]]}]}})";
}

struct Costs {
  std::vector<double> masks;
  std::vector<double> accepts;
};

double part(const std::vector<double>& values, double above) {
  return 100.0 * static_cast<double>(std::count_if(values.begin(), values.end(), [&](double value) { return value > above; })) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

Costs write(const std::shared_ptr<const llm::Grammar>& grammar, const std::shared_ptr<const llm::TokenTrie>& trie, const std::vector<llm::TokenId>& answer) {
  Costs costs;
  const double begun = now_us();
  const std::unique_ptr<llm::GrammarMatcher> matcher = llm::match(grammar, trie);
  double since = microseconds(begun);
  for (const llm::TokenId id : answer) {
    const double from = now_us();
    (void)matcher->allowed();
    costs.masks.push_back(since + microseconds(from));
    since = 0;
    const double chosen = now_us();
    matcher->accept(id);
    costs.accepts.push_back(microseconds(chosen));
  }
  return costs;
}

}  // namespace

void bench_grammar() {
  const std::vector<std::string> tokens = make_tokens();
  const OwnedTokenizer tokenizer(byte_level_file(tokens));
  const double begun = now_us();
  const std::shared_ptr<const llm::TokenTrie> trie = llm::make_token_trie(*tokenizer);
  std::printf("grammar, %zu tokens laid out in %.0f ms\n", tokens.size(), microseconds(begun) / 1e3);
  // The longest token at each place, as models write.
  const std::string text = answer();
  std::vector<llm::TokenId> ids;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = std::min<std::size_t>(text.size() - at, 24);
    auto found = tokens.end();
    for (; found == tokens.end(); length--) {
      const auto place = std::lower_bound(tokens.begin(), tokens.end(), text.substr(at, length));
      if (place != tokens.end() && *place == text.substr(at, length)) found = place;
    }
    ids.push_back(static_cast<llm::TokenId>(found - tokens.begin()));
    at += found->size();
  }
  for (const auto& [name, source] : std::vector<std::pair<const char*, std::string>>{{"schema", schema_grammar()}, {"any JSON", json_grammar()}}) {
    const double from = now_us();
    const std::shared_ptr<const llm::Grammar> grammar = llm::Grammar::compile(source);
    const double compile = microseconds(from);
    for (const char* turn : {"first answer", "next answer"}) {
      const Costs costs = write(grammar, trie, ids);
      std::printf("  grammar, %-8s %-12s %4zu tokens: mask median %6.1f us, max %7.1f us, %4.1f %% above 300 us; accept median %5.2f us, max %6.1f us; compiled in %.1f ms\n", name,
                  turn, ids.size(), median(costs.masks), *std::max_element(costs.masks.begin(), costs.masks.end()), part(costs.masks, 300), median(costs.accepts),
                  *std::max_element(costs.accepts.begin(), costs.accepts.end()), compile / 1e3);
    }
  }
}

}  // namespace lectern::test
