// The byte-pair merge loop, best pair first, which SentencePiece-BPE and byte-level BPE share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "llm/tokenizer/pace.h"
#include "llm/tokenizer/pair_filter.h"
#include "llm/tokenizer/merge_queue.h"
#include "llm/tokenizer/vocabulary.h"

namespace lectern::llm {

/// What sets one byte-pair vocabulary apart from another.
class MergeRules {
 public:
  virtual ~MergeRules() = default;
  /// A filter that excludes most of the pairs that never merge; null where every pair is looked up.
  virtual const PairFilter* filter() const { return nullptr; }
  /// The rank at which the pair that makes `whole` and meets after `left_bytes` of it merges: lower ranks first, equal ones from
  /// left to right. Nothing when it never does. Never 2^32 - 1.
  virtual std::optional<std::uint32_t> rank(std::string_view whole, std::size_t left_bytes) const = 0;
  /// Appends the tokens of a piece that is left when nothing merges any more.
  virtual void emit(std::string_view piece, std::vector<TokenId>& out) const = 0;
};

/// An open-addressed hash table from 64-bit keys to small values: the merge loop reads it at least once per character.
class PairMemory {
 public:
  struct Merge {
    std::uint32_t rank;
    std::int32_t whole;  // the symbol that the pair becomes
  };
  /// Null when the key was never put.
  const Merge* find(std::uint64_t key) const;
  void put(std::uint64_t key, Merge merge);

 private:
  struct Slot {
    std::uint64_t key;
    Merge merge;
  };
  std::size_t place_of(std::uint64_t key) const;

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// Merges the words of one text. What it learns of pairs and words it keeps for the next word, so a text that repeats itself, as
/// texts do, costs little; so it belongs to one call, and the words and the pace
/// must outlive it.
class Merger {
 public:
  Merger(const MergeRules& rules, Pace& pace) : rules_(rules), pace_(pace), filter_(rules.filter()), queue_(pace) { ascii_.fill(-1); }

  /// Appends the tokens of `word` from memory; false when it has not been met yet.
  bool recall(std::string_view word, std::vector<TokenId>& out) const;
  /// Remembers that `word` became what stands in `out` from `first` on.
  void remember(std::string_view word, const std::vector<TokenId>& out, std::size_t first);
  /// Appends the tokens of `text`, which begins as its characters do: of as many bytes as the first of each claims. n log n steps.
  void merge(std::string_view text, std::vector<TokenId>& out);

 private:
  /// A range of the text; neighbours are linked so that a merge costs no move.
  struct Piece {
    std::int32_t symbol;  // -1: merged away
    std::int32_t before;
    std::int32_t after;
    std::uint32_t rank;   // of the pair with the piece behind it
    std::int32_t whole;   // what that pair becomes
  };
  struct Symbol {
    std::string text;
    std::int64_t first_token = -1;  // in tokens_; -1: not emitted yet
    std::size_t token_count = 0;
  };
  struct Range {
    std::size_t first;
    std::size_t count;
  };

  Piece& at(std::int32_t index) { return pieces_[static_cast<std::size_t>(index)]; }
  void take_characters(std::string_view text);
  std::int32_t symbol_of(std::string_view character);
  std::int32_t add_symbol(std::string_view text);
  PairMemory::Merge merge_of(std::int32_t left, std::int32_t right);
  void offer(std::int32_t left);
  void join(std::int32_t left);
  void emit(std::int32_t symbol, std::vector<TokenId>& out);

  const MergeRules& rules_;
  Pace& pace_;
  const PairFilter* filter_;
  std::deque<Symbol> symbols_;
  std::vector<std::uint64_t> hashes_;  // of the symbols' texts
  std::array<std::int32_t, 128> ascii_;
  std::unordered_map<std::uint64_t, std::int32_t> characters_;
  PairMemory pairs_;
  std::vector<Piece> pieces_;
  MergeQueue queue_;
  std::vector<TokenId> tokens_;
  std::unordered_map<std::string_view, Range> words_;
};

}  // namespace lectern::llm
