// Union-find: connected components of numbered items.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace lectern::vision {

/// Disjoint sets of 0..count-1 (union-find with path halving). One member of a set represents it.
class Components {
 public:
  explicit Components(std::size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), std::size_t{0}); }
  /// The representative of the set of `one`, valid until the next join.
  std::size_t find(std::size_t one) {
    while (parents_[one] != one) one = parents_[one] = parents_[parents_[one]];
    return one;
  }
  void join(std::size_t a, std::size_t b) { parents_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parents_;
};

}  // namespace lectern::vision
