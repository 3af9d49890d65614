#include "llm/grammar/rule_edges.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "error.h"

namespace lectern::llm {
namespace {

using gbnf::Expression;
using Kind = Expression::Kind;
using State = std::int32_t;

constexpr State max_states = 400'000;
constexpr std::size_t max_edges = 1'000'000;
/// What is repeated is written out up to so many states each time, and so many in all; beyond it becomes a rule.
constexpr std::int64_t max_copied = 40;
constexpr std::int64_t max_copies = 100'000;

/// About how many states an expression takes, and which calls may be written out in place: only of rules that come before the caller
/// in an order in which, cycles aside, what is called comes first.
class Costs {
 public:
  explicit Costs(const gbnf::Source& source) : source_(source), costs_(source.expressions.size()), order_(source.rules.size()), rule_costs_(source.rules.size()) {
    std::vector<std::vector<int>> calls(source.rules.size());
    for (std::size_t rule = 0; rule < source.rules.size(); rule++) collect_calls(source.rules[rule].expression, calls[rule]);
    std::vector<bool> seen(source.rules.size());
    std::vector<std::pair<std::size_t, std::size_t>> path;
    int next = 1;
    for (std::size_t first = 0; first < source.rules.size(); first++) {
      if (!seen[first]) path.emplace_back(first, 0);
      seen[first] = true;
      while (!path.empty()) {
        auto& [rule, call] = path.back();
        if (call < calls[rule].size()) {
          const auto called = static_cast<std::size_t>(calls[rule][call++]);
          if (!seen[called]) path.emplace_back(called, 0);
          seen[called] = true;
        } else {
          rule_costs_[rule] = compute(source.rules[rule].expression);
          order_[rule] = next++;
          path.pop_back();
        }
      }
    }
  }

  std::int64_t of(int expression) const { return costs_[static_cast<std::size_t>(expression)]; }

  bool inlines(int rule, int caller) const {
    const auto called = static_cast<std::size_t>(rule);
    return order_[called] < order_[static_cast<std::size_t>(caller)] && rule_costs_[called] < max_copied;
  }

 private:
  void collect_calls(int expression, std::vector<int>& calls) const {
    const Expression& e = source_.expressions[static_cast<std::size_t>(expression)];
    if (e.kind == Kind::rule) calls.push_back(e.rule);
    for (const int part : e.parts) collect_calls(part, calls);
  }

  std::int64_t compute(int expression) {
    const Expression& e = source_.expressions[static_cast<std::size_t>(expression)];
    std::int64_t cost = 1;
    switch (e.kind) {
      case Kind::literal: cost = static_cast<std::int64_t>(e.bytes.size()); break;
      case Kind::characters:
        for (const ByteSequence& sequence : utf8_sequences(e.ranges)) cost += sequence.length > 1;
        break;
      case Kind::rule: {
        const auto called = static_cast<std::size_t>(e.rule);
        if (order_[called] > 0 && rule_costs_[called] < max_copied) cost += rule_costs_[called];
        break;
      }
      case Kind::sequence:
      case Kind::alternatives:
        for (const int part : e.parts) cost += compute(part);
        break;
      case Kind::repeat: cost += compute(e.parts.front()) * std::max(1, e.most < 0 ? e.least : e.most); break;
    }
    return costs_[static_cast<std::size_t>(expression)] = std::min(cost, max_copies);
  }

  const gbnf::Source& source_;
  std::vector<std::int64_t> costs_;
  std::vector<int> order_;  // 0: not known yet
  std::vector<std::int64_t> rule_costs_;
};

class Builder {
 public:
  Builder(const gbnf::Source& source, std::string_view text) : source_(source), text_(text), costs_(source), classes_(source.expressions.size()) {}

  RuleEdges build() {
    for (std::size_t i = 0; i < source_.rules.size(); i++) {
      const int rule = static_cast<int>(i);
      bodies_.push_back({source_.rules[i].expression, rule});
      add_rule(source_.rules[i].place);
    }
    // Grows meanwhile.
    for (std::size_t i = 0; i < bodies_.size(); i++) {
      const Body body = bodies_[i];
      caller_ = body.caller;
      build(body.expression, edges_.rules[i].start, edges_.rules[i].end, false);
    }
    edges_.root = source_.root;
    const gbnf::Rule& root = source_.rules[static_cast<std::size_t>(source_.root)];
    edges_.root_nullable = source_.expressions[static_cast<std::size_t>(root.expression)].nullable;
    return std::move(edges_);
  }

 private:
  struct Body {
    int expression;
    int caller;  // the rule of the source that it is part of
  };

  State add_state() {
    if (edges_.states == max_states) gbnf::refuse(text_, place_, "the grammar becomes too large here");
    for (std::vector<State>& alias : edges_.alias) alias.push_back(edges_.states);
    return edges_.states++;
  }

  void check_edges() const {
    if (edges_.on_byte.size() + edges_.on_nothing.size() + edges_.on_rule.size() >= max_edges) gbnf::refuse(text_, place_, "the grammar becomes too large here");
  }

  void add_byte(State from, State to, Bytes bytes) {
    check_edges();
    edges_.on_byte.push_back({from, to, bytes});
  }

  void add_nothing(State from, State to) {
    check_edges();
    edges_.on_nothing.push_back({from, to});
  }

  void add_call(State from, State to, int rule) {
    check_edges();
    edges_.on_rule.push_back({from, to, rule});
  }

  int add_rule(std::size_t place) {
    const State start = add_state();
    edges_.rules.push_back({start, add_state(), place});
    return static_cast<int>(edges_.rules.size()) - 1;
  }

  /// Everything between two states; adds no edge into `from` nor out of `to`, unless they are one. `repeated`: what is called is written out where it is small,
  /// so that repeating it stays within one rule and its masks are known in advance.
  void build(int expression, State from, State to, bool repeated) {
    const Expression& e = source_.expressions[static_cast<std::size_t>(expression)];
    place_ = e.place;
    switch (e.kind) {
      case Kind::literal: return build_literal(e.bytes, from, to);
      case Kind::characters: return build_class(expression, from, to);
      case Kind::sequence: return build_sequence(e, from, to, repeated);
      case Kind::alternatives:
        for (const int part : e.parts) build(part, from, to, repeated);
        return;
      case Kind::repeat: return build_repeat(e, from, to);
      case Kind::rule: break;
    }
    const int body = source_.rules[static_cast<std::size_t>(e.rule)].expression;
    if (repeated && costs_.inlines(e.rule, caller_)) {
      const int caller = std::exchange(caller_, e.rule);
      build(body, from, to, true);
      caller_ = caller;
      return;
    }
    add_call(from, to, e.rule);
    if (e.nullable) add_nothing(from, to);
  }

  void build_literal(const std::string& bytes, State from, State to) {
    if (bytes.empty()) return add_nothing(from, to);
    for (std::size_t i = 0; i < bytes.size(); i++) {
      const State next = i + 1 == bytes.size() ? to : add_state();
      const auto byte = static_cast<std::uint8_t>(bytes[i]);
      add_byte(from, next, {byte, byte});
      from = next;
    }
  }

  void build_class(int expression, State from, State to) {
    std::vector<ByteSequence>& sequences = classes_[static_cast<std::size_t>(expression)];
    const Expression& e = source_.expressions[static_cast<std::size_t>(expression)];
    if (sequences.empty()) sequences = utf8_sequences(e.ranges);
    // Ends that are alike are shared: (first, last, next) -> the state before.
    std::map<std::tuple<int, int, State>, State> before;
    for (const ByteSequence& sequence : sequences) {
      State next = to;
      for (int i = sequence.length - 1; i > 0; i--) {
        const Bytes bytes = sequence.bytes[i];
        const auto [found, added] = before.try_emplace({bytes.first, bytes.last, next}, 0);
        if (added) {
          found->second = add_state();
          add_byte(found->second, next, bytes);
        }
        next = found->second;
      }
      add_byte(from, next, sequence.bytes[0]);
    }
  }

  void build_sequence(const Expression& e, State from, State to, bool repeated) {
    if (e.parts.empty()) return add_nothing(from, to);
    for (std::size_t i = 0; i < e.parts.size(); i++) {
      const State next = i + 1 == e.parts.size() ? to : add_state();
      build(e.parts[i], from, next, repeated);
      from = next;
    }
  }

  void build_repeat(const Expression& e, State from, State to) {
    const int part = e.parts.front();
    if (e.most < 0 && e.least <= 1) {
      const State begin = add_state();
      const State end = e.least == 0 ? begin : add_state();
      add_nothing(from, begin);
      build(part, begin, end, true);
      if (begin != end) add_nothing(end, begin);
      add_nothing(end, to);
    } else if (e.most == 1) {
      build(part, from, to, true);
      if (e.least == 0) add_nothing(from, to);
    } else {
      build_counted(e, from, to);
    }
  }

  void build_counted(const Expression& e, State from, State to) {
    const int part = e.parts.front();
    const bool nullable = source_.expressions[static_cast<std::size_t>(part)].nullable;
    // A call consumes at least one byte: as a single call, an optional expression need not be distinguished from an omitted one.
    const int least = nullable ? 0 : e.least;
    const int count = e.most < 0 ? least : e.most;
    int rule = -1;
    if (nullable || costs_.of(part) > max_copied || costs_.of(part) * count > max_copies) {
      rule = add_rule(e.place);
      bodies_.push_back({part, caller_});
    }
    const auto add_part = [&](State here, State there) {
      if (rule < 0) build(part, here, there, true);
      else add_call(here, there, rule);
    };
    std::vector<State> copies;  // where each begins, and so do its states
    for (int i = 0; i < count; i++) {
      copies.push_back(add_state());
      add_nothing(from, copies.back());
      if (i >= least) add_nothing(from, to);
      from = add_state();
      add_part(copies.back(), from);
    }
    for (std::size_t i = 0; i < short_token_bytes.size(); i++) name_aliases(copies, least, e.most, short_token_bytes[i], edges_.alias[i]);
    if (e.most >= 0) return add_nothing(from, to);
    const State loop = add_state();
    add_nothing(from, loop);
    add_part(loop, loop);
    add_nothing(loop, to);
  }

  /// Of two copies from which as many must follow and as many may, counting no further than tokens of `bytes` go, the first stands for
  /// both.
  static void name_aliases(const std::vector<State>& copies, int least, int most, int bytes, std::vector<State>& alias) {
    const int count = static_cast<int>(copies.size());
    std::map<std::pair<int, int>, int> first;
    for (int i = 0; i + 1 < count; i++) {
      const int must = std::min(std::max(least - i, 0), bytes);
      const int may = most < 0 ? bytes : std::min(most - i, bytes);
      const int like = first.try_emplace({must, may}, i).first->second;
      if (like == i) continue;
      const State here = copies[static_cast<std::size_t>(i)];
      const State there = copies[static_cast<std::size_t>(like)];
      for (State offset = 0; here + offset < copies[static_cast<std::size_t>(i) + 1]; offset++) {
        alias[static_cast<std::size_t>(here + offset)] = alias[static_cast<std::size_t>(there + offset)];
      }
    }
  }

  const gbnf::Source& source_;
  std::string_view text_;
  Costs costs_;
  std::vector<std::vector<ByteSequence>> classes_;  // by expression
  RuleEdges edges_;
  std::vector<Body> bodies_;  // by rule
  int caller_ = 0;
  std::size_t place_ = 0;
};

}  // namespace

RuleEdges make_rule_edges(const gbnf::Source& source, std::string_view text) { return Builder(source, text).build(); }

}  // namespace lectern::llm
