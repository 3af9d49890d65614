// Slots that write side by side, with made models: the same bytes alone and in company, order, cancelling, and what is refused.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness.h"
#include "json.h"
#include "llm/scheduler.h"
#include "sanitized.h"
#include "scheduled_model.h"

namespace lectern::llm {
namespace {

using test::check;

std::vector<std::string> make_tokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; byte++) tokens.emplace_back(1, static_cast<char>(byte));
  for (const char* piece : {"{\"", "\": ", "\", \"", "\"}", "}, ", "[[", "]]", "true", "null", "12", " the", "ab", "\xC3\xA9", "\\u00", "<call>", "},{", "\",", "0.5", "  "}) tokens.emplace_back(piece);
  return tokens;
}

test::MadeShape small_shape(int layers) {
  test::MadeShape shape;
  shape.layers = layers, shape.embedding = 32, shape.heads = 2, shape.kv_heads = 1, shape.head_size = 16, shape.feed_forward = 64, shape.context = 1024;
  return shape;
}

struct House : test::ScheduledModel {
  explicit House(int layers = 1) : ScheduledModel(cpu::make_backend(), small_shape(layers), make_tokens()) {}
};

/// What came of a request.
struct Told {
  std::string text;
  std::vector<TokenId> ids;
  std::optional<GenerateResult> result;
  std::optional<Error> error;
  int calls = 0;
  bool done() const { return calls > 0; }
};

std::shared_ptr<Told> submit(Scheduler& scheduler, std::vector<TokenId> prompt, GenerateOptions options, std::shared_ptr<Cancel> cancel = nullptr) {
  auto told = std::make_shared<Told>();
  const auto on_chunk = [told](TokenChunk burst) {
    told->text += burst.text;
    told->ids.insert(told->ids.end(), burst.ids.begin(), burst.ids.end());
  };
  const auto done = [told](std::variant<GenerateResult, Error> outcome) {
    told->calls++;
    if (auto* result = std::get_if<GenerateResult>(&outcome)) told->result = *result;
    else told->error = std::get<Error>(outcome);
  };
  scheduler.submit({std::move(prompt), std::move(options), std::move(cancel), on_chunk, done});
  return told;
}

void run(Scheduler& scheduler) {
  while (scheduler.step()) {}
}

std::vector<TokenId> prompt(int count, int from = 0) {
  std::vector<TokenId> ids;
  for (int i = 0; i < count; i++) ids.push_back((i * 31 + from) % 256);
  return ids;
}

GenerateOptions sampled(std::uint64_t seed, int tokens) {
  GenerateOptions options;
  options.sampling.seed = seed;
  options.max_tokens = tokens;
  return options;
}

std::shared_ptr<const Grammar> json_grammar() {
  return Grammar::compile(R"(
root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" (member (", " member){0,2})? "}"
member ::= string ": " value
array ::= "[" (value (", " value){0,2})? "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\nrt] | "u00" [0-9a-f]{2})){0,6} "\""
number ::= "-"? ("0" | [1-9] [0-9]{0,3}) ("." [0-9]{1,2})?
)");
}

LECTERN_TEST("scheduler: the same bytes alone, beside others and over a kept prefix") {
  House house;
  Scheduler& scheduler = *house.scheduler;
  std::vector<std::pair<std::vector<TokenId>, GenerateOptions>> all;
  for (int i = 0; i < 6; i++) all.emplace_back(prompt(40 + 70 * i, i % 2), sampled(static_cast<std::uint64_t>(i), 30 + 5 * i));
  all[3].second.grammar = json_grammar();
  all[4].second.grammar = Grammar::compile("root ::= [a-c]{20,40}");
  std::vector<std::string> alone;
  for (const auto& [ids, options] : all) {
    House own;
    const auto told = submit(*own.scheduler, ids, options);
    run(*own.scheduler);
    check(told->result && told->result->cached_tokens == 0 && told->result->tokens == static_cast<int>(told->ids.size()), "alone");
    alone.push_back(told->text);
  }
  for (const PrefixReuse reuse : {PrefixReuse::none, PrefixReuse::computed}) {
    std::vector<std::shared_ptr<Told>> told;
    for (auto [ids, options] : all) {
      options.reuse = reuse;
      told.push_back(submit(scheduler, ids, options));
    }
    run(scheduler);
    int cached = 0;
    for (std::size_t i = 0; i < all.size(); i++) {
      check(told[i]->calls == 1 && told[i]->result && told[i]->text == alone[i], "request " + std::to_string(i) + " beside others: \"" + told[i]->text + "\", alone \"" + alone[i] + "\"");
      if (told[i]->result) cached += told[i]->result->cached_tokens;
    }
    check((cached > 0) == (reuse == PrefixReuse::computed) && cached % 64 == 0, std::to_string(cached) + " tokens were taken over");
  }
  check(scheduler.idle() && scheduler.occupancy().queued == 0, "idle at the end");
}

LECTERN_TEST("scheduler: while a long prompt is computed, the other sequence gets a token in every pass") {
  House house;
  Scheduler& scheduler = *house.scheduler;
  const auto first = submit(scheduler, prompt(40), sampled(1, 40));
  while (scheduler.occupancy().slots[0].positions < 45 && scheduler.step()) {}
  const auto second = submit(scheduler, prompt(900, 7), sampled(2, 3));
  int passes = 0;
  while (!first->done() && scheduler.occupancy().slots[1].positions < 900) {
    const int before = scheduler.occupancy().slots[0].positions;
    scheduler.step();
    passes++;
    if (!first->done()) check(scheduler.occupancy().slots[0].positions == before + 1, "one token more after pass " + std::to_string(passes));
  }
  check(passes >= 2, "the prompt came in " + std::to_string(passes) + " chunks");
  run(scheduler);
  check(first->result && second->result && first->result->tokens == 40 && second->result->tokens == 3, "both answers are whole");
}

LECTERN_TEST("scheduler: a sequence under a grammar of JSON is JSON, whatever the model wants") {
  House house;
  const std::shared_ptr<const Grammar> grammar = json_grammar();
  int complete = 0;
  std::vector<std::shared_ptr<Told>> answers;
  for (int seed = 0; seed < (test::sanitized ? 10 : 60); seed++) {
    GenerateOptions options = sampled(static_cast<std::uint64_t>(seed), 600);
    options.sampling.temperature = seed % 3 == 0 ? 3.0F : 1.0F;
    options.grammar = grammar;
    answers.push_back(submit(*house.scheduler, prompt(5, seed), options));
    answers.push_back(submit(*house.scheduler, prompt(9, seed), sampled(static_cast<std::uint64_t>(seed), 20)));
  }
  run(*house.scheduler);
  for (std::size_t i = 0; i < answers.size(); i += 2) {
    const Told& told = *answers[i];
    if (!check(told.result.has_value(), told.error ? told.error->what() : "no result")) continue;
    if (told.result->reason == FinishReason::length) continue;
    complete++;
    try {
      (void)test::parse_json(told.text);
    } catch (const std::exception& wrong) {
      check(false, std::string(wrong.what()) + ": " + told.text);
    }
  }
  check(complete * 10 > static_cast<int>(answers.size() / 2) * 8, std::to_string(complete) + " of " + std::to_string(answers.size() / 2) + " came to an end");
}

LECTERN_TEST("scheduler: a grammar behind a trigger begins there, beside a free sequence") {
  House house;
  GenerateOptions options = sampled(7, 120);
  options.grammar = Grammar::compile("root ::= \"{\" [0-9]{3} \"}\"");
  options.grammar_triggers = {"<call>"};
  // The model is made to write the trigger soon.
  const std::vector<std::string> tokens = make_tokens();
  const auto trigger = std::find(tokens.begin(), tokens.end(), "<call>") - tokens.begin();
  options.sampling.logit_bias = {{static_cast<TokenId>(trigger), 3.0F}};
  const auto told = submit(*house.scheduler, prompt(20), options);
  const auto beside = submit(*house.scheduler, prompt(30), sampled(1, 100));
  run(*house.scheduler);
  const std::size_t found = told->text.find("<call>");
  check(told->result && beside->result && found != std::string::npos, "the trigger was written: " + told->text);
  const std::string behind = told->text.substr(std::min(found, told->text.size()) + 6);
  check(behind.size() == 5 && behind.front() == '{' && behind.back() == '}' && std::all_of(behind.begin() + 1, behind.end() - 1, [](char c) { return c >= '0' && c <= '9'; }),
        "behind it: " + behind);
  check(told->result && told->result->reason == FinishReason::stop, "it ends with its grammar");
}

LECTERN_TEST("scheduler: what cannot run is refused at once") {
  House house;
  Scheduler& scheduler = *house.scheduler;
  const auto refused = [&](std::vector<TokenId> ids, GenerateOptions options, ErrorCode code, const std::string& part) {
    const auto told = submit(scheduler, std::move(ids), std::move(options));
    check(told->calls == 1 && told->error && told->error->code() == code && std::string(told->error->what()).find(part) != std::string::npos, part + ": " + (told->error ? told->error->what() : "none"));
  };
  refused({}, {}, ErrorCode::invalid_request, "no tokens");
  refused({5, -1}, {}, ErrorCode::invalid_request, "-1");
  refused({100'000}, {}, ErrorCode::invalid_request, "100000");
  refused(prompt(1024), {}, ErrorCode::context_overflow, "1024");
  refused({1}, sampled(0, -2), ErrorCode::invalid_request, "-2");
  GenerateOptions options;
  options.grammar_triggers = {"x"};
  refused({1}, options, ErrorCode::invalid_request, "no grammar");
  options = {};
  options.stop = {""};
  refused({1}, options, ErrorCode::invalid_request, "");
  check(scheduler.idle(), "nothing waits");
  const auto fits = submit(scheduler, prompt(1023), sampled(0, 10));
  run(scheduler);
  check(fits->result && fits->result->tokens == 1 && fits->result->reason == FinishReason::length, "a prompt with room for one token");
  const auto kept = submit(scheduler, prompt(128), sampled(0, 0));
  run(scheduler);
  check(kept->result && kept->result->tokens == 0 && kept->result->reason == FinishReason::length, "a prompt alone");
}

LECTERN_TEST("scheduler: in order, cancelled within a step, and done when the scheduler ends") {
  House house;
  Scheduler& scheduler = *house.scheduler;
  GenerateOptions endless;
  endless.ignore_end = true;
  std::vector<std::shared_ptr<Cancel>> flags;
  std::vector<std::shared_ptr<Told>> told;
  for (int i = 0; i < 5; i++) {
    flags.push_back(std::make_shared<Cancel>());
    told.push_back(submit(scheduler, prompt(10 + i), endless, flags.back()));
  }
  for (int i = 0; i < 10; i++) scheduler.step();
  check(scheduler.occupancy().queued == 3 && !told[0]->ids.empty() && !told[1]->ids.empty() && told[2]->ids.empty(), "two write, three wait");
  flags[3]->request();
  flags[0]->request();
  scheduler.step();
  for (const std::size_t i : {0U, 3U}) check(told[i]->calls == 1 && told[i]->error && told[i]->error->code() == ErrorCode::cancelled, "cancelled: " + std::to_string(i));
  for (int i = 0; i < 3; i++) scheduler.step();
  check(scheduler.occupancy().queued == 1 && !told[2]->ids.empty() && told[4]->ids.empty() && !told[1]->done(), "the next has the slot");
  house.scheduler.reset();
  for (const std::size_t i : {1U, 2U, 4U}) check(told[i]->calls == 1 && told[i]->error && told[i]->error->code() == ErrorCode::cancelled, "ended: " + std::to_string(i));
}

/// Asks for a cancel when the pass reaches a layer.
struct Leaver {
  int stages = 0;
  int leaves_at = 0;
  std::shared_ptr<Cancel> cancel;

  static void see(void* context, int stage, const float*, int) {
    auto& own = *static_cast<Leaver*>(context);
    own.stages++;
    if (own.cancel && stage == own.leaves_at) own.cancel->request();
  }
};

LECTERN_TEST("scheduler: an answer that is held keeps its positions and its bytes, and others have the passes meanwhile") {
  const auto first = prompt(100), second = prompt(90, 3);
  const auto alone = [](const std::vector<TokenId>& ids, GenerateOptions options) {
    House own;
    const auto told = submit(*own.scheduler, ids, std::move(options));
    run(*own.scheduler);
    return told->text;
  };
  GenerateOptions options = sampled(5, 60);
  options.grammar = json_grammar();
  options.ignore_end = true;
  const std::string expected = alone(first, options), other = alone(second, sampled(6, 40));
  House house;
  Scheduler& scheduler = *house.scheduler;
  const auto flag = std::make_shared<Cancel>();
  const auto held = submit(scheduler, first, options, flag);
  const auto steps_until = [&](std::size_t tokens) {
    while (held->ids.size() < tokens && scheduler.step()) {}
  };
  // Whenever it is held, another runs from its prompt to its end beside it.
  for (const std::size_t tokens : {1U, 2U, 9U}) {
    steps_until(tokens);
    flag->hold(true);
    const auto beside = submit(scheduler, second, sampled(6, 40));
    run(scheduler);
    check(beside->text == other && beside->result.has_value(), "the other");
    check(held->ids.size() == tokens && !held->done() && !scheduler.idle(), "held");
    check(!scheduler.step(), "nothing to do while it is held");
    flag->hold(false);
  }
  run(scheduler);
  check(held->result && held->text == expected, "the same bytes");

  // Both slots are held: what is queued waits, and begins when one of them is given up.
  const std::vector<std::shared_ptr<Cancel>> flags{std::make_shared<Cancel>(), std::make_shared<Cancel>()};
  const auto one = submit(scheduler, first, sampled(7, 50), flags[0]), two = submit(scheduler, second, sampled(8, 50), flags[1]);
  while (two->ids.empty()) scheduler.step();
  for (const auto& each : flags) each->hold(true);
  const auto queued = submit(scheduler, second, sampled(6, 40));
  run(scheduler);
  check(!queued->done() && !one->done() && !two->done(), "all wait");
  flags[0]->request();
  run(scheduler);
  check(one->error && one->error->code() == ErrorCode::cancelled, "a held one is cancelled like any other");
  check(queued->result && queued->text == other && !two->done(), "and its slot is free");
  flags[1]->hold(false);
  run(scheduler);
  check(two->result && two->text == alone(second, sampled(8, 50)), "the last");
}

LECTERN_TEST("scheduler: a prompt is given up between layers, and what was kept before is as it was") {
  House house(6);
  Scheduler& scheduler = *house.scheduler;
  const auto ids = prompt(300);
  House other(6);
  const auto expected = submit(*other.scheduler, ids, sampled(3, 20));
  run(*other.scheduler);
  const auto first = submit(scheduler, {ids.begin(), ids.begin() + 130}, sampled(1, 2));
  run(scheduler);
  check(first->result.has_value(), "a prefix is kept");

  Leaver leaver;
  leaver.leaves_at = 2, leaver.cancel = std::make_shared<Cancel>();
  Forward& forward = house.opened.model->forward();
  forward.tap = &Leaver::see, forward.tap_context = &leaver;
  const auto left = submit(scheduler, ids, sampled(2, 20), leaver.cancel);
  scheduler.step();
  check(left->calls == 1 && left->error && left->error->code() == ErrorCode::cancelled, "cancelled within the pass");
  check(leaver.stages == 3, "no layer was computed after it: " + std::to_string(leaver.stages));

  forward.tap = nullptr;
  const auto again = submit(scheduler, ids, sampled(3, 20));
  run(scheduler);
  check(again->result && again->result->cached_tokens == 128, "the prefix is still there");
  check(again->ids == expected->ids, "and the answer is that of a new house");
}

}  // namespace
}  // namespace lectern::llm
