// Things on a page by the height at which they stand: what may be beside one is found without looking at all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lectern::vision {

/// Numbered things at (x, y). They must be added by x, ascending, so that each shelf is sorted by it.
class Shelves {
 public:
  /// Nothing on a page is more than `height` pixels below its top; what is above or below goes to the outermost shelves.
  explicit Shelves(int height) : rows_(static_cast<std::size_t>(std::max(0, height) / pitch + 1)) {}

  void add(std::size_t item, double x, double y) { rows_[row_of(y)].push_back({x, item}); }

  /// Calls `look` with what stands between `left` and `right`, `top` and `bottom`, ends included, and with a little more above and below.
  template <class Look>
  void each(double left, double right, double top, double bottom, Look&& look) const {
    for (std::size_t row = row_of(top); row <= row_of(bottom); ++row) {
      const auto& shelf = rows_[row];
      auto place = std::lower_bound(shelf.begin(), shelf.end(), left, [](const Place& one, double x) { return one.x < x; });
      for (; place != shelf.end() && place->x <= right; ++place) look(place->item);
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
