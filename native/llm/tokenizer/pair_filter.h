// A Bloom filter of the pairs that may merge: most others are excluded without a look-up in the table.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace lectern::llm {

/// A set of pairs of texts, kept as one bit for a hash of both: it may take a pair for one of its own, and never misses one.
class PairFilter {
 public:
  /// Room for `pairs` at one false positive in sixteen at most.
  explicit PairFilter(std::size_t pairs) : words_(std::bit_ceil(std::max<std::size_t>(pairs * 16, 64)) / 64) {}

  static std::uint64_t hash(std::string_view text) { return std::hash<std::string_view>()(text); }
  void add(std::uint64_t left_hash, std::uint64_t right_hash) {
    const std::uint64_t place = place_of(left_hash, right_hash);
    words_[place / 64] |= std::uint64_t{1} << place % 64;
  }
  bool may_hold(std::uint64_t left_hash, std::uint64_t right_hash) const {
    const std::uint64_t place = place_of(left_hash, right_hash);
    return (words_[place / 64] >> place % 64 & 1) != 0;
  }

 private:
  std::uint64_t place_of(std::uint64_t left_hash, std::uint64_t right_hash) const {
    // Unlike factors, so that the halves may not change places.
    return (left_hash * 0x9E3779B97F4A7C15U + right_hash * 0xC2B2AE3D27D4EB4FU) >> 32 & (words_.size() * 64 - 1);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace lectern::llm
