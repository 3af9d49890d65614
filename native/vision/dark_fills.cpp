// Classifies cells of the page as dark or not, closes the gaps that light letters make, and removes small groups, which are letters themselves.
#include "vision/dark_fills.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lectern::vision {
namespace {

// A cell is a twelfth of an inch: half the height of a line of 10 points.
constexpr int cells_an_inch = 12;
// Per hundred pixels. Bold white letters cover half of the fill between their tops and bottoms.
constexpr int least_dark = 45;
// In cells: the area and the sides of the smallest fill. Black letters of up to a sixth of an inch are thinner.
constexpr std::size_t least_cells = 12;
constexpr int least_width = 4;
constexpr int least_height = 2;
// In cells: light letters between two dark cells make a gap of at most this width.
constexpr int widest_break = 2;

/// The dark cells of a page: (rows, columns).
struct Cells {
  int columns;
  int rows;
  std::vector<std::uint8_t> dark;

  std::uint8_t& at(int column, int row) { return dark[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)]; }
  bool is_dark(int column, int row) const {
    return column >= 0 && row >= 0 && column < columns && row < rows && dark[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)] != 0;
  }
};

int level_of(const Gray& page) {
  std::array<std::size_t, 256> counts{};
  for (const std::uint8_t pixel : page.pixels) ++counts[pixel];
  std::size_t left = page.pixels.size() / 10;
  int value = 255;
  while (value > 0 && counts[static_cast<std::size_t>(value)] <= left) left -= counts[static_cast<std::size_t>(value--)];
  return value / 2;
}

Cells cells_of(const Gray& page, int side) {
  const int level = level_of(page);
  Cells cells{(page.width + side - 1) / side, (page.height + side - 1) / side, {}};
  cells.dark.assign(static_cast<std::size_t>(cells.columns) * static_cast<std::size_t>(cells.rows), 0);
  std::vector<int> counts(static_cast<std::size_t>(cells.columns));
  for (int row = 0; row < cells.rows; ++row) {
    std::fill(counts.begin(), counts.end(), 0);
    const int bottom = std::min(page.height, (row + 1) * side);
    for (int y = row * side; y < bottom; ++y) {
      const std::uint8_t* pixels = page.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(page.width);
      for (int x = 0; x < page.width; ++x) counts[static_cast<std::size_t>(x / side)] += pixels[x] < level ? 1 : 0;
    }
    for (int column = 0; column < cells.columns; ++column) {
      const int area = (bottom - row * side) * (std::min(page.width, (column + 1) * side) - column * side);
      cells.at(column, row) = 100 * std::int64_t{counts[static_cast<std::size_t>(column)]} >= std::int64_t{least_dark} * area ? 1 : 0;
    }
  }
  return cells;
}

/// Keeps groups of dark cells that touch by their sides if they are large. Small groups are letters and lines.
void drop_small(Cells& cells) {
  std::vector<std::uint8_t> seen(cells.dark.size(), 0);
  for (int row = 0; row < cells.rows; ++row) {
    for (int column = 0; column < cells.columns; ++column) {
      const auto index = [&](int x, int y) { return static_cast<std::size_t>(y) * static_cast<std::size_t>(cells.columns) + static_cast<std::size_t>(x); };
      if (!cells.is_dark(column, row) || seen[index(column, row)] != 0) continue;
      std::vector<std::array<int, 2>> ground{{column, row}};
      seen[index(column, row)] = 1;
      int left = column, right = column, bottom = row;
      for (std::size_t next = 0; next < ground.size(); ++next) {
        const auto [x, y] = ground[next];
        left = std::min(left, x);
        right = std::max(right, x);
        bottom = std::max(bottom, y);
        for (const auto& [across, down] : std::array<std::array<int, 2>, 4>{{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}}) {
          if (!cells.is_dark(x + across, y + down) || seen[index(x + across, y + down)] != 0) continue;
          seen[index(x + across, y + down)] = 1;
          ground.push_back({x + across, y + down});
        }
      }
      if (ground.size() >= least_cells && right - left + 1 >= least_width && bottom - row + 1 >= least_height) continue;
      for (const auto& [x, y] : ground) cells.at(x, y) = 0;
    }
  }
}

bool is_between(const Cells& cells, int column, int row, int across, int down) {
  bool before = false, behind = false;
  for (int step = 1; step <= widest_break; ++step) {
    before = before || cells.is_dark(column - step * across, row - step * down);
    behind = behind || cells.is_dark(column + step * across, row + step * down);
  }
  return before && behind;
}

Cells closed(const Cells& cells) {
  Cells filled = cells;
  for (int row = 0; row < cells.rows; ++row) {
    for (int column = 0; column < cells.columns; ++column) {
      if (is_between(cells, column, row, 1, 0) || is_between(cells, column, row, 0, 1)) filled.at(column, row) = 1;
    }
  }
  return filled;
}

}  // namespace

std::optional<Gray> invert_dark_fills(const Gray& page, int dpi) {
  const int side = std::max(4, dpi / cells_an_inch);
  Cells cells = cells_of(page, side);
  drop_small(cells);
  if (std::none_of(cells.dark.begin(), cells.dark.end(), [](std::uint8_t dark) { return dark != 0; })) return std::nullopt;
  cells = closed(cells);
  Gray turned{page.width, page.height, std::vector<std::uint8_t>(page.pixels.size(), 255)};
  for (int y = 0; y < page.height; ++y) {
    const std::size_t begin = static_cast<std::size_t>(y) * static_cast<std::size_t>(page.width);
    for (int x = 0; x < page.width; ++x) {
      const std::size_t at = begin + static_cast<std::size_t>(x);
      if (cells.is_dark(x / side, y / side)) turned.pixels[at] = static_cast<std::uint8_t>(255 - page.pixels[at]);
    }
  }
  return turned;
}

}  // namespace lectern::vision
