// One sequence, with the logits written here: what ends it, what is reported, when its grammar holds.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grammar_vocabulary.h"
#include "harness.h"
#include "llm/generation.h"

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

/// A sequence for which the model prefers these tokens, one per step: the first most, the others in their order.
struct Driven {
  explicit Driven(GenerateOptions options, int limit = 100) {
    options.sampling.temperature = 0;
    GenerationParts parts{*tokenizer(), options.grammar ? make_token_trie(*tokenizer()) : nullptr, nullptr, nullptr};
    if (!options.grammar_triggers.empty()) parts.triggers = std::make_shared<const Triggers>(options.grammar_triggers, *tokenizer());
    generation.emplace(options, std::vector<TokenId>{0}, limit, parts);
  }

  std::optional<FinishReason> wish(const std::vector<std::string>& wanted) {
    std::vector<float> logits(texts().size() + 2, -5);
    float logit = 10;
    for (const std::string& text : wanted) logits[static_cast<std::size_t>(id_of(text))] = logit--;
    return generation->next(logits.data(), reported);
  }

  std::optional<Generation> generation;
  TokenChunk reported;
};

LECTERN_TEST("generation: the end, the limit and a stop string end it") {
  Driven ended({});
  check(!ended.wish({"a"}) && ended.wish({"<end>"}) == FinishReason::stop && ended.reported.text == "a" && ended.generation->tokens() == 1, "the end is no generated token");
  Driven limited({}, 2);
  check(!limited.wish({"a"}) && limited.wish({"b"}) == FinishReason::length && limited.reported.text == "ab", "the limit");
  GenerateOptions options;
  options.stop = {"b{"};
  Driven stopped(options);
  check(!stopped.wish({"ab"}) && stopped.reported.text == "a", "what may become the stop string is held back");
  check(stopped.wish({"{1"}) == FinishReason::stop && stopped.reported.text == "a" && stopped.generation->stop_string() == "b{", "across a border of tokens");
  check(stopped.reported.ids.size() == 2 && stopped.reported.choices.size() == 1 && stopped.generation->tokens() == 2, "a token in the stop string is an id, and no choice behind the text");
  Driven held(options);
  check(!held.wish({"a"}) && held.reported.choices.size() == 1 && !held.wish({"b"}) && held.reported.choices.size() == 1 && held.reported.ids.size() == 2, "a choice is held back with its text");
  check(!held.wish({"a"}) && held.reported.text == "aba" && held.reported.choices.size() == 3 && held.reported.choices[1].id == id_of("b"), "and comes with it");
  check(!held.wish({"b"}) && held.wish({"<end>"}) == FinishReason::stop && held.reported.text == "abab" && held.reported.choices.size() == 4, "or at the end");
  options.stop = {"\xC3\xA9"};
  Driven accent(options);
  check(!accent.wish({"a"}) && !accent.wish({"\xC3"}) && accent.reported.choices.size() == 1, "half a character is held back");
  check(accent.wish({"\xA9"}) == FinishReason::stop && accent.reported.text == "a" && accent.reported.choices.size() == 1 && accent.reported.ids.size() == 3, "and may be the stop string");
  Driven half({}, 1);
  check(half.wish({"\xC3"}) == FinishReason::length && half.reported.text == "\xEF\xBF\xBD", "half a character at the end");
  options = {};
  options.ignore_end = true;
  options.sampling.logit_bias = {{id_of("<end>"), 50.0F}};
  Driven endless(options, 2);
  check(!endless.wish({"<end>", "b"}) && endless.wish({"<end>", "a"}) == FinishReason::length && endless.reported.text == "ba", "an end that is ignored");
  Driven broken({});
  test::check_throws(ErrorCode::invalid_model, [&] {
    const std::vector<float> logits(texts().size() + 2, std::numeric_limits<float>::quiet_NaN());
    (void)broken.generation->next(logits.data(), broken.reported);
  }, "logits that are no numbers");
}

LECTERN_TEST("generation: a grammar holds from the start and ends the text when nothing may follow") {
  GenerateOptions options;
  options.grammar = Grammar::compile("root ::= \"{\" \"1\"+ \"}\"");
  Driven driven(options);
  check(!driven.wish({"a", "<end>", "}", "{"}) && driven.reported.text == "{", "the best that is allowed");
  check(!driven.wish({"}b", "}", "1"}) && !driven.wish({"<end>", "{1", "1"}), "no token that runs past the end");
  check(driven.wish({"a", "<end>", "}"}) == FinishReason::stop && driven.reported.text == "{11}", "done without an end token");
  options.grammar = Grammar::compile("root ::= \"a\"*");
  Driven open(options);
  check(!open.wish({"b", "a"}) && open.wish({"b", "<end>", "a"}) == FinishReason::stop && open.reported.text == "a", "the end where it may be");
  options.grammar = Grammar::compile("root ::= \"\"");
  Driven empty(options);
  check(empty.wish({"a"}) == FinishReason::stop && empty.reported.text.empty() && empty.generation->tokens() == 0, "a grammar of nothing");
  options.grammar = Grammar::compile("root ::= \"q\"");
  Driven stuck(options);
  test::check_throws(ErrorCode::internal, [&] { (void)stuck.wish({"a"}); }, "a byte that no token has");
}

LECTERN_TEST("generation: behind a trigger the grammar holds, with the next byte") {
  GenerateOptions options;
  options.grammar = Grammar::compile("root ::= \"{1}\" | \"{}\"");
  options.grammar_triggers = {"<t>"};
  Driven driven(options);
  check(!driven.wish({"}b"}) && !driven.wish({"x<"}), "free text");
  check(!driven.wish({"t>{", "a"}) && driven.reported.text == "}bx<a", "a token that runs past the trigger is not taken");
  check(!driven.wish({"<t"}) && !driven.wish({">"}), "the trigger");
  check(!driven.wish({"a", "<end>", "{1", "{"}) && driven.wish({"}b", "a", "}"}) == FinishReason::stop, "then the grammar, to its end");
  check(driven.reported.text == "}bx<a<t>{1}", driven.reported.text);
  Driven without(options);
  check(!without.wish({"a"}) && without.wish({"<end>"}) == FinishReason::stop && without.reported.text == "a", "a text without it");
}

LECTERN_TEST("generation: an end before a grammar that is required becomes the trigger, whatever the model wants") {
  GenerateOptions options;
  options.grammar = Grammar::compile("root ::= \"{1}\" | \"{}\"");
  options.grammar_triggers = {"ba"};
  options.grammar_required = true;
  Driven driven(options);
  check(!driven.wish({"b"}) && !driven.wish({"x<"}) && driven.reported.text == "bx<", "free text");
  check(!driven.wish({"<end>"}) && !driven.wish({"}"}) && driven.reported.text == "bx<ba", "an end begins the trigger, whole");
  check(!driven.wish({"<end>", "{1", "{"}) && driven.wish({"<end>", "}"}) == FinishReason::stop, "then the grammar holds to its end");
  check(driven.reported.text == "bx<ba{1}" && driven.reported.choices.size() == 6 && driven.generation->tokens() == 6, driven.reported.text);
  Driven brief(options, 2);
  check(!brief.wish({"<end>"}) && brief.wish({"b"}) == FinishReason::length && brief.reported.text == "ba", "the limit ends it there, too");
  options.sampling.logit_bias = {{id_of("a"), -std::numeric_limits<float>::infinity()}};
  Driven forbidden(options);
  check(!forbidden.wish({"<end>"}), "its first token");
  test::check_throws(ErrorCode::invalid_request, [&] { (void)forbidden.wish({"<end>"}); }, "a trigger that the logit bias forbids");
  options.sampling.logit_bias.clear();
  options.grammar_triggers = {"q"};
  test::check_throws(ErrorCode::invalid_request, [&] { Driven strange(options); }, "a trigger that the vocabulary cannot write");
  options.grammar_triggers = {"<|tool|>"};
  Driven control(options);
  check(!control.wish({"<end>"}) && !control.wish({"a", "{}", "{"}) && control.generation->last() == id_of("{"), "a control token");
}

}  // namespace
}  // namespace lectern::llm
