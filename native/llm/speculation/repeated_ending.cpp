#include "llm/speculation/repeated_ending.h"

#include <algorithm>
#include <cstddef>

namespace lectern::llm {
namespace {

constexpr std::int32_t root = 0;
constexpr std::int32_t none = -1;
constexpr std::size_t first_table = 64;  // a power of two, as all sizes of the table

}  // namespace

RepeatedEnding::RepeatedEnding() : table_(first_table, none) { add_state(0, none, none); }

void RepeatedEnding::add(TokenId token) {
  // The next ending that is found here should be continued as this one was.
  if (length_ > 0) at(matched_).end = static_cast<std::int32_t>(text_.size()) - 1;
  match(token);
  extend(token);
  // Extending may have split the matched state, so that the ending belongs to the new shorter half.
  while (matched_ != root && length_ <= at(at(matched_).link).length) matched_ = at(matched_).link;
}

void RepeatedEnding::continuation(int count, std::vector<TokenId>& out) const {
  out.clear();
  if (length_ == 0) return;
  const std::size_t from = static_cast<std::size_t>(states_[static_cast<std::size_t>(matched_)].end) + 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)); i++) out.push_back(from + i < text_.size() ? text_[from + i] : out[from + i - text_.size()]);
}

/// The longest ending of the text with this token that the automaton of the text without it knows.
void RepeatedEnding::match(TokenId token) {
  const Edge* edge = find(matched_, token);
  while (edge == nullptr && matched_ != root) {
    matched_ = at(matched_).link;
    length_ = at(matched_).length;
    edge = find(matched_, token);
  }
  if (edge == nullptr) return;
  matched_ = edge->target;
  length_++;
}

void RepeatedEnding::extend(TokenId token) {
  const auto end = static_cast<std::int32_t>(text_.size());
  text_.push_back(token);
  const std::int32_t whole = add_state(at(last_).length + 1, root, end);
  std::int32_t state = last_;
  last_ = whole;
  Edge* edge = nullptr;
  while (state != none && (edge = find(state, token)) == nullptr) {
    insert(state, token, whole);
    state = at(state).link;
  }
  if (state == none) return;
  const std::int32_t target = edge->target;
  const std::int32_t length = at(state).length + 1;
  if (at(target).length == length) {
    at(whole).link = target;
    return;
  }
  const std::int32_t half = clone(target, length);
  at(whole).link = at(target).link = half;
  while (state != none && (edge = find(state, token)) != nullptr && edge->target == target) {
    edge->target = half;
    state = at(state).link;
  }
}

std::int32_t RepeatedEnding::clone(std::int32_t state, std::int32_t length) {
  const std::int32_t half = add_state(length, at(state).link, at(state).end);
  for (std::int32_t i = at(state).first_edge; i != none; i = edges_[static_cast<std::size_t>(i)].next) {
    const Edge& edge = edges_[static_cast<std::size_t>(i)];
    insert(half, edge.token, edge.target);
  }
  return half;
}

std::int32_t RepeatedEnding::add_state(std::int32_t length, std::int32_t link, std::int32_t end) {
  states_.push_back({length, link, end, none});
  return static_cast<std::int32_t>(states_.size()) - 1;
}

/// Where the edge is in the table, or the free place where it would be.
std::size_t RepeatedEnding::place(std::int32_t state, TokenId token) const {
  const std::uint64_t key = static_cast<std::uint64_t>(static_cast<std::uint32_t>(state)) << 32 | static_cast<std::uint32_t>(token);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = static_cast<std::size_t>(key * 0x9E37'79B9'7F4A'7C15 >> 32) & mask;
  while (table_[at] != none) {
    const Edge& edge = edges_[static_cast<std::size_t>(table_[at])];
    if (edge.from == state && edge.token == token) break;
    at = (at + 1) & mask;
  }
  return at;
}

RepeatedEnding::Edge* RepeatedEnding::find(std::int32_t state, TokenId token) {
  const std::int32_t edge = table_[place(state, token)];
  return edge == none ? nullptr : &edges_[static_cast<std::size_t>(edge)];
}

void RepeatedEnding::insert(std::int32_t state, TokenId token, std::int32_t target) {
  if (2 * (edges_.size() + 1) > table_.size()) grow();
  table_[place(state, token)] = static_cast<std::int32_t>(edges_.size());
  edges_.push_back({token, target, at(state).first_edge, state});
  at(state).first_edge = static_cast<std::int32_t>(edges_.size()) - 1;
}

void RepeatedEnding::grow() {
  table_.assign(2 * table_.size(), none);
  for (std::size_t i = 0; i < edges_.size(); i++) table_[place(edges_[i].from, edges_[i].token)] = static_cast<std::int32_t>(i);
}

}  // namespace lectern::llm
