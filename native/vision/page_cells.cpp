// Processes whole rows of cells, so that a vector instruction handles many cells.
#include "vision/page_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace lectern::vision {
namespace {

constexpr int cells_an_inch = 72;
/// Larger pages have larger cells, because derived arrays take several bytes for each cell.
constexpr std::int64_t most_cells = 4'000'000;
/// The reach in cells of the filters that close dark strokes: they close strokes of up to twice this and one more.
constexpr int stroke_reach = 3;
/// The share of dark cells in a square a little higher than a line: light letters on a dark fill leave half of it dark, black letters make less.
constexpr double least_dark = 0.5;
constexpr int dark_reach = 7;
/// The most cells between two dark ones that a stroke of light letters covers.
constexpr int widest_stroke = 6;

/// Combines each cell with those within `reach` on both sides by `pick`, along the rows and then along the columns. `pick` of a value and itself is that value.
template <class Pick>
Cells spread(const Cells& cells, int reach, Pick pick) {
  Cells across = cells;
  const auto width = static_cast<std::size_t>(cells.columns);
  // Combines whole rows, each shifted by one cell, so that vector instructions apply.
  const auto pick_row = [&](std::uint8_t* into, const std::uint8_t* from, std::size_t count) {
    for (std::size_t x = 0; x < count; ++x) into[x] = pick(into[x], from[x]);
  };
  for (std::size_t row = 0; row < static_cast<std::size_t>(cells.rows); ++row) {
    std::uint8_t* into = across.values.data() + row * width;
    const std::uint8_t* from = cells.values.data() + row * width;
    for (std::size_t off = 1; off <= static_cast<std::size_t>(reach) && off < width; ++off) pick_row(into, from + off, width - off), pick_row(into + off, from, width - off);
  }
  Cells both = across;
  for (int row = 0; row < cells.rows; ++row) {
    for (int y = std::max(0, row - reach); y <= std::min(cells.rows - 1, row + reach); ++y) {
      pick_row(both.values.data() + static_cast<std::size_t>(row) * width, across.values.data() + static_cast<std::size_t>(y) * width, width);
    }
  }
  return both;
}

constexpr auto lighter = [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); };
constexpr auto darker = [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); };

/// 1 for cells around which at least `least` of the square within `reach` is 1; only the part on the page counts.
Cells where_many(const Cells& cells, int reach, double least) {
  Cells many{cells.columns, cells.rows, cells.side, std::vector<std::uint8_t>(cells.values.size(), 0)};
  const auto width = static_cast<std::size_t>(cells.columns);
  std::vector<int> down(width, 0);  // sums over the rows of the square
  const auto count_row = [&](int row, int sign) {
    if (row < 0 || row >= cells.rows) return;
    const std::uint8_t* values = cells.values.data() + static_cast<std::size_t>(row) * width;
    for (std::size_t x = 0; x < width; ++x) down[x] += sign * values[x];
  };
  for (int row = 0; row < reach; ++row) count_row(row, 1);
  for (int row = 0; row < cells.rows; ++row) {
    count_row(row + reach, 1), count_row(row - reach - 1, -1);
    const int height = std::min(cells.rows, row + reach + 1) - std::max(0, row - reach);
    int sum = std::accumulate(down.cbegin(), down.cbegin() + std::min(cells.columns, reach), 0);
    std::uint8_t* into = many.values.data() + static_cast<std::size_t>(row) * width;
    for (int column = 0; column < cells.columns; ++column) {
      if (column + reach < cells.columns) sum += down[static_cast<std::size_t>(column + reach)];
      if (column > reach) sum -= down[static_cast<std::size_t>(column - reach - 1)];
      const int across = std::min(cells.columns, column + reach + 1) - std::max(0, column - reach);
      into[column] = sum >= least * (across * height) ? 1 : 0;
    }
  }
  return many;
}

/// Fills the gaps of `mask` that are no wider than a light stroke, between two cells of a row or of a column.
CellMask close_gaps(const CellMask& mask, int columns, int rows) {
  const auto index = [&](int column, int row) { return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column); };
  CellMask filled = mask;
  std::vector<int> lowest(static_cast<std::size_t>(columns), -1);  // the last cell of each column so far
  for (int row = 0; row < rows; ++row) {
    int rightmost = -1;
    for (int column = 0; column < columns; ++column) {
      if (mask[index(column, row)] == 0) continue;
      int& above = lowest[static_cast<std::size_t>(column)];
      if (rightmost >= 0 && column - rightmost <= widest_stroke + 1) {
        for (int x = rightmost + 1; x < column; ++x) filled[index(x, row)] = 1;
      }
      if (above >= 0 && row - above <= widest_stroke + 1) {
        for (int y = above + 1; y < row; ++y) filled[index(column, y)] = 1;
      }
      rightmost = column;
      above = row;
    }
  }
  return filled;
}

}  // namespace

Cells cells_of(const GreyImage& image, int dpi, const Cancel& cancel) {
  int side = std::max(1, static_cast<int>(std::lround(static_cast<double>(dpi) / cells_an_inch)));
  while (std::int64_t{image.width / side} * (image.height / side) > most_cells) ++side;
  Cells cells{image.width / side, image.height / side, side, {}};
  cells.values.reserve(static_cast<std::size_t>(cells.columns) * static_cast<std::size_t>(cells.rows));
  std::vector<int> sums(static_cast<std::size_t>(cells.columns) * static_cast<std::size_t>(side));
  for (int row = 0; row < cells.rows; ++row) {
    if (row % 32 == 0) cancel.check();
    // Sums down the columns first, which vectorises.
    std::fill(sums.begin(), sums.end(), 0);
    for (int y = row * side; y < (row + 1) * side; ++y) {
      const std::uint8_t* pixels = image.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width);
      for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += pixels[x];
    }
    for (auto sum = sums.cbegin(); sum != sums.cend(); sum += side) cells.values.push_back(static_cast<std::uint8_t>(std::accumulate(sum, sum + side, 0) / (side * side)));
  }
  return cells;
}

Cells grounds_of(const Cells& cells) {
  return spread(spread(cells, stroke_reach, lighter), stroke_reach, darker);
}

int paper_of(const Cells& grounds) {
  std::array<int, 256> counts{};
  for (const std::uint8_t value : grounds.values) ++counts[value];
  int paper = 255;
  for (int value = 255; value >= 0; --value) {
    if (counts[static_cast<std::size_t>(value)] > counts[static_cast<std::size_t>(paper)]) paper = value;
  }
  return paper;
}

DarkCells dark_cells(const Cells& cells, double below) {
  Cells is_dark = cells;
  for (std::uint8_t& value : is_dark.values) value = value < below ? 1 : 0;
  const Cells grounds = spread(where_many(is_dark, dark_reach, least_dark), dark_reach, lighter);
  CellMask dark(cells.values.size(), 0);
  for (std::size_t i = 0; i < dark.size(); ++i) dark[i] = is_dark.values[i] & grounds.values[i];
  CellMask filled = close_gaps(dark, cells.columns, cells.rows);
  // Where two strokes of a letter meet, the gap is wide along both axes. It becomes narrow once the strokes are filled.
  return {std::move(dark), close_gaps(filled, cells.columns, cells.rows)};
}

}  // namespace lectern::vision
