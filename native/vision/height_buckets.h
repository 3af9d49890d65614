// An index of items on a page by their height, which finds the neighbours of an item without visiting all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lectern::vision {

/// Numbered items at (x, y). The caller adds them in ascending order of x, so that each bucket is sorted by x.
class HeightBuckets {
 public:
  /// The page is `height` pixels high; items above or below it go to the outermost buckets.
  explicit HeightBuckets(int height) : rows_(static_cast<std::size_t>(std::max(0, height) / pitch + 1)) {}

  void add(std::size_t item, double x, double y) { rows_[row_of(y)].push_back({x, item}); }

  /// Calls `visit` for the items between `left` and `right`, `top` and `bottom`, ends included. It may also visit items a little above and below.
  template <class Visit>
  void each(double left, double right, double top, double bottom, Visit&& visit) const {
    for (std::size_t row = row_of(top); row <= row_of(bottom); ++row) {
      const auto& bucket = rows_[row];
      auto place = std::lower_bound(bucket.begin(), bucket.end(), left, [](const Place& one, double x) { return one.x < x; });
      for (; place != bucket.end() && place->x <= right; ++place) visit(place->item);
    }
  }

 private:
  struct Place {
    double x;
    std::size_t item;
  };

  static constexpr int pitch = 16;

  std::size_t row_of(double y) const { return static_cast<std::size_t>(std::clamp(y / pitch, 0.0, static_cast<double>(rows_.size() - 1))); }

  std::vector<std::vector<Place>> rows_;
};

}  // namespace lectern::vision
