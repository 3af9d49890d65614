// One answer, with the logits written here: what ends it, what is told, when its grammar holds.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar_vocabulary.h"
#include "harness.h"
#include "llm/answer.h"

namespace lectern::llm {
namespace {

using test::check;

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {"a", "b", "{", "}", "1", "ab", "{1", "}b", "\xC3", "\xA9", "x<", "<t", ">", "t>{"};
  return all;
}

const test::OwnedTokenizer& tokenizer() {
  static const test::OwnedTokenizer made(test::byte_level_file(texts()));
  return made;
}

TokenId id_of(const std::string& text) {
  for (std::size_t i = 0; i < texts().size(); i++) {
    if (texts()[i] == text) return static_cast<TokenId>(i);
  }
  return static_cast<TokenId>(texts().size()) + 1;  // the end
}

/// An answer for which the model wants these tokens, one a step: the first most, the others in their order.
struct Driven {
  explicit Driven(GenerateOptions options, int limit = 100) {
    options.sampling.temperature = 0;
    AnswerParts parts{*tokenizer(), options.grammar ? make_token_trie(*tokenizer()) : nullptr, nullptr};
    if (!options.grammar_triggers.empty()) parts.triggers = std::make_shared<const Triggers>(options.grammar_triggers, *tokenizer());
    answer.emplace(options, std::vector<TokenId>{0}, limit, parts);
  }

  std::optional<FinishReason> wish(const std::vector<std::string>& wanted) {
    std::vector<float> logits(texts().size() + 2, -5);
    float logit = 10;
    for (const std::string& text : wanted) logits[static_cast<std::size_t>(id_of(text))] = logit--;
    return answer->next(logits.data(), told);
  }

  std::optional<Answer> answer;
  Burst told;
};

LECTERN_TEST("answer: the end, the limit and a stop string end it") {
  Driven ended({});
  check(!ended.wish({"a"}) && ended.wish({"<end>"}) == FinishReason::stop && ended.told.text == "a" && ended.answer->tokens() == 1, "the end is no token of the answer");
  Driven limited({}, 2);
  check(!limited.wish({"a"}) && limited.wish({"b"}) == FinishReason::length && limited.told.text == "ab", "the limit");
  GenerateOptions options;
  options.stop = {"b{"};
  Driven stopped(options);
  check(!stopped.wish({"ab"}) && stopped.told.text == "a", "what may become the stop string is held back");
  check(stopped.wish({"{1"}) == FinishReason::stop && stopped.told.text == "a" && stopped.answer->stop_string() == "b{", "across a border of tokens");
  check(stopped.told.ids.size() == 2 && stopped.told.choices.size() == 1 && stopped.answer->tokens() == 2, "a token in the stop string is an id, and no choice behind the text");
  Driven held(options);
  check(!held.wish({"a"}) && held.told.choices.size() == 1 && !held.wish({"b"}) && held.told.choices.size() == 1 && held.told.ids.size() == 2, "a choice is held back with its text");
  check(!held.wish({"a"}) && held.told.text == "aba" && held.told.choices.size() == 3 && held.told.choices[1].id == id_of("b"), "and comes with it");
  check(!held.wish({"b"}) && held.wish({"<end>"}) == FinishReason::stop && held.told.text == "abab" && held.told.choices.size() == 4, "or at the end");
  options.stop = {"\xC3\xA9"};
  Driven accent(options);
  check(!accent.wish({"a"}) && !accent.wish({"\xC3"}) && accent.told.choices.size() == 1, "half a character is held back");
  check(accent.wish({"\xA9"}) == FinishReason::stop && accent.told.text == "a" && accent.told.choices.size() == 1 && accent.told.ids.size() == 3, "and may be the stop string");
  Driven half({}, 1);
  check(half.wish({"\xC3"}) == FinishReason::length && half.told.text == "\xEF\xBF\xBD", "half a character at the end");
  options = {};
  options.ignore_end = true;
  options.sampling.logit_bias = {{id_of("<end>"), 50.0F}};
  Driven endless(options, 2);
  check(!endless.wish({"<end>", "b"}) && endless.wish({"<end>", "a"}) == FinishReason::length && endless.told.text == "ba", "an end that is ignored");
  Driven broken({});
  test::check_throws(ErrorCode::internal, [&] {
    const std::vector<float> logits(texts().size() + 2, std::numeric_limits<float>::quiet_NaN());
    (void)broken.answer->next(logits.data(), broken.told);
  }, "logits that are no numbers");
}

LECTERN_TEST("answer: a grammar holds from the start and ends the answer when nothing may follow") {
  GenerateOptions options;
  options.grammar = Grammar::compile("root ::= \"{\" \"1\"+ \"}\"");
  Driven driven(options);
  check(!driven.wish({"a", "<end>", "}", "{"}) && driven.told.text == "{", "the best that is allowed");
  check(!driven.wish({"}b", "}", "1"}) && !driven.wish({"<end>", "{1", "1"}), "no token that runs past the end");
  check(driven.wish({"a", "<end>", "}"}) == FinishReason::stop && driven.told.text == "{11}", "done without an end token");
  options.grammar = Grammar::compile("root ::= \"a\"*");
  Driven open(options);
  check(!open.wish({"b", "a"}) && open.wish({"b", "<end>", "a"}) == FinishReason::stop && open.told.text == "a", "the end where it may be");
  options.grammar = Grammar::compile("root ::= \"\"");
  Driven empty(options);
  check(empty.wish({"a"}) == FinishReason::stop && empty.told.text.empty() && empty.answer->tokens() == 0, "a grammar of nothing");
  options.grammar = Grammar::compile("root ::= \"q\"");
  Driven stuck(options);
  test::check_throws(ErrorCode::internal, [&] { (void)stuck.wish({"a"}); }, "a byte that no token has");
}

LECTERN_TEST("answer: behind a trigger the grammar holds, with the next byte") {
  GenerateOptions options;
  options.grammar = Grammar::compile("root ::= \"{1}\" | \"{}\"");
  options.grammar_triggers = {"<t>"};
  Driven driven(options);
  check(!driven.wish({"}b"}) && !driven.wish({"x<"}), "free text");
  check(!driven.wish({"t>{", "a"}) && driven.told.text == "}bx<a", "a token that runs past the trigger is not taken");
  check(!driven.wish({"<t"}) && !driven.wish({">"}), "the trigger");
  check(!driven.wish({"a", "<end>", "{1", "{"}) && driven.wish({"}b", "a", "}"}) == FinishReason::stop, "then the grammar, to its end");
  check(driven.told.text == "}bx<a<t>{1}", driven.told.text);
  Driven without(options);
  check(!without.wish({"a"}) && without.wish({"<end>"}) == FinishReason::stop && without.told.text == "a", "an answer without it");
}

LECTERN_TEST("answer: an end before a grammar that is required becomes the trigger, whatever the model wants") {
  GenerateOptions options;
  options.grammar = Grammar::compile("root ::= \"{1}\" | \"{}\"");
  options.grammar_triggers = {"ba"};
  options.grammar_required = true;
  Driven driven(options);
  check(!driven.wish({"b"}) && !driven.wish({"x<"}) && driven.told.text == "bx<", "free text");
  check(!driven.wish({"<end>"}) && !driven.wish({"}"}) && driven.told.text == "bx<ba", "an end begins the trigger, whole");
  check(!driven.wish({"<end>", "{1", "{"}) && driven.wish({"<end>", "}"}) == FinishReason::stop, "then the grammar holds to its end");
  check(driven.told.text == "bx<ba{1}" && driven.told.choices.size() == 6 && driven.answer->tokens() == 6, driven.told.text);
  Driven brief(options, 2);
  check(!brief.wish({"<end>"}) && brief.wish({"b"}) == FinishReason::length && brief.told.text == "ba", "the limit ends it there, too");
  options.sampling.logit_bias = {{id_of("a"), -std::numeric_limits<float>::infinity()}};
  Driven forbidden(options);
  check(!forbidden.wish({"<end>"}), "its first token");
  test::check_throws(ErrorCode::invalid_request, [&] { (void)forbidden.wish({"<end>"}); }, "a trigger that the logit bias forbids");
  options.sampling.logit_bias.clear();
  options.grammar_triggers = {"q"};
  test::check_throws(ErrorCode::invalid_request, [&] { Driven strange(options); }, "a trigger that the vocabulary cannot write");
  options.grammar_triggers = {"<|tool|>"};
  Driven control(options);
  check(!control.wish({"<end>"}) && !control.wish({"a", "{}", "{"}) && control.answer->last() == id_of("{"), "a control token");
}

}  // namespace
}  // namespace lectern::llm
