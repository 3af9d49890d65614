// Where a prompt is put and what it takes over, on slots whose contents are written here.
#include <string>
#include <vector>

#include "harness.h"
#include "llm/prefix_reuse.h"

namespace lectern::llm {
namespace {

using test::check;

std::vector<TokenId> counting(int count, int from = 0) {
  std::vector<TokenId> tokens;
  for (int i = 0; i < count; i++) tokens.push_back(from + i);
  return tokens;
}

std::vector<TokenId> joined(std::vector<TokenId> a, const std::vector<TokenId>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

SlotContents holding(const std::vector<TokenId>& computed, int generated, std::uint64_t last_used, bool busy = false) {
  SlotContents slot(4096);
  slot.add_computed(computed);
  for (int i = 0; i < generated; i++) slot.add_generated(9000 + i);
  slot.last_used = last_used;
  slot.busy = busy;
  return slot;
}

void chosen(const std::vector<SlotContents>& slots, const std::vector<TokenId>& prompt, PrefixReuse reuse, const SlotChoice& expected,
            const std::string& what) {
  const auto [slot, source, positions] = choose_slot(slots, prompt, reuse);
  check(slot == expected.slot && source == expected.source && positions == expected.positions,
        what + ": slot " + std::to_string(slot) + " from " + std::to_string(source) + ", " + std::to_string(positions) + " positions");
}

LECTERN_TEST("prefix: only whole tiles of computed positions are shared, and never the last token") {
  const SlotContents slot = holding(counting(200), 30, 1);
  const std::vector<TokenId> next = joined(joined(counting(200), {9000, 9001, 9002}), {7, 7});
  const auto shared = [&](const std::vector<TokenId>& prompt, PrefixReuse reuse) { return shared_positions(slot, prompt, reuse); };
  check(shared(next, PrefixReuse::computed) == 192, "a continued conversation, in tiles");
  check(shared(next, PrefixReuse::generated) == 203, "a continued conversation, its answer too");
  check(shared(next, PrefixReuse::none) == 0, "nothing where nothing is asked for");
  check(shared(counting(192), PrefixReuse::computed) == 128, "a prompt of whole tiles computes its last again");
  check(shared(counting(193), PrefixReuse::computed) == 192, "one token behind whole tiles is enough");
  check(shared(counting(200), PrefixReuse::generated) == 199, "all but the last token");
  check(shared(counting(64), PrefixReuse::computed) == 0, "one tile is the prompt's own");
  check(shared({0}, PrefixReuse::generated) == 0, "a prompt of one token");
  check(shared(joined(counting(127), counting(200, 500)), PrefixReuse::computed) == 64, "what differs in the second tile");
  check(shared(counting(100, 1), PrefixReuse::computed) == 0, "what differs at once");
}

LECTERN_TEST("prefix: positions over generated ones are not computed ones") {
  SlotContents slot = holding(counting(64), 64, 1);
  slot.add_computed(counting(64));
  check(slot.positions() == 192 && slot.computed() == 64, "prefill over a generated answer does not count");
  SlotContents copy(4096);
  copy.take(slot, 150);
  check(copy.positions() == 150 && copy.computed() == 64, "nor in a copy");
  copy.take(copy, 40);
  copy.add_computed(counting(88, 40));
  check(copy.positions() == 128 && copy.computed() == 128 && copy.tokens() == counting(128), "cut back to computed ones it grows again");
}

LECTERN_TEST("prefix: the slot that loses least, the longest prefix of all") {
  const std::vector<TokenId> system = counting(640);
  const std::vector<TokenId> first = joined(system, counting(2000, 2000));
  const std::vector<TokenId> second = joined(system, counting(1500, 5000));
  const PrefixReuse computed = PrefixReuse::computed;
  chosen({holding({}, 0, 0), holding({}, 0, 0)}, first, computed, {0, 0, 0}, "empty slots");
  chosen({holding(first, 9, 1), holding({}, 0, 0)}, joined(first, counting(70)), computed, {0, 0, 2624}, "a conversation goes on where it is");
  chosen({holding(first, 9, 1), holding({}, 0, 0)}, counting(3, 77), computed, {1, 1, 0}, "a stranger takes the empty slot");
  chosen({holding(first, 9, 1), holding(counting(9, 80), 9, 2)}, counting(3, 77), computed,
         {0, 0, 0}, "a stranger takes the slot that was idle longest");
  chosen({holding(first, 9, 2), holding(counting(900, 80), 9, 1)}, second, computed,
         {1, 0, 640}, "a shared system prompt is copied, the other conversation stays");
  chosen({holding(first, 9, 1), holding(second, 9, 2)}, joined(system, {5}), computed, {0, 0, 640}, "the longest idle one already has it");
  chosen({holding(first, 9, 1, true), holding(counting(900, 80), 9, 2)}, joined(first, {5}), computed,
         {1, 0, 2624}, "a prefix of a busy slot is copied");
  chosen({holding(counting(700), 0, 2, true), holding(counting(640), 9, 1), holding(counting(900, 80), 0, 0)}, joined(counting(700), {5}), computed,
         {1, 1, 640}, "own positions are as good as a busy slot's");
  chosen({holding(first, 9, 2), holding(counting(900, 80), 9, 1)}, second, PrefixReuse::none,
         {1, 1, 0}, "nothing is taken over where nothing is asked for");
  chosen({holding(counting(200), 50, 1), holding(counting(100), 0, 2)}, joined(counting(200), {9000, 9001, 3}), PrefixReuse::generated,
         {0, 0, 202}, "generated positions");
}

}  // namespace
}  // namespace lectern::llm
