// The page in cells of a point: text on light grounds is closed, on dark grounds filled in, and rows of cells that are darker than paper become rectangles.
#include "vision/shades.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numeric>

namespace lectern::vision {
namespace {

constexpr int cells_an_inch = 72;
/// Darker than paper by so many grey levels: stripes are often no darker than by ten, and the mean of a cell's pixels is sure to two or three.
constexpr int least_contrast = 6;
/// Below half of the paper's light a ground is dark, and what stands on it is light.
constexpr double dark_share = 0.5;
/// Cells around that must be light for a cell to be: strokes of up to twice as many and one are closed.
constexpr int stroke_reach = 3;
/// Letters on a dark ground leave half of it dark, black ones make less so, of a square a little higher than a line.
constexpr double least_dark = 0.5;
constexpr int dark_reach = 7;
/// Cells that strokes of light letters make light between two dark ones.
constexpr int widest_stroke = 6;
/// Inches.
constexpr double least_width = 0.5;
constexpr double least_height = 0.125;
/// Cells: how far an edge may be off from row to row and from its first, and what gap in a row is noise.
constexpr int most_drift = 2;
constexpr int widest_gap = 2;
/// By so many cells an edge that stands out at a stroke differs from the row beyond: curves change less.
constexpr int least_step = 10;
/// Of a side, what must be set off.
constexpr double least_side = 0.6;
/// Grey levels by which its cells may differ from their mean, on average.
constexpr double most_uneven = 5;

/// A value for each cell: (rows, columns).
struct Cells {
  int columns;
  int rows;
  std::vector<std::uint8_t> values;

  std::uint8_t at(int column, int row) const { return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)]; }
};

Cells means_of(const GreyImage& image, int side, const Cancel& cancel) {
  Cells cells{image.width / side, image.height / side, {}};
  cells.values.reserve(static_cast<std::size_t>(cells.columns) * static_cast<std::size_t>(cells.rows));
  std::vector<int> sums(static_cast<std::size_t>(cells.columns) * static_cast<std::size_t>(side));
  for (int row = 0; row < cells.rows; ++row) {
    if (row % 32 == 0) cancel.check();
    // Down the columns first: many at once.
    std::fill(sums.begin(), sums.end(), 0);
    for (int y = row * side; y < (row + 1) * side; ++y) {
      const std::uint8_t* pixels = image.pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width);
      for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += pixels[x];
    }
    for (auto sum = sums.cbegin(); sum != sums.cend(); sum += side) cells.values.push_back(static_cast<std::uint8_t>(std::accumulate(sum, sum + side, 0) / (side * side)));
  }
  return cells;
}

/// Each cell becomes `pick` of those within `reach` to both sides, along the rows and then along the columns. `pick` of a value and itself is that value.
template <class Pick>
Cells spread(const Cells& cells, int reach, Pick pick) {
  Cells across = cells;
  const auto width = static_cast<std::size_t>(cells.columns);
  // Whole rows at once, moved by one cell after the other: a processor picks many values in one step.
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

/// The ground below dark strokes.
Cells grounds_of(const Cells& means) {
  return spread(spread(means, stroke_reach, lighter), stroke_reach, darker);
}

/// The most frequent grey.
int paper_of(const Cells& grounds) {
  std::array<int, 256> counts{};
  for (const std::uint8_t value : grounds.values) ++counts[value];
  // Paper is the lighter of two greys about as frequent.
  int paper = 255;
  for (int value = 255; value >= 0; --value) {
    if (counts[static_cast<std::size_t>(value)] > counts[static_cast<std::size_t>(paper)]) paper = value;
  }
  return paper;
}

/// 1 for cells of which at least `least` of the square within `reach` has a 1, as much of it as is on the page.
Cells where_many(const Cells& cells, int reach, double least) {
  Cells many{cells.columns, cells.rows, std::vector<std::uint8_t>(cells.values.size(), 0)};
  const auto width = static_cast<std::size_t>(cells.columns);
  std::vector<int> down(width, 0);  // sums of the rows of the square
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

/// 1 for cells of a ground on which light letters may stand: dark ones where much around is dark, and what is light between two of them.
std::vector<std::uint8_t> dark_cells(const Cells& means, int paper) {
  const auto index = [&](int column, int row) { return static_cast<std::size_t>(row) * static_cast<std::size_t>(means.columns) + static_cast<std::size_t>(column); };
  Cells is_dark = means;
  for (std::uint8_t& value : is_dark.values) value = value < dark_share * paper ? 1 : 0;
  const Cells grounds = spread(where_many(is_dark, dark_reach, least_dark), dark_reach, lighter);
  std::vector<std::uint8_t> dark(means.values.size(), 0);
  for (std::size_t i = 0; i < dark.size(); ++i) dark[i] = is_dark.values[i] & grounds.values[i];
  std::vector<std::uint8_t> filled = dark;
  // The last dark cell of the row, and of each column.
  std::vector<int> lowest(static_cast<std::size_t>(means.columns), -1);
  for (int row = 0; row < means.rows; ++row) {
    int rightmost = -1;
    for (int column = 0; column < means.columns; ++column) {
      if (dark[index(column, row)] == 0) continue;
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

struct Extent {
  int left;
  int right;
};

struct Rectangle {
  int left, top, right, bottom;  // cells
};

std::vector<Extent> extents_of(const std::vector<std::uint8_t>& mask, int columns, int row, int least) {
  std::vector<Extent> extents;
  const std::uint8_t* cells = mask.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(columns);
  for (int x = 0; x < columns;) {
    x = static_cast<int>(std::find(cells + x, cells + columns, std::uint8_t{1}) - cells);
    if (x == columns) break;
    Extent extent{x, x + 1};
    for (int next = x + 1; next < columns && next - extent.right <= widest_gap; ++next) {
      if (cells[next] != 0) extent.right = next + 1;
    }
    if (extent.right - extent.left >= least) extents.push_back(extent);
    x = extent.right + widest_gap;
  }
  return extents;
}

bool is_near(const Extent& a, const Extent& b, int most) { return std::abs(a.left - b.left) <= most && std::abs(a.right - b.right) <= most; }

/// Whether a rectangle whose last row is `edge` ends in a stroke and not in a curve: no row like it goes on beyond.
bool ends_sharply(const Extent& edge, const std::vector<Extent>& beyond) {
  return std::none_of(beyond.begin(), beyond.end(), [&](const Extent& other) { return is_near(edge, other, least_step); });
}

/// Rows of cells that begin and end where the row above does.
std::vector<Rectangle> rectangles_of(const std::vector<std::uint8_t>& mask, int columns, int rows, int least_columns, int least_rows) {
  struct Open {
    Extent first, last;
    int top;
    bool sharp;  // its upper edge
  };
  std::vector<Rectangle> found;
  std::vector<Open> open;
  std::vector<Extent> above;
  for (int row = 0; row <= rows; ++row) {
    const std::vector<Extent> extents = row < rows ? extents_of(mask, columns, row, least_columns) : std::vector<Extent>{};
    std::vector<Open> next;
    std::vector<bool> taken(extents.size(), false);
    for (const Open& one : open) {
      std::size_t follows = extents.size();
      for (std::size_t i = 0; i < extents.size(); ++i) {
        if (!taken[i] && is_near(one.last, extents[i], 1) && is_near(one.first, extents[i], most_drift + (row - one.top) / 100)) follows = i;
      }
      if (follows < extents.size()) {
        taken[follows] = true;
        next.push_back({one.first, extents[follows], one.top, one.sharp});
      } else if (row - one.top >= least_rows && one.sharp && ends_sharply(one.last, extents)) {
        found.push_back({(one.first.left + one.last.left) / 2, one.top, (one.first.right + one.last.right + 1) / 2, row});
      }
    }
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (!taken[i]) next.push_back({extents[i], extents[i], row, ends_sharply(extents[i], above)});
    }
    above = extents;
    open = std::move(next);
  }
  return found;
}

/// Mean of `cells` in the rectangle, and how far they are from it on average.
std::array<double, 2> evenness(const Cells& cells, const Rectangle& box) {
  double sum = 0, off = 0;
  const double count = (box.right - box.left) * (box.bottom - box.top);
  for (int row = box.top; row < box.bottom; ++row) {
    for (int column = box.left; column < box.right; ++column) sum += cells.at(column, row);
  }
  const double mean = sum / count;
  for (int row = box.top; row < box.bottom; ++row) {
    for (int column = box.left; column < box.right; ++column) off += std::abs(cells.at(column, row) - mean);
  }
  return {mean, off / count};
}

/// Whether both upright sides are set off from what is two cells beyond them: a page's shadow is not.
bool stands_out(const Cells& grounds, const Rectangle& box, double mean) {
  const auto side = [&](int column) {
    if (column < 0 || column >= grounds.columns) return true;
    int set_off = 0;
    for (int row = box.top; row < box.bottom; ++row) set_off += std::abs(grounds.at(column, row) - mean) >= 0.6 * least_contrast ? 1 : 0;
    return set_off >= least_side * (box.bottom - box.top);
  };
  return side(box.left - 3) && side(box.right + 2);
}

}  // namespace

std::vector<Shade> find_shades(const GreyImage& image, int dpi, const Cancel& cancel) {
  const int side = std::max(1, static_cast<int>(std::lround(static_cast<double>(dpi) / cells_an_inch)));
  const Cells means = means_of(image, side, cancel);
  if (means.columns < 1 || means.rows < 1) return {};
  const Cells grounds = grounds_of(means);
  cancel.check();
  const int paper = paper_of(grounds);
  const std::vector<std::uint8_t> dark = dark_cells(means, paper);
  std::vector<std::uint8_t> light(grounds.values.size());
  for (std::size_t i = 0; i < light.size(); ++i) light[i] = dark[i] == 0 && grounds.values[i] <= paper - least_contrast ? 1 : 0;
  const auto cells = [&](double inches) { return std::max(1, static_cast<int>(inches * dpi / side)); };
  std::vector<Shade> shades;
  const auto add = [&](const Rectangle& box, double grey) {
    const auto pixels = [&](int cell) { return static_cast<float>(cell * side); };
    shades.push_back({pixels(box.left), pixels(box.top), pixels(box.right), pixels(box.bottom), static_cast<std::uint8_t>(std::lround(grey))});
  };
  for (const Rectangle& box : rectangles_of(light, means.columns, means.rows, cells(least_width), cells(least_height))) {
    const auto [mean, uneven] = evenness(grounds, box);
    if (uneven <= most_uneven && stands_out(grounds, box, mean)) add(box, mean);
  }
  for (const Rectangle& box : rectangles_of(dark, means.columns, means.rows, cells(least_width), cells(least_height))) {
    // Of a dark ground the lighter half may be letters.
    std::vector<std::uint8_t> greys;
    for (int row = box.top; row < box.bottom; ++row) {
      for (int column = box.left; column < box.right; ++column) greys.push_back(means.at(column, row));
    }
    const auto quarter = greys.begin() + static_cast<std::ptrdiff_t>(greys.size() / 4);
    std::nth_element(greys.begin(), quarter, greys.end());
    add(box, *quarter);
  }
  return shades;
}

}  // namespace lectern::vision
