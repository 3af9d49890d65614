#include "llm/grammar/stack_sets.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "error.h"

namespace lectern::llm {
namespace {

/// Longer lists are not copied from rule to rule.
constexpr std::size_t max_passed_on = 32;

std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

}  // namespace

StackSets::StackSets(const RuleAutomaton& rules)
    : rules_(&rules), stride_(index(rules.classes())), work_left_(std::numeric_limits<std::int64_t>::max()), returns_(index(rules.rules())) {
  std::vector<Frame> none;
  add_set(none);
  below_.add({&bottom, 1});
}

StackSets::Set StackSets::start() {
  seen_.clear();
  if (rules_->root_nullable()) reach(bottom);
  call({rules_->root(), -1}, 0);
  return close();
}

StackSets::Set StackSets::at(std::span<const std::int32_t> states) {
  readers_.clear();
  for (const std::int32_t state : states) readers_.push_back({state, 0});
  return add_set(readers_);
}

StackSets::Set StackSets::ended() {
  readers_ = {bottom};
  return add_set(readers_);
}

StackSets::Set StackSets::take(const StackSets& other, Set set) {
  // A list refers only to lists of lower numbers.
  std::vector<bool> wanted(index(other.below_.size()));
  for (const Frame& frame : other.frames(set)) wanted[index(frame.below)] = true;
  for (std::size_t i = wanted.size(); i-- > 0;) {
    if (!wanted[i]) continue;
    for (const Frame& frame : other.below_[static_cast<std::int32_t>(i)]) {
      if (frame != bottom) wanted[index(frame.below)] = true;
    }
  }
  std::vector<std::int32_t> number(wanted.size());
  const auto translated = [&](std::span<const Frame> frames) {
    copy_.assign(frames.begin(), frames.end());
    for (Frame& frame : copy_) frame.below = frame == bottom ? -1 : number[index(frame.below)];
    std::sort(copy_.begin(), copy_.end());
    return std::span<const Frame>(copy_);
  };
  for (std::size_t i = 0; i < wanted.size(); i++) {
    if (wanted[i]) number[i] = below_.add(translated(other.below_[static_cast<std::int32_t>(i)]));
  }
  translated(other.sets_[set]);
  return add_set(copy_);
}

std::span<const Frame> StackSets::frames(Set set) const { return sets_[set].subspan(complete(set) ? 1 : 0); }

StackSets::Set StackSets::after(std::int32_t below) {
  after_.resize(index(below_.size()), -1);
  if (after_[index(below)] >= 0) return after_[index(below)];
  seen_.clear();
  for (const Frame& frame : below_[below]) reach(frame);
  const Set set = close();
  after_.resize(index(below_.size()), -1);
  return after_[index(below)] = set;
}

StackSets::Set StackSets::find_step(Set set, std::uint8_t byte) {
  seen_.clear();
  const std::span<const Frame> all = frames(set);
  spend(all.size());
  for (const Frame& frame : all) {
    for (const RuleAutomaton::ByteEdge& edge : rules_->byte_edges(frame.state)) {
      if (edge.bytes.first <= byte && byte <= edge.bytes.last) reach({edge.target, frame.below});
    }
  }
  const Set next = close();
  return steps_[index(set) * stride_ + index(rules_->class_of(byte))] = next;
}

/// Sorts `frames`.
StackSets::Set StackSets::add_set(std::vector<Frame>& frames) {
  std::sort(frames.begin(), frames.end());
  const Set set = sets_.add(frames);
  if (steps_.size() < index(sets_.size()) * stride_) {
    steps_.resize(index(sets_.size()) * stride_, -1);
    complete_.push_back(!frames.empty() && frames.front() == bottom);
    spend(stride_ / 4);
  }
  return set;
}

void StackSets::reach(Frame frame) {
  spend(1);
  if (seen_.add(frame)) reached_.push_back(frame);
}

StackSets::Set StackSets::close() {
  readers_.clear();
  while (!reached_.empty()) {
    const Frame frame = reached_.back();
    reached_.pop_back();
    if (frame == bottom) readers_.push_back(frame);
    else follow(frame, true);
  }
  enter_called();
  return add_set(readers_);
}

/// `may_end`: a byte of the frame's rule has been read.
void StackSets::follow(Frame frame, bool may_end) {
  const auto [state, below] = frame;
  if (may_end && rules_->ends(state)) {
    // Reaching adds no list.
    for (const Frame& next : below_[below]) reach(next);
  }
  const std::span<const std::int32_t> empty = rules_->empty_edges(state);
  const std::span<const RuleAutomaton::CallEdge> calls = rules_->call_edges(state);
  spend(empty.size() + calls.size());
  for (const std::int32_t target : empty) reach({target, below});
  if (!rules_->byte_edges(state).empty()) readers_.push_back(frame);
  for (const RuleAutomaton::CallEdge& edge : calls) call(edge, below);
}

void StackSets::call(const RuleAutomaton::CallEdge& edge, std::int32_t below) {
  std::vector<Frame>& returns = returns_[index(edge.rule)];
  if (returns.empty()) {
    called_.push_back(edge.rule);
    std::push_heap(called_.begin(), called_.end(), std::greater<>());
  }
  const std::span<const Frame> next = below_[below];
  if (edge.target >= 0 && (!rules_->only_ends(edge.target) || next.size() > max_passed_on)) {
    returns.push_back({edge.target, below});
    return;
  }
  // Nothing is left to do in the caller: a list that ends with itself does not grow the stack.
  spend(next.size());
  returns.insert(returns.end(), next.begin(), next.end());
}

/// All callers of a rule are known before it is entered: those that call it before a byte have lower numbers.
void StackSets::enter_called() {
  while (!called_.empty()) {
    std::pop_heap(called_.begin(), called_.end(), std::greater<>());
    const std::int32_t rule = called_.back();
    called_.pop_back();
    std::vector<Frame>& returns = returns_[index(rule)];
    std::sort(returns.begin(), returns.end());
    returns.erase(std::unique(returns.begin(), returns.end()), returns.end());
    spend(returns.size());
    const std::int32_t below = below_.add(returns);
    returns.clear();
    reach({rules_->start(rule), below});
    while (!reached_.empty()) {
      const Frame frame = reached_.back();
      reached_.pop_back();
      follow(frame, false);
    }
  }
}

void StackSets::spend(std::size_t work) {
  work_left_ -= static_cast<std::int64_t>(work);
  if (work_left_ >= 0) return;
  // Left as before the closure.
  reached_.clear();
  for (std::vector<Frame>& returns : returns_) returns.clear();
  called_.clear();
  throw Error(ErrorCode::invalid_request, "The grammar can be read in too many ways to follow them all.");
}

bool StackSets::Seen::add(Frame frame) {
  if (2 * ++count_ > slots_.size()) {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    count_ = 1;
    for (const Slot& slot : old) {
      if (slot.round == round_) add(slot.frame);
    }
  }
  std::uint64_t hash = static_cast<std::uint64_t>(static_cast<std::uint32_t>(frame.state)) << 32 | static_cast<std::uint32_t>(frame.below);
  hash *= 0x9E3779B97F4A7C15;
  hash ^= hash >> 32;
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot].round == round_; slot = (slot + 1) & (slots_.size() - 1)) {
    if (slots_[slot].frame == frame) {
      count_--;
      return false;
    }
  }
  slots_[slot] = {frame, round_};
  return true;
}

}  // namespace lectern::llm
