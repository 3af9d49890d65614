#include "llm/grammar/rule_automaton.h"

#include <algorithm>
#include <utility>

#include "error.h"

namespace lectern::llm {
namespace {

using State = std::int32_t;

std::size_t index(State state) { return static_cast<std::size_t>(state); }

/// The edges' numbers by one of their ends: those of state s from rows[s] to before rows[s + 1].
struct Rows {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> edges;
};

template <class Edge, class End>
Rows rows_by(const std::vector<Edge>& edges, std::size_t states, End end) {
  Rows rows{std::vector<std::int32_t>(states + 1), std::vector<std::int32_t>(edges.size())};
  for (const Edge& edge : edges) rows.rows[index(end(edge)) + 1]++;
  for (std::size_t i = 0; i < states; i++) rows.rows[i + 1] += rows.rows[i];
  std::vector<std::int32_t> next(rows.rows.begin(), rows.rows.end() - 1);
  for (std::size_t i = 0; i < edges.size(); i++) rows.edges[index(next[index(end(edges[i]))]++)] = static_cast<std::int32_t>(i);
  return rows;
}

constexpr auto from = [](const auto& edge) { return edge.from; };
constexpr auto to = [](const auto& edge) { return edge.to; };

template <class Work>
void each(const Rows& rows, State state, Work work) {
  for (auto i = rows.rows[index(state)]; i < rows.rows[index(state) + 1]; i++) work(index(rows.edges[index(i)]));
}

/// Rule -> those that it calls before it has read a byte.
std::vector<std::vector<std::int32_t>> first_calls(const RuleEdges& edges) {
  const Rows nothing = rows_by(edges.on_nothing, index(edges.states), from);
  const Rows calls = rows_by(edges.on_rule, index(edges.states), from);
  std::vector<bool> seen(index(edges.states));
  std::vector<std::vector<std::int32_t>> first(edges.rules.size());
  std::vector<State> open;
  for (std::size_t rule = 0; rule < first.size(); rule++) {
    open = {edges.rules[rule].start};
    while (!open.empty()) {
      const State state = open.back();
      open.pop_back();
      if (seen[index(state)]) continue;
      seen[index(state)] = true;
      each(calls, state, [&](std::size_t i) { first[rule].push_back(edges.on_rule[i].rule); });
      each(nothing, state, [&](std::size_t i) { open.push_back(edges.on_nothing[i].to); });
    }
  }
  return first;
}

}  // namespace

RuleAutomaton::RuleAutomaton(std::string_view text) {
  RuleEdges edges = make_rule_edges(gbnf::parse(text), text);
  number_rules(edges, text);
  trim(edges, text);
  root_ = edges.root;
  root_nullable_ = edges.root_nullable;
  lay_out(edges);
  classify();
}

/// Callers first; where there is no such order, a rule is left-recursive.
void RuleAutomaton::number_rules(RuleEdges& edges, std::string_view text) {
  const std::vector<std::vector<std::int32_t>> first = first_calls(edges);
  const std::size_t count = first.size();
  enum class Mark : std::uint8_t { unseen, open, done };
  std::vector<Mark> marks(count, Mark::unseen);
  std::vector<std::int32_t> done;
  std::vector<std::pair<std::size_t, std::size_t>> path;
  for (std::size_t begin = 0; begin < count; begin++) {
    if (marks[begin] == Mark::unseen) path.emplace_back(begin, 0);
    marks[begin] = marks[begin] == Mark::unseen ? Mark::open : marks[begin];
    while (!path.empty()) {
      auto& [rule, call] = path.back();
      if (call == first[rule].size()) {
        marks[rule] = Mark::done;
        done.push_back(static_cast<std::int32_t>(rule));
        path.pop_back();
        continue;
      }
      const std::size_t called = index(first[rule][call++]);
      if (marks[called] == Mark::open) gbnf::refuse(text, edges.rules[called].place, "this may begin with itself (left recursion), which is not supported");
      if (marks[called] == Mark::unseen) path.emplace_back(called, 0);
      if (marks[called] == Mark::unseen) marks[called] = Mark::open;
    }
  }
  std::vector<std::int32_t> number(count);
  std::vector<RuleEdges::Rule> rules(count);
  for (std::size_t i = 0; i < count; i++) {
    const std::size_t rule = index(done[count - 1 - i]);
    number[rule] = static_cast<std::int32_t>(i);
    rules[i] = edges.rules[rule];
  }
  edges.rules = std::move(rules);
  for (RuleEdges::OnRule& edge : edges.on_rule) edge.rule = number[index(edge.rule)];
  edges.root = number[index(edges.root)];
}

/// Removes the edges from which no text comes to an end.
void RuleAutomaton::trim(RuleEdges& edges, std::string_view text) const {
  const std::size_t states = index(edges.states);
  const Rows bytes = rows_by(edges.on_byte, states, to);
  const Rows nothing = rows_by(edges.on_nothing, states, to);
  const Rows calls = rows_by(edges.on_rule, states, to);
  std::vector<std::vector<State>> waiting(edges.rules.size());  // before calls whose rule is not known to end
  std::vector<bool> productive(edges.rules.size());
  std::vector<std::int32_t> rule_from(states, -1);
  for (std::size_t i = 0; i < edges.rules.size(); i++) rule_from[index(edges.rules[i].start)] = static_cast<std::int32_t>(i);
  std::vector<bool> alive(states);
  std::vector<State> open;
  for (const RuleEdges::Rule& rule : edges.rules) open.push_back(rule.end);
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    if (alive[index(state)]) continue;
    alive[index(state)] = true;
    each(bytes, state, [&](std::size_t i) { open.push_back(edges.on_byte[i].from); });
    each(nothing, state, [&](std::size_t i) { open.push_back(edges.on_nothing[i].from); });
    each(calls, state, [&](std::size_t i) {
      const RuleEdges::OnRule& call = edges.on_rule[i];
      if (productive[index(call.rule)]) open.push_back(call.from);
      else waiting[index(call.rule)].push_back(call.from);
    });
    if (rule_from[index(state)] < 0) continue;
    const std::size_t rule = index(rule_from[index(state)]);
    productive[rule] = true;
    open.insert(open.end(), waiting[rule].begin(), waiting[rule].end());
  }
  const RuleEdges::Rule& root = edges.rules[index(edges.root)];
  if (!alive[index(root.start)]) gbnf::refuse(text, root.place, "no text is ever complete by this rule");
  std::erase_if(edges.on_byte, [&](const auto& edge) { return !alive[index(edge.to)]; });
  std::erase_if(edges.on_nothing, [&](const auto& edge) { return !alive[index(edge.to)]; });
  std::erase_if(edges.on_rule, [&](const auto& edge) { return !alive[index(edge.to)] || !productive[index(edge.rule)]; });
}

void RuleAutomaton::lay_out(RuleEdges& edges) {
  const std::size_t states = index(edges.states);
  alias_ = std::move(edges.alias);
  ends_.assign(states, 0);
  for (const RuleEdges::Rule& rule : edges.rules) {
    starts_.push_back(rule.start);
    ends_[index(rule.end)] = 1;
  }
  const Rows bytes = rows_by(edges.on_byte, states, from);
  const Rows nothing = rows_by(edges.on_nothing, states, from);
  const Rows calls = rows_by(edges.on_rule, states, from);
  for (const std::int32_t i : bytes.edges) byte_edges_.push_back({edges.on_byte[index(i)].bytes, edges.on_byte[index(i)].to});
  for (const std::int32_t i : nothing.edges) empty_edges_.push_back(edges.on_nothing[index(i)].to);
  for (const std::int32_t i : calls.edges) call_edges_.push_back({edges.on_rule[index(i)].rule, edges.on_rule[index(i)].to});
  byte_rows_ = bytes.rows;
  empty_rows_ = nothing.rows;
  call_rows_ = calls.rows;

  // A state only ends when each of its edges, all of them empty, leads to one that does.
  only_ends_.assign(states, 0);
  const Rows before = rows_by(edges.on_nothing, states, to);
  std::vector<std::int32_t> left(states);
  for (std::size_t i = 0; i < states; i++) left[i] = empty_rows_[i + 1] - empty_rows_[i];
  std::vector<State> open;
  for (const RuleEdges::Rule& rule : edges.rules) open.push_back(rule.end);
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    only_ends_[index(state)] = 1;
    each(before, state, [&](std::size_t i) {
      const State source = edges.on_nothing[i].from;
      if (--left[index(source)] == 0 && byte_edges(source).empty() && call_edges(source).empty()) open.push_back(source);
    });
  }
}

void RuleAutomaton::classify() {
  std::array<bool, 257> begins{};
  for (const ByteEdge& edge : byte_edges_) begins[edge.bytes.first] = begins[edge.bytes.last + std::size_t{1}] = true;
  int number = 0;
  for (std::size_t byte = 0; byte < 256; byte++) {
    if (byte > 0 && begins[byte]) number++;
    class_of_[byte] = static_cast<std::uint8_t>(number);
  }
  classes_ = number + 1;
}

}  // namespace lectern::llm
