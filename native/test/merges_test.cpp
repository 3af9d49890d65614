// Byte pairs merge in the order of their ranks, however long the word: what makes that fast, each against its plain form.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "grammar_vocabulary.h"
#include "harness.h"
#include "llm/tokenizer/pair_filter.h"
#include "llm/tokenizer/merge_queue.h"

namespace lectern {
namespace {

using test::check;
using test::OwnedTokenizer;

LECTERN_TEST("merges: the queue gives the least key first, with keys pushed between") {
  std::mt19937_64 random(3);
  const Cancel never;
  llm::CancelPace pace(never);
  llm::MergeQueue queue(pace);
  for (const std::size_t count : {10U, 5'000U, 20'000U}) {
    for (const std::uint64_t mask : {std::uint64_t{0xFFFFF}, std::uint64_t{0xFFF0000FFFFF}, std::uint64_t{UINT64_MAX}}) {
      std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> plain;
      const auto push = [&] {
        const std::uint64_t key = random() & mask;
        queue.push(key);
        plain.push(key);
      };
      for (std::size_t i = 0; i < count; i++) push();
      bool equal = true;
      std::size_t popped = 0;
      for (std::uint64_t key = 0; queue.pop(key); popped++) {
        equal = equal && !plain.empty() && key == plain.top();
        if (!plain.empty()) plain.pop();
        // Twice as many as were popped for a while: enough are left to be sorted a second time.
        for (int more = 0; more < 2 && popped < count; more++) push();
      }
      check(equal && plain.empty() && popped == 3 * count, "queue of " + std::to_string(count) + " under " + std::to_string(mask));
    }
  }
}

LECTERN_TEST("merges: the filter misses no pair and takes few others for one") {
  const auto text = [](std::size_t number) { return llm::PairFilter::hash("t" + std::to_string(number)); };
  constexpr std::size_t pairs = 10'000;
  llm::PairFilter filter(pairs);
  for (std::size_t i = 0; i < pairs; i++) filter.add(text(i), text(i * 7 + 1));
  std::size_t kept = 0;
  std::size_t turned = 0;
  for (std::size_t i = 0; i < pairs; i++) {
    if (filter.may_hold(text(i), text(i * 7 + 1))) kept++;
    if (filter.may_hold(text(i * 7 + 1), text(i))) turned++;
  }
  check(kept == pairs, "every pair that was added");
  check(turned < pairs / 8, "turned around " + std::to_string(turned) + " pass");
}

/// Tokens of the bytes and of what merges make of the letters a to h.
struct Merges {
  std::vector<std::string> tokens;
  std::map<std::pair<std::string, std::string>, std::uint32_t> ranks;
  std::vector<std::string> lines;
};

Merges made_merges(std::size_t count) {
  Merges made;
  std::mt19937 random(5);
  for (int byte = 0; byte < 256; byte++) made.tokens.push_back(test::byte_level_text(std::string(1, static_cast<char>(byte))));
  std::vector<std::string> parts;
  for (char letter = 'a'; letter <= 'h'; letter++) parts.emplace_back(1, letter);
  std::map<std::string, bool> known;
  while (made.lines.size() < count) {
    const std::string left = parts[random() % parts.size()];
    const std::string right = parts[random() % parts.size()];
    if (left.size() + right.size() > 8 || !made.ranks.try_emplace({left, right}, static_cast<std::uint32_t>(made.lines.size())).second) continue;
    made.lines.push_back(left + " " + right);
    // Two merges may make one token.
    if (!known.try_emplace(left + right, true).second) continue;
    made.tokens.push_back(left + right);
    parts.push_back(left + right);
  }
  return made;
}

/// One merge at a time, the leftmost of the lowest rank.
std::vector<std::string> plainly_merged(const Merges& merges, const std::string& text) {
  std::vector<std::string> parts;
  for (const char letter : text) parts.emplace_back(1, letter);
  const auto rank = [&](std::size_t place) {
    if (place + 1 >= parts.size()) return UINT32_MAX;
    const auto found = merges.ranks.find({parts[place], parts[place + 1]});
    return found == merges.ranks.end() ? UINT32_MAX : found->second;
  };
  std::vector<std::uint32_t> ranks;
  for (std::size_t place = 0; place < parts.size(); place++) ranks.push_back(rank(place));
  for (;;) {
    const auto least = std::min_element(ranks.begin(), ranks.end());
    if (*least == UINT32_MAX) return parts;
    const auto place = static_cast<std::size_t>(least - ranks.begin());
    parts[place] += parts[place + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    ranks.erase(least + 1);
    ranks[place] = rank(place);
    if (place > 0) ranks[place - 1] = rank(place - 1);
  }
}

LECTERN_TEST("merges: a word of thousands of letters merges as it does one pair at a time") {
  const Merges merges = made_merges(500);
  std::vector<test::MadeToken> tokens;
  for (const std::string& token : merges.tokens) tokens.push_back({token});
  test::GgufWriter file;
  file.key("tokenizer.ggml.model", "gpt2").key("tokenizer.ggml.pre", "qwen2").list("tokenizer.ggml.merges", merges.lines);
  const OwnedTokenizer tokenizer(test::add_tokens(file, tokens).bytes());
  std::mt19937 random(9);
  for (const std::size_t length : {2U, 50U, 8'000U}) {
    std::string text(length, 'a');
    for (char& letter : text) letter = static_cast<char>('a' + random() % 8);
    std::vector<std::string> parts;
    for (const llm::TokenId id : tokenizer->encode(text, {})) parts.emplace_back(tokenizer->vocabulary().text(id));
    check(parts == plainly_merged(merges, text), std::to_string(length) + " letters");
  }
}

}  // namespace
}  // namespace lectern
