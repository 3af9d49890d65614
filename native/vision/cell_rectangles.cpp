// Goes down row by row: an extent continues a rectangle if it begins and ends where the row above does.
#include "vision/cell_rectangles.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace lectern::vision {
namespace {

/// In cells: the distance of an edge from that of the row above and from the first one, and the widest gap in a row that is noise.
constexpr int most_drift = 2;
constexpr int widest_gap = 2;
/// In cells: at a straight edge the next row differs by at least this; curves change less.
constexpr int least_step = 10;
/// The number of rows after an edge that are compared with it.
constexpr int curve_rows = 3;

struct Extent {
  int left;
  int right;
  int grey;  // mean, in sixteenths
};

std::vector<Extent> extents_of(const CellMask& mask, const Cells& greys, int row, int least) {
  std::vector<Extent> extents;
  const int columns = greys.columns;
  const std::uint8_t* cells = mask.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  for (int x = 0; x < columns;) {
    x = static_cast<int>(std::find(cells + x, cells + columns, std::uint8_t{1}) - cells);
    if (x == columns) break;
    Extent extent{x, x + 1, 0};
    for (int next = x + 1; next < columns && next - extent.right <= widest_gap; ++next) {
      if (cells[next] != 0) extent.right = next + 1;
    }
    if (const int count = extent.right - extent.left; count >= least) {
      for (int column = extent.left; column < extent.right; ++column) extent.grey += greys.at(column, row);
      extent.grey = 16 * extent.grey / count;
      extents.push_back(extent);
    }
    x = extent.right + widest_gap;
  }
  return extents;
}

bool is_near(const Extent& a, const Extent& b, int most) { return std::abs(a.left - b.left) <= most && std::abs(a.right - b.right) <= most; }

/// Whether the greys differ as those of two fills.
bool is_step(const Extent& a, const Extent& b) { return std::abs(a.grey - b.grey) >= 16 * ground_contrast; }

using Rows = std::vector<std::vector<Extent>>;

/// Whether a rectangle whose last row is `edge` ends in a straight edge and not in a curve: of the next rows, from `row` on in steps of `step`, at least one differs from it. The first may be equal, because
/// an edge can cut cells, which are then partly fill and partly paper.
bool ends_sharply(const Extent& edge, const Rows& rows, int row, int step) {
  for (int i = 0; i < curve_rows; ++i, row += step) {
    if (row < 0 || row >= static_cast<int>(rows.size())) return true;
    const std::vector<Extent>& beyond = rows[static_cast<std::size_t>(row)];
    if (std::none_of(beyond.begin(), beyond.end(), [&](const Extent& other) { return is_near(edge, other, least_step) && !is_step(edge, other); })) return true;
  }
  return false;
}

}  // namespace

bool meet(const Rectangle& a, const Rectangle& b) { return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; }

std::vector<Rectangle> rectangles_of(const CellMask& mask, const Cells& greys, bool one_grey, int least_columns, int least_rows) {
  struct Open {
    Extent first, before, last;
    int top;
  };
  Rows rows;
  for (int row = 0; row < greys.rows; ++row) {
    rows.push_back(extents_of(mask, greys, row, least_columns));
    // Letters make the rows of a fill lighter.
    if (!one_grey) for (Extent& extent : rows.back()) extent.grey = 0;
  }
  std::vector<Rectangle> found;
  std::vector<Open> open;
  for (int row = 0; row <= greys.rows; ++row) {
    const std::vector<Extent> extents = row < greys.rows ? rows[static_cast<std::size_t>(row)] : std::vector<Extent>{};
    std::vector<Open> next;
    std::vector<bool> taken(extents.size(), false);
    for (const Open& one : open) {
      std::size_t follows = extents.size();
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const bool goes_on = is_near(one.last, extents[i], 1) && is_near(one.first, extents[i], most_drift + (row - one.top) / 100);
        // Compare with the row before the last: one row may be half of this grey and half of the next.
        if (!taken[i] && goes_on && !is_step(one.before, extents[i])) follows = i;
      }
      if (follows < extents.size()) {
        taken[follows] = true;
        next.push_back({one.first, one.last, extents[follows], one.top});
      } else if (row - one.top >= least_rows && ends_sharply(one.first, rows, one.top - 1, -1) && ends_sharply({one.last.left, one.last.right, one.before.grey}, rows, row, 1)) {
        found.push_back({(one.first.left + one.last.left) / 2, one.top, (one.first.right + one.last.right + 1) / 2, row});
      }
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (!taken[i]) next.push_back({extents[i], extents[i], extents[i], row});
    }
    open = std::move(next);
  }
  return found;
}

std::vector<Rectangle> parts_of(const Cells& greys, const Rectangle& box, int least_columns) {
  std::vector<int> means;  // in sixteenths
  for (int column = box.left; column < box.right; ++column) {
    int sum = 0;
    for (int row = box.top; row < box.bottom; ++row) sum += greys.at(column, row);
    means.push_back(16 * sum / (box.bottom - box.top));
  }
  std::vector<Rectangle> parts;
  const auto add = [&](int left, int right) {
    if (right - left >= least_columns) parts.push_back({box.left + left, box.top, box.left + right, box.bottom});
  };
  int left = 0;
  const auto step_at = [&](std::size_t column) { return std::abs(means[column] - means[column - 2]); };
  for (std::size_t column = 2; column < means.size(); ++column) {
    // Cut at the steepest change.
    if (step_at(column) < 16 * ground_contrast || (column + 1 < means.size() && step_at(column + 1) >= step_at(column))) continue;
    const std::size_t cut = std::abs(means[column] - means[column - 1]) > std::abs(means[column - 1] - means[column - 2]) ? column : column - 1;
    add(left, static_cast<int>(cut));
    left = static_cast<int>(cut);
  }
  add(left, static_cast<int>(means.size()));
  return parts;
}

}  // namespace lectern::vision
