// Lists of frames by number: equal lists have the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace lectern::llm {

/// A state of a rule, and the number of the list of those to go on from when the rule ends.
struct Frame {
  std::int32_t state;
  std::int32_t below;

  bool operator==(const Frame&) const = default;
  bool operator<(const Frame& other) const { return below != other.below ? below < other.below : state < other.state; }
};

class FrameTable {
 public:
  FrameTable() : slots_(64, none) {}

  std::int32_t size() const { return static_cast<std::int32_t>(begins_.size()) - 1; }
  std::size_t frames() const { return frames_.size(); }

  /// Valid until the next add().
  std::span<const Frame> operator[](std::int32_t number) const {
    const auto i = static_cast<std::size_t>(number);
    return {frames_.data() + begins_[i], frames_.data() + begins_[i + 1]};
  }

  /// `list` is sorted, and no part of this table.
  std::int32_t add(std::span<const Frame> list) {
    if (2 * static_cast<std::size_t>(size()) >= slots_.size()) grow();
    const std::uint64_t hash = hash_of(list);
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != none; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::int32_t number = slots_[slot];
      if (hashes_[static_cast<std::size_t>(number)] == hash && std::ranges::equal((*this)[number], list)) return number;
    }
    slots_[slot] = size();
    hashes_.push_back(hash);
    frames_.insert(frames_.end(), list.begin(), list.end());
    begins_.push_back(frames_.size());
    return slots_[slot];
  }

 private:
  static constexpr std::int32_t none = -1;

  static std::uint64_t hash_of(std::span<const Frame> list) {
    // Multiply and fold: the low bits must depend on every bit of every frame.
    std::uint64_t hash = list.size() + 1;
    for (const Frame& frame : list) {
      hash ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(frame.state)) << 32 | static_cast<std::uint32_t>(frame.below);
      hash *= 0x9E3779B97F4A7C15;
      hash ^= hash >> 29;
    }
    return hash;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), none);
    for (std::int32_t number = 0; number < size(); number++) {
      std::size_t slot = hashes_[static_cast<std::size_t>(number)] & (slots_.size() - 1);
      while (slots_[slot] != none) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = number;
    }
  }

  std::vector<std::size_t> begins_{0};
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::int32_t> slots_;
};

}  // namespace lectern::llm
