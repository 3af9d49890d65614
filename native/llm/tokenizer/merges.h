// Merging neighbours, best pair first: the loop that SentencePiece-BPE and byte-level BPE share.
#pragma once

#include <cstdint>
#include <queue>
#include <string_view>
#include <vector>

namespace lectern::llm {

/// A stretch of the text; neighbours are linked so that a merge costs no move.
struct Piece {
  std::string_view text;
  std::int32_t before;
  std::int32_t after;
};

/// What a pair of neighbours is worth: greater merges earlier, equal ones from left to right.
struct Offer {
  double worth;
  std::int32_t left;
  std::int32_t right;
  std::uint32_t bytes;  // of both together: an offer whose pieces have grown since is void

  friend bool operator<(const Offer& a, const Offer& b) { return a.worth < b.worth || (a.worth == b.worth && a.left > b.left); }
};

/// Merges until no pair is worth anything. `worth_of(left, right, whole, worth)` answers whether a pair merges and sets its worth.
/// Pieces that were merged away have an empty text; the rest are linked from piece 0 on. Takes n log n steps.
template <class WorthOf>
void merge_pieces(std::vector<Piece>& pieces, const WorthOf& worth_of) {
  std::priority_queue<Offer> offers;
  const auto at = [&pieces](std::int32_t index) -> Piece& { return pieces[static_cast<std::size_t>(index)]; };
  const auto offer = [&](std::int32_t left, std::int32_t right) {
    if (left < 0 || right < 0) return;
    const std::string_view whole(at(left).text.data(), at(left).text.size() + at(right).text.size());
    double worth = 0;
    if (worth_of(at(left).text, at(right).text, whole, worth)) offers.push({worth, left, right, static_cast<std::uint32_t>(whole.size())});
  };
  for (std::size_t i = 1; i < pieces.size(); i++) offer(static_cast<std::int32_t>(i - 1), static_cast<std::int32_t>(i));
  while (!offers.empty()) {
    const Offer best = offers.top();
    offers.pop();
    Piece& left = at(best.left);
    Piece& right = at(best.right);
    if (left.text.empty() || right.text.empty() || left.text.size() + right.text.size() != best.bytes) continue;
    left.text = {left.text.data(), best.bytes};
    right.text = {};
    left.after = right.after;
    if (right.after >= 0) at(right.after).before = best.left;
    offer(left.before, best.left);
    offer(best.left, left.after);
  }
}

}  // namespace lectern::llm
