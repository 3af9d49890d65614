#include "llm/grammar/local_masks.h"

#include <algorithm>

namespace lectern::llm {
namespace {

/// Kept of one grammar. A state that allows much takes 20 KB of a vocabulary of 150,000 tokens, one that allows little some hundred bytes.
constexpr std::size_t max_bytes = 16 << 20;
constexpr std::size_t max_sets = 4 << 20;
/// Some tenths of a second.
constexpr std::int64_t max_work = 5'000'000;

}  // namespace

std::shared_ptr<const LocalMask> LocalMasks::find(std::size_t tree, std::span<const Frame> frames) {
  States states;
  for (const Frame& frame : frames) states.push_back(tree < short_token_bytes.size() ? rules_.alias(tree, frame.state) : frame.state);
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  const std::lock_guard lock(mutex_);
  const auto known = masks_[tree].find(states);
  if (known != masks_[tree].end()) return known->second;
  std::shared_ptr<const LocalMask> made = make(tokens_.tree(tree), states);
  bytes_ += 200 + sizeof(std::int32_t) * (states.size() + made->ids.size() + made->mask.size() + made->leaving.size());
  if (bytes_ > max_bytes) {
    for (auto& masks : masks_) masks.clear();
    bytes_ = 0;
  }
  masks_[tree].emplace(std::move(states), made);
  return made;
}

std::shared_ptr<const LocalMask> LocalMasks::make(const TokenTree& tree, const States& states) {
  if (sets_.size() > max_sets) sets_ = StackSets(rules_);
  sets_.allow(max_work);
  const auto mask = std::make_shared<LocalMask>();
  const auto visit = [&](std::int32_t node, StackSets::Set set) {
    if (sets_.complete(set) && !tree.is_leaf(node)) mask->leaving.push_back(node);
  };
  tree.walk(sets_, sets_.at(states), -1, path_, visit, [&](std::span<const TokenId> ids) { mask->ids.insert(mask->ids.end(), ids.begin(), ids.end()); });
  if (mask->ids.size() > tokens_.mask_words()) {
    mask->mask.assign(tokens_.mask_words(), 0);
    allow(mask->mask, mask->ids);
    mask->ids = {};
  }
  mask->ids.shrink_to_fit();
  return mask;
}

}  // namespace lectern::llm
