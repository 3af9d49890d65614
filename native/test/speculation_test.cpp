// Drafts from the text itself: the repeated ending against a plain search, lengths by cost, and the same bytes with drafts and without.
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cuda/emulation/backend.h"
#include "cuda_places.h"
#include "harness.h"
#include "llm/scheduler.h"
#include "llm/speculation/pass_costs.h"
#include "llm/speculation/repeated_ending.h"
#include "llm/speculation/text_draft.h"
#include "sanitized.h"
#include "scheduled_model.h"

namespace lectern::llm {
namespace {

using test::check;

/// The longest ending of a text that ends at an earlier token too, by trying all of them.
int longest_repeated(const std::vector<TokenId>& text) {
  const auto size = static_cast<int>(text.size());
  for (int length = size - 1; length > 0; length--) {
    for (int end = size - 1; end >= length; end--) {
      if (std::equal(text.end() - length, text.end(), text.begin() + end - length)) return length;
    }
  }
  return 0;
}

/// Whether the ending of `length` tokens stands somewhere earlier, followed by `next` and, behind the end of the text, by itself.
bool stands_before(const std::vector<TokenId>& text, int length, const std::vector<TokenId>& next) {
  std::vector<TokenId> whole = text;
  whole.insert(whole.end(), next.begin(), next.end());
  const auto size = static_cast<int>(text.size());
  for (int end = length; end < size; end++) {
    if (std::equal(text.end() - length, text.end(), text.begin() + end - length) && std::equal(next.begin(), next.end(), whole.begin() + end)) return true;
  }
  return false;
}

LECTERN_TEST("speculation: the repeated ending is the longest, and its continuation stands behind it") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; round++) {
    const int kinds = 1 + round % 5;
    RepeatedEnding ending;
    std::vector<TokenId> text;
    std::vector<TokenId> next;
    for (int i = 0; i < 120; i++) {
      // Now and then a copy of what stands before, as texts have it.
      const TokenId token = i > 20 && i % 40 > 10 ? text[static_cast<std::size_t>(i - 20 + round % 7)] : static_cast<TokenId>(random() % static_cast<unsigned>(kinds));
      text.push_back(token);
      ending.add(token);
      const int length = longest_repeated(text);
      if (!check(ending.length() == length, "length " + std::to_string(ending.length()) + " for " + std::to_string(length) + " at " + std::to_string(i))) return;
      ending.continuation(6, next);
      if (!check(length == 0 ? next.empty() : next.size() == 6 && stands_before(text, length, next), "continuation at " + std::to_string(i))) return;
    }
  }
}

LECTERN_TEST("speculation: the most recent place that is known continues the text") {
  RepeatedEnding ending;
  for (const TokenId token : {1, 2, 3, 9, 1, 2, 4, 9, 1, 2}) ending.add(token);
  std::vector<TokenId> next;
  ending.continuation(3, next);
  check(ending.length() == 3 && next == std::vector<TokenId>({4, 9, 1}), "behind 9 1 2 stood 4");
}

LECTERN_TEST("speculation: a long text costs each token the same") {
  constexpr int count = 200'000;
  RepeatedEnding ending;
  std::mt19937 random(7);
  // Were it not linear, this would take minutes.
  for (int i = 0; i < count; i++) ending.add(static_cast<TokenId>(random() % 1000));
  for (int i = 0; i < count; i++) ending.add(3);
  check(ending.length() == count - 1 || ending.length() == count, "one token all along");
}

LECTERN_TEST("speculation: a draft is as long as it pays") {
  const std::vector<TokenId> repeated = [] {
    std::vector<TokenId> text;
    for (int i = 0; i < 200; i++) text.push_back(i % 10);
    return text;
  }();
  TextDraft sure(repeated);
  for (int i = 200; i < 260; i++) sure.add(i % 10);
  sure.propose(most_draft);
  check(sure.tokens().size() == most_draft && sure.chance(0) > 0.97, "a text that repeats itself is certain");
  TextDraft unsure(std::vector<TokenId>{1, 2, 1, 3, 1, 4, 1, 5, 1});
  for (int i = 6; i < 60; i++) unsure.add(i), unsure.add(1);
  unsure.propose(most_draft);
  check(unsure.tokens().size() == most_draft && unsure.chance(0) < 0.1, "what never came again is not expected");

  const auto measured = [](auto milliseconds) {
    PassCosts costs;
    // The first two passes of each count are left out.
    for (int round = 0; round < 3; round++) {
      for (int rows = 1; rows <= 8; rows++) costs.add(rows, round < 2 ? 1000 : milliseconds(rows));
    }
    return costs;
  };
  const PassCosts cheap = measured([](int rows) { return 10 + 0.1 * rows; });
  const PassCosts dear = measured([](int rows) { return 10.0 * rows; });
  const PassCosts stepped = measured([](int rows) { return rows <= 4 ? 10.0 : 20.0; });
  check(choose_draft_lengths({&sure}, {0}, 8, cheap) == std::vector<int>{7}, "free rows are all taken");
  check(choose_draft_lengths({&unsure}, {0}, 8, dear) == std::vector<int>{0} && choose_draft_lengths({&sure}, {0}, 8, dear) == std::vector<int>{0}, "rows that cost a pass each are not");
  check(choose_draft_lengths({&sure}, {0}, 8, stepped) == std::vector<int>{3}, "up to the step");
  check(choose_draft_lengths({&unsure, &sure, nullptr}, {0, 0, 0}, 6, stepped) == std::vector<int>({0, 1, 0}), "the likely one first, within the step");
  check(choose_draft_lengths({&unsure, nullptr}, {2, 0}, 8, dear) == std::vector<int>({2, 0}), "a least number is taken whatever it costs");
  check(choose_draft_lengths({&sure}, {7}, 3, cheap) == std::vector<int>{2}, "a pass has its rows");
  check(choose_draft_lengths({&sure}, {0}, 8, PassCosts()) == std::vector<int>{0}, "nothing is known of a pass without drafts");
  PassCosts base;
  for (int round = 0; round < 3; round++) base.add(1, 10);
  check(choose_draft_lengths({&sure}, {0}, 8, base)[0] > 0, "likely rows are tried before they were measured");
  for (int pass = 0; pass < 40; pass++) base.add(8, 11);
  check(choose_draft_lengths({&sure}, {0}, 8, base) == std::vector<int>{0}, "the pass without drafts is measured again");
  base.add(1, 10), base.add(8, 5000);
  check(base.estimate(8) < 14, "a pause of the host counts for little");
  base.forget();
  check(choose_draft_lengths({&sure}, {0}, 8, base) == std::vector<int>{0}, "what was measured of another text is forgotten");
}

using House = test::ScheduledModel;

struct Outcome {
  std::string text;
  std::vector<TokenId> ids;
  std::vector<Choice> choices;
  std::vector<std::size_t> chunks;  // tokens of each call
  GenerateResult result{};
  bool failed = false;

  bool operator==(const Outcome& other) const {
    const auto same = [](const Choice& a, const Choice& b) {
      return a.id == b.id && a.logprob == b.logprob && std::equal(a.top.begin(), a.top.end(), b.top.begin(), b.top.end(), [](const auto& x, const auto& y) { return x.id == y.id && x.logprob == y.logprob; });
    };
    return text == other.text && ids == other.ids && chunks == other.chunks && failed == other.failed && result.reason == other.result.reason && result.stop_string == other.result.stop_string &&
           result.tokens == other.result.tokens && std::equal(choices.begin(), choices.end(), other.choices.begin(), other.choices.end(), same);
  }
};

using Request = std::pair<std::vector<TokenId>, GenerateOptions>;

std::vector<Outcome> generate(House& house, const std::vector<Request>& requests, int least, int most) {
  std::vector<Outcome> outcomes(requests.size());
  for (std::size_t i = 0; i < requests.size(); i++) {
    GenerateOptions options = requests[i].second;
    options.draft_min = least, options.draft_max = most;
    Outcome& outcome = outcomes[i];
    const auto on_chunk = [&outcome](TokenChunk chunk) {
      outcome.text += chunk.text;
      outcome.ids.insert(outcome.ids.end(), chunk.ids.begin(), chunk.ids.end());
      outcome.choices.insert(outcome.choices.end(), chunk.choices.begin(), chunk.choices.end());
      outcome.chunks.push_back(chunk.ids.size());
    };
    const auto done = [&outcome](std::variant<GenerateResult, Error> ended) {
      outcome.failed = std::holds_alternative<Error>(ended);
      if (!outcome.failed) outcome.result = std::get<GenerateResult>(ended);
    };
    house.scheduler->submit({requests[i].first, options, nullptr, on_chunk, done});
    // A least number of draft rows holds for a sequence that is alone.
    while (least > 0 && house.scheduler->step()) {}
  }
  while (house.scheduler->step()) {}
  return outcomes;
}

std::vector<std::string> make_tokens() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; byte++) tokens.emplace_back(1, static_cast<char>(byte));
  return tokens;
}

std::vector<TokenId> repeating_prompt(int count, int period) {
  std::vector<TokenId> ids;
  for (int i = 0; i < count; i++) ids.push_back('a' + i % period);
  return ids;
}

/// Prompts that repeat themselves, under what a request may ask for.
std::vector<Request> make_requests(const std::vector<int>& kinds, int tokens) {
  std::vector<Request> requests;
  for (const int i : kinds) {
    GenerateOptions options;
    options.max_tokens = tokens - i % 5;
    options.sampling.seed = static_cast<std::uint64_t>(i);
    options.sampling.temperature = i % 3 == 0 ? 0 : i % 3 == 1 ? 0.4F : 1;
    if (i % 4 == 1) options.sampling.top_k = 3;
    if (i % 4 == 2) options.sampling.repeat_penalty = 1.1F;
    if (i % 4 == 3) options.sampling.logprobs = 3;
    if (i % 8 == 5) options.grammar = Grammar::compile(i % 16 == 5 ? "root ::= \"abcdefg\"{30}" : "root ::= (\"abc\" | \"abd\" | [x-z]){30,200}");
    if (i % 8 == 6) options.stop = {"ab", "xyz", "aaaa"};
    if (i % 8 == 7) options.sampling.dry_multiplier = 0.5F, options.sampling.dry_sequence_breakers = {"\n"};
    requests.emplace_back(repeating_prompt(20 + 3 * i, 2 + i % 9), options);
  }
  return requests;
}

std::vector<int> first_kinds(int count) {
  std::vector<int> kinds(static_cast<std::size_t>(count));
  std::iota(kinds.begin(), kinds.end(), 0);
  return kinds;
}

struct Verified {
  int accepted = 0;
  int rejected = 0;
};

/// What became of the drafted tokens.
Verified check_same(House& plain, House& drafting, const std::vector<Request>& requests, const std::vector<std::pair<int, int>>& bounds, const std::string& where) {
  const std::vector<Outcome> expected = generate(plain, requests, 0, 0);
  Verified verified;
  for (const auto& [least, most] : bounds) {
    const std::vector<Outcome> outcomes = generate(drafting, requests, least, most);
    for (std::size_t i = 0; i < requests.size(); i++) {
      const std::string which = where + ", request " + std::to_string(i) + " with " + std::to_string(least) + " to " + std::to_string(most);
      check(outcomes[i] == expected[i], which + ": '" + outcomes[i].text + "' for '" + expected[i].text + "'");
      check(!expected[i].failed && expected[i].result.draft_tokens == 0 && outcomes[i].result.accepted_tokens <= outcomes[i].result.draft_tokens, which + ": counts");
      verified.accepted += outcomes[i].result.accepted_tokens;
      verified.rejected += outcomes[i].result.draft_tokens - outcomes[i].result.accepted_tokens;
    }
  }
  return verified;
}

test::MadeShape small_shape(const std::string& architecture, DType dtype, int embedding) {
  test::MadeShape shape;
  shape.architecture = architecture, shape.dtype = dtype;
  shape.layers = 1, shape.embedding = shape.feed_forward = embedding, shape.heads = 2, shape.kv_heads = 1, shape.head_size = embedding / 2, shape.context = 512;
  return shape;
}

LECTERN_TEST("speculation: the same bytes with drafts and without, on the processor") {
  // Two hundred requests in the long form.
  const int count = test::is_long_form() ? 200 : test::sanitized ? 16 : 48;
  Verified all;
  for (const DType dtype : {DType::q4_k, DType::f16}) {
    House plain(cpu::make_backend(), small_shape("llama", dtype, 256), make_tokens());
    House drafting(cpu::make_backend(), small_shape("llama", dtype, 256), make_tokens());
    const Verified verified = check_same(plain, drafting, make_requests(first_kinds(count / 2), 40), {{most_draft, most_draft}, {0, most_draft}, {2, 3}}, std::string(info_of(dtype).name));
    all.accepted += verified.accepted, all.rejected += verified.rejected;
  }
  check(all.accepted > count && all.rejected > count, "drafts were accepted and rejected: " + std::to_string(all.accepted) + ", " + std::to_string(all.rejected));
}

LECTERN_TEST("speculation: the same bytes with drafts and without, on emulated CUDA kernels") {
  if (!test::has_emulation()) return;
  const bool all = test::is_long_form();
  const std::vector<int> kinds = all ? first_kinds(100) : std::vector<int>{1, 3, 5, 6};
  const std::vector<std::pair<int, int>> bounds = all ? std::vector<std::pair<int, int>>{{most_draft, most_draft}, {0, most_draft}, {2, 3}} : std::vector<std::pair<int, int>>{{most_draft, most_draft}};
  Verified whole;
  for (const auto& [architecture, dtype] : {std::pair{"llama", DType::q4_0}, std::pair{"qwen3", DType::q8_0}}) {
    House plain(cuda_emulated::make_backend(), small_shape(architecture, dtype, 64), make_tokens());
    House drafting(cuda_emulated::make_backend(), small_shape(architecture, dtype, 64), make_tokens());
    const Verified verified = check_same(plain, drafting, make_requests(kinds, all ? 40 : 12), bounds, std::string(architecture) + ", emulated");
    whole.accepted += verified.accepted, whole.rejected += verified.rejected;
  }
  check(whole.accepted > 4 && whole.rejected > 4, "drafts were accepted and rejected: " + std::to_string(whole.accepted) + ", " + std::to_string(whole.rejected));
}

LECTERN_TEST("speculation: a grammar that cannot be read on fails its own sequence alone") {
  // The grammar is refused after some thousand letters: half a minute on an idle core. The short form ends at the context before.
  const bool all = test::is_long_form();
  test::MadeShape shape = small_shape("llama", DType::q4_0, 64);
  if (all) shape.context = 8192;
  House house(cpu::make_backend(), shape, make_tokens());
  std::vector<Request> requests = make_requests({0, 0}, all ? 8000 : 300);
  requests[0].second.grammar = Grammar::compile("root ::= \"a\" root root | \"a\"");
  requests[0].second.ignore_end = true;
  requests[1].second.max_tokens = 60;
  const std::vector<Outcome> outcomes = generate(house, requests, 0, most_draft);
  check(outcomes[0].failed == all && outcomes[0].text.size() > 100, "the grammar is refused in the midst: " + std::to_string(outcomes[0].text.size()));
  check(!outcomes[1].failed && outcomes[1].result.tokens > 0, "the other sequence goes on");
  const std::vector<Outcome> after = generate(house, make_requests({0}, 20), 0, most_draft);
  check(!after[0].failed, "and the model serves the next request");
}

}  // namespace
}  // namespace lectern::llm
