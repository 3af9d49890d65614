#include "llm/grammar/local_masks.h"

#include <algorithm>

namespace lectern::llm {
namespace {

/// Kept of one grammar. A state that allows much takes 20 KB of a vocabulary of 150,000 tokens, one that allows little some hundred bytes.
constexpr std::size_t max_bytes = 16 << 20;
constexpr std::size_t max_sets = 4 << 20;
/// About a second.
constexpr std::int64_t max_work = 20'000'000;

}  // namespace

std::shared_ptr<const LocalMask> LocalMasks::short_tokens(std::span<const Frame> frames) {
  States states;
  for (const Frame& frame : frames) states.push_back(rules_.alias(frame.state));
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return find(short_, tokens_.short_tokens(), std::move(states));
}

std::shared_ptr<const LocalMask> LocalMasks::long_tokens(std::span<const Frame> frames) {
  States states;
  for (const Frame& frame : frames) states.push_back(frame.state);
  return find(long_, tokens_.long_tokens(), std::move(states));
}

std::shared_ptr<const LocalMask> LocalMasks::find(Masks& masks, const TokenTree& tree, States states) {
  const std::lock_guard lock(mutex_);
  const auto known = masks.find(states);
  if (known != masks.end()) return known->second;
  std::shared_ptr<const LocalMask> made = make(tree, states);
  bytes_ += 200 + sizeof(std::int32_t) * (states.size() + made->ids.size() + made->mask.size() + made->leaving.size());
  if (bytes_ > max_bytes) {
    short_.clear();
    long_.clear();
    bytes_ = 0;
  }
  masks.emplace(std::move(states), made);
  return made;
}

std::shared_ptr<const LocalMask> LocalMasks::make(const TokenTree& tree, const States& states) {
  if (sets_.size() > max_sets) sets_ = StackSets(rules_);
  sets_.allow(max_work);
  const auto mask = std::make_shared<LocalMask>();
  tree.walk(sets_, sets_.at(states), -1, path_, [&](std::int32_t node, StackSets::Set set) {
    const std::span<const TokenId> ids = tree.tokens(node);
    mask->ids.insert(mask->ids.end(), ids.begin(), ids.end());
    if (!tree.is_leaf(node) && sets_.complete(set)) mask->leaving.push_back(node);
  });
  if (mask->ids.size() > tokens_.mask_words()) {
    mask->mask.assign(tokens_.mask_words(), 0);
    allow(mask->mask, mask->ids);
    mask->ids = {};
  }
  mask->ids.shrink_to_fit();
  return mask;
}

}  // namespace lectern::llm
