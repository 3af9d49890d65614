// The places in a grammar at which a text may be, as sets of stacks that share what they have in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "llm/grammar/frame_table.h"
#include "llm/grammar/rule_automaton.h"

namespace lectern::llm {

/// A set has a number; equal sets have the same, and where a byte leads from a set is found once. It holds the frames that can read a
/// byte. The frames of one rule entered at one place share one list of what follows, so that a set's size is bounded by the
/// grammar's and the number of places that are still open, however ambiguous the grammar is (Scott and Johnstone, GLL parsing, 2010).
///
/// What lies below the lowest frame is not known here: the end of the text, or another set where this one stands for a part of it.
class StackSets {
 public:
  using Set = std::int32_t;
  /// From which nothing follows, not even the end.
  static constexpr Set dead = 0;

  explicit StackSets(const RuleAutomaton& rules);

  /// At the beginning of the root.
  Set start();
  /// At these states of one rule, sorted, each with an edge on a byte.
  Set at(std::span<const std::int32_t> states);
  /// `set`, which is of `other`, with all that lies below.
  Set take(const StackSets& other, Set set);

  /// At the end: nothing may follow.
  Set ended();

  Set step(Set set, std::uint8_t byte) {
    const Set next = steps_[static_cast<std::size_t>(set) * stride_ + static_cast<std::size_t>(rules_->class_of(byte))];
    return next >= 0 ? next : find_step(set, byte);
  }

  /// A text that led here may end: all frames are through.
  bool complete(Set set) const { return complete_[static_cast<std::size_t>(set)] != 0; }
  /// Those that can go on, those with the same frames below together.
  std::span<const Frame> frames(Set set) const;
  /// Where the end of the rule leads whose frames lie on `below`.
  Set after(std::int32_t below);

  /// In frames, steps counted as such.
  std::size_t size() const { return sets_.frames() + below_.frames() + steps_.size() / 4; }
  /// From here on no more than so many steps of work are done before Error `invalid_request`: what takes more is a hostile grammar.
  void allow(std::int64_t work) { work_left_ = work; }

 private:
  /// The frame that is below all others.
  static constexpr Frame bottom{-1, -1};

  Set find_step(Set set, std::uint8_t byte);
  Set add_set(std::vector<Frame>& frames);
  void reach(Frame frame);
  /// From the frames reached, what can be reached without a byte, as a set.
  Set close();
  void follow(Frame frame, bool may_end);
  void call(const RuleAutomaton::CallEdge& edge, std::int32_t below);
  void enter_called();
  void spend(std::size_t work);

  const RuleAutomaton* rules_;
  std::size_t stride_;
  FrameTable below_;
  FrameTable sets_;
  std::vector<Set> steps_;  // (sets, classes); -1: not known yet
  std::vector<std::uint8_t> complete_;
  std::vector<Set> after_;  // by list of frames below; -1: not known yet
  std::int64_t work_left_;

  // Of the closure that is being made.
  std::vector<Frame> reached_;
  std::vector<Frame> readers_;
  std::vector<Frame> copy_;
  std::vector<std::vector<Frame>> returns_;  // by rule: where its callers go on
  std::vector<std::int32_t> called_;         // a heap, the lowest rule first

  /// The frames that were reached, forgotten all at once.
  class Seen {
   public:
    void clear() { round_++; count_ = 0; }
    bool add(Frame frame);

   private:
    struct Slot {
      Frame frame;
      std::uint64_t round;
    };
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    std::uint64_t round_ = 1;
    std::size_t count_ = 0;
  } seen_;
};

}  // namespace lectern::llm
