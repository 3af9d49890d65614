// The state of a sequence in its grammar, and the masks that it computes.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "error.h"
#include "llm/grammar/compiled_grammar.h"
#include "llm/grammar/local_masks.h"
#include "llm/grammar/stack_sets.h"
#include "llm/grammar/token_trie.h"

namespace lectern::llm {
namespace {

/// Of one mask or one token: some tenths of a second, a hundred times what such grammars as are written for use need.
constexpr std::int64_t max_work = 5'000'000;
/// Beyond it all cached sets are dropped but the current state, and if that alone is half of it, the grammar is refused.
constexpr std::size_t max_sets = 4 << 20;
/// 20 KB each of a vocabulary of 150,000.
constexpr std::size_t max_masks = 64;
/// Beyond it one walk from the whole set is quicker than one each of the rules.
constexpr std::size_t max_groups = 16;

class Matcher final : public GrammarMatcher {
 public:
  Matcher(std::shared_ptr<const CompiledGrammar> grammar, std::shared_ptr<const TokenTrie> tokens)
      : grammar_(std::move(grammar)), tokens_(std::move(tokens)), local_(grammar_->masks_for(tokens_)), sets_(grammar_->rules()) {
    sets_.allow(max_work);
    at_ = sets_.start();
  }

  const TokenMask& allowed() override {
    const auto known = masks_.find(at_);
    if (known != masks_.end()) return known->second;
    if (masks_.size() == max_masks) masks_.clear();
    TokenMask mask(tokens_->mask_words());
    sets_.allow(max_work);
    add_text(mask);
    if (sets_.complete(at_)) allow(mask, tokens_->end_tokens());
    return masks_.emplace(at_, std::move(mask)).first->second;
  }

  void accept(TokenId id) override {
    const std::vector<TokenId>& ends = tokens_->end_tokens();
    StackSets::Set next = StackSets::dead;
    if (std::find(ends.begin(), ends.end(), id) != ends.end()) {
      if (!sets_.complete(at_)) refuse(id);
      next = sets_.ended();
    } else if (!tokens_->bytes(id).empty()) {
      sets_.allow(max_work);
      next = at_;
      for (const char byte : tokens_->bytes(id)) next = sets_.step(next, static_cast<std::uint8_t>(byte));
    }
    if (next == StackSets::dead) refuse(id);
    at_ = next;
    if (sets_.size() > max_sets) forget();
  }

  bool finished() const override { return sets_.frames(at_).empty(); }

 private:
  [[noreturn]] static void refuse(TokenId id) { throw Error(ErrorCode::internal, "The grammar does not allow the token " + std::to_string(id) + " here."); }

  void add_text(TokenMask& mask) {
    // Stepping makes sets and moves what they hold.
    const std::span<const Frame> now = sets_.frames(at_);
    frames_.assign(now.begin(), now.end());
    std::vector<std::span<const Frame>> groups;
    for (auto begin = frames_.begin(); begin != frames_.end();) {
      const auto end = std::find_if(begin, frames_.end(), [&](const Frame& frame) { return frame.below != begin->below; });
      groups.emplace_back(begin, end);
      begin = end;
    }
    if (groups.size() > max_groups) {
      for (std::size_t i = 0; i < TokenTrie::trees; i++) add_below(mask, tokens_->tree(i), at_, -1);
      return;
    }
    for (const std::span<const Frame> group : groups) {
      const StackSets::Set after = sets_.after(group.front().below);
      for (std::size_t i = 0; i < TokenTrie::trees; i++) add_local(mask, tokens_->tree(i), *local_->find(i, group), after);
    }
  }

  /// `after`: the state once the rule that the mask belongs to is complete.
  void add_local(TokenMask& mask, const TokenTree& tree, const LocalMask& local, StackSets::Set after) {
    allow(mask, local.ids);
    for (std::size_t i = 0; i < local.mask.size(); i++) mask[i] |= local.mask[i];
    if (sets_.frames(after).empty()) return;
    for (const std::int32_t node : local.leaving) add_below(mask, tree, after, node);
  }

  void add_below(TokenMask& mask, const TokenTree& tree, StackSets::Set from, std::int32_t node) {
    tree.walk(sets_, from, node, path_, [](std::int32_t, StackSets::Set) {}, [&](std::span<const TokenId> ids) { allow(mask, ids); });
  }

  void forget() {
    StackSets fresh(grammar_->rules());
    at_ = fresh.take(sets_, at_);
    sets_ = std::move(fresh);
    masks_.clear();
    if (sets_.size() > max_sets / 2) throw Error(ErrorCode::invalid_request, "The grammar can be read in too many ways to follow them all.");
  }

  std::shared_ptr<const CompiledGrammar> grammar_;
  std::shared_ptr<const TokenTrie> tokens_;
  std::shared_ptr<LocalMasks> local_;
  StackSets sets_;
  StackSets::Set at_ = StackSets::dead;
  std::unordered_map<StackSets::Set, TokenMask> masks_;
  std::vector<Frame> frames_;
  std::vector<StackSets::Set> path_;
};

}  // namespace

std::unique_ptr<GrammarMatcher> match(std::shared_ptr<const Grammar> grammar, std::shared_ptr<const TokenTrie> tokens) {
  // There is no other kind.
  return std::make_unique<Matcher>(std::static_pointer_cast<const CompiledGrammar>(std::move(grammar)), std::move(tokens));
}

}  // namespace lectern::llm
