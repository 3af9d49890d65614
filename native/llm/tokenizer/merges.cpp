#include "llm/tokenizer/merges.h"

#include <algorithm>

#include "llm/tokenizer/unicode.h"

namespace lectern::llm {
namespace {

constexpr std::uint32_t never = UINT32_MAX;
constexpr std::uint64_t no_key = UINT64_MAX;  // no pair has it: symbols are counted from 0 in 31 bits

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

}  // namespace

std::size_t PairMemory::place_of(std::uint64_t key) const {
  // Fibonacci hashing: the product's upper half mixes both symbols.
  std::size_t place = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32) & (slots_.size() - 1);
  while (slots_[place].key != key && slots_[place].key != no_key) place = (place + 1) & (slots_.size() - 1);
  return place;
}

const PairMemory::Merge* PairMemory::find(std::uint64_t key) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[place_of(key)];
  return slot.key == key ? &slot.merge : nullptr;
}

void PairMemory::put(std::uint64_t key, Merge merge) {
  if (used_ * 2 >= slots_.size()) {
    std::vector<Slot> old(std::max<std::size_t>(256, slots_.size() * 4), Slot{no_key, {}});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != no_key) slots_[place_of(slot.key)] = slot;
    }
  }
  slots_[place_of(key)] = {key, merge};
  used_++;
}

bool Merger::recall(std::string_view word, std::vector<TokenId>& out) const {
  const auto found = words_.find(word);
  if (found == words_.end()) return false;
  const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(found->second.first);
  out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(found->second.count));
  return true;
}

void Merger::remember(std::string_view word, const std::vector<TokenId>& out, std::size_t first) {
  words_.emplace(word, Range{tokens_.size(), out.size() - first});
  tokens_.insert(tokens_.end(), out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
}

void Merger::merge(std::string_view text, std::vector<TokenId>& out) {
  if (text.empty()) return;
  take_characters(text);
  for (std::int32_t i = 0; i >= 0; i = at(i).after) offer(i);
  for (std::uint64_t key = 0; queue_.pop(key);) {
    pace_.step();
    const auto left = static_cast<std::int32_t>(key & UINT32_MAX);
    // A key is out of date where the pair at its position has changed since: the new pair was queued with a rank of its own.
    if (at(left).symbol >= 0 && at(left).rank == key >> 32) join(left);
  }
  for (std::int32_t i = 0; i >= 0; i = at(i).after) {
    pace_.step();
    emit(at(i).symbol, out);
  }
}

void Merger::take_characters(std::string_view text) {
  pieces_.clear();
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t bytes = std::min(utf8_length(static_cast<std::uint8_t>(text[from])), text.size() - from);
    const auto index = static_cast<std::int32_t>(pieces_.size());
    pieces_.push_back({symbol_of(text.substr(from, bytes)), index - 1, index + 1, never, -1});
    from += bytes;
    pace_.step();
  }
  pieces_.back().after = -1;
}

std::int32_t Merger::symbol_of(std::string_view character) {
  const auto lead = static_cast<std::uint8_t>(character.front());
  if (lead < ascii_.size()) {
    std::int32_t& known = ascii_[lead];
    if (known < 0) known = add_symbol(character);
    return known;
  }
  // Broken characters may hold zero bytes, so the length is a part of the key.
  std::uint64_t key = character.size();
  for (const char byte : character) key = key << 8 | static_cast<std::uint8_t>(byte);
  const auto [place, is_new] = characters_.try_emplace(key, 0);
  if (is_new) place->second = add_symbol(character);
  return place->second;
}

std::int32_t Merger::add_symbol(std::string_view text) {
  symbols_.push_back({std::string(text)});
  hashes_.push_back(PairFilter::hash(text));
  return static_cast<std::int32_t>(symbols_.size() - 1);
}

PairMemory::Merge Merger::merge_of(std::int32_t left, std::int32_t right) {
  const auto first = static_cast<std::size_t>(left);
  const auto second = static_cast<std::size_t>(right);
  if (filter_ != nullptr && !filter_->may_hold(hashes_[first], hashes_[second])) return {never, -1};
  const std::uint64_t key = pair_key(left, right);
  if (const PairMemory::Merge* known = pairs_.find(key)) return *known;
  const std::string& left_text = symbols_[first].text;
  const std::string whole = left_text + symbols_[second].text;
  const std::optional<std::uint32_t> rank = rules_.rank(whole, left_text.size());
  const PairMemory::Merge merge = rank ? PairMemory::Merge{*rank, add_symbol(whole)} : PairMemory::Merge{never, -1};
  pairs_.put(key, merge);
  return merge;
}

void Merger::offer(std::int32_t left) {
  pace_.step();
  Piece& piece = at(left);
  const PairMemory::Merge merge = piece.after < 0 ? PairMemory::Merge{never, -1} : merge_of(piece.symbol, at(piece.after).symbol);
  piece.rank = merge.rank;
  piece.whole = merge.whole;
  if (piece.rank != never) queue_.push(static_cast<std::uint64_t>(piece.rank) << 32 | static_cast<std::uint32_t>(left));
}

void Merger::join(std::int32_t left) {
  Piece& piece = at(left);
  Piece& right = at(piece.after);
  piece.symbol = piece.whole;
  right.symbol = -1;
  piece.after = right.after;
  if (piece.after >= 0) at(piece.after).before = left;
  offer(left);
  if (piece.before >= 0) offer(piece.before);
}

void Merger::emit(std::int32_t symbol, std::vector<TokenId>& out) {
  Symbol& made = symbols_[static_cast<std::size_t>(symbol)];
  if (made.first_token < 0) {
    made.first_token = static_cast<std::int64_t>(tokens_.size());
    rules_.emit(made.text, tokens_);
    made.token_count = tokens_.size() - static_cast<std::size_t>(made.first_token);
  }
  const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(made.first_token);
  out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(made.token_count));
}

}  // namespace lectern::llm
