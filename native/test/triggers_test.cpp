// Words that start a grammar: seen across token borders, and no token runs past their end.
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "llm/triggers.h"
#include "made_vocabulary.h"

namespace lectern::llm {
namespace {

using test::check;

// Token i stands for texts[i]; the bytes of a byte-level vocabulary are its letters as long as they are printable ASCII.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {"<",    "tool", "_call", ">",  ">{", "<tool_call>", "x<tool_call>", "<tool_call>{",
                                               "call", "a",    "aa",    "b", "_call>b", "ab", "l", "<|end|>"};
  return all;
}

test::OwnedTokenizer make_tokenizer() {
  std::vector<test::MadeToken> tokens;
  for (const std::string& text : texts()) tokens.push_back({text, 0, text == "<|end|>" ? TokenKind::control : TokenKind::normal});
  test::GgufWriter file;
  file.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", "default").list("tokenizer.ggml.merges", std::vector<std::string>{});
  file.key("tokenizer.ggml.eos_token_id", 15U);
  return test::OwnedTokenizer(add_tokens(file, tokens).bytes());
}

bool allows(const TokenMask* mask, std::size_t id) { return mask == nullptr || (((*mask)[id / 32] >> (id % 32)) & 1U) != 0; }

/// Complete strictly inside `text`, found the plain way.
bool runs_past(const std::string& text, const std::vector<std::string>& triggers) {
  for (const std::string& trigger : triggers) {
    const std::size_t found = text.find(trigger);
    if (found != std::string::npos && found + trigger.size() < text.size()) return true;
  }
  return false;
}

bool ends_with_one(const std::string& text, const std::vector<std::string>& triggers) {
  for (const std::string& trigger : triggers) {
    if (text.ends_with(trigger)) return true;
  }
  return false;
}

LECTERN_TEST("triggers: exactly the tokens that would run past one are forbidden, and its last byte is seen") {
  const test::OwnedTokenizer tokenizer = make_tokenizer();
  std::mt19937 random(3);
  int completed = 0;
  int forbidden = 0;
  for (const std::vector<std::string>& wanted :
       std::vector<std::vector<std::string>>{{"<tool_call>"}, {"aab", "<tool"}, {"aaa", "ab"}, {"<"}, {"call>b"}, {"ll", "b"}, {"<tool_call>x"}}) {
    const auto triggers = std::make_shared<const Triggers>(wanted, *tokenizer);
    for (int round = 0; round < 300; round++) {
      TriggerWatch watch(triggers);
      std::string text;
      for (int step = 0; step < 12; step++) {
        const TokenMask* mask = watch.allowed();
        std::vector<std::size_t> open;
        for (std::size_t id = 0; id + 1 < texts().size(); id++) {
          const bool fits = !runs_past(text + texts()[id], wanted);
          forbidden += !fits;
          if (!check(allows(mask, id) == fits, "\"" + text + "\" then \"" + texts()[id] + "\"")) return;
          if (fits) open.push_back(id);
        }
        check(allows(mask, 15), "the end is never forbidden");
        const std::size_t id = open[random() % open.size()];
        text += texts()[id];
        const bool complete = watch.push(static_cast<TokenId>(id));
        if (!check(complete == ends_with_one(text, wanted), "complete in \"" + text + "\"")) return;
        completed += complete;
        if (complete) break;
      }
    }
  }
  check(completed > 100 && forbidden > 100, "both happened: " + std::to_string(completed) + ", " + std::to_string(forbidden));
}

LECTERN_TEST("triggers: what is no trigger is refused") {
  const std::string longest(256, 'a');
  Triggers::check(std::vector<std::string>(32, longest));
  const std::vector<std::vector<std::string>> all{{""}, {"a", ""}, {longest + "a"}, std::vector<std::string>(33, "a")};
  for (const std::vector<std::string>& bad : all) {
    test::check_throws(ErrorCode::invalid_request, [&] { Triggers::check(bad); }, std::to_string(bad.size()) + " triggers");
  }
}

}  // namespace
}  // namespace lectern::llm
