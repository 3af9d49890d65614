// The page in cells of a point: text on light grounds is closed, on dark grounds filled in, and rows of cells that are darker than paper become rectangles.
#include "vision/shades.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace lectern::vision {
namespace {

constexpr int cells_an_inch = 72;
/// Of larger pages they are larger: their sums take sixteen bytes each.
constexpr std::int64_t most_cells = 4'000'000;
/// Darker than paper by so many grey levels: stripes are often no darker than by ten, and the mean of a cell's pixels is sure to two or three.
constexpr int least_contrast = 6;
/// Below half of the paper's light a ground is dark, and what stands on it is light. Below five sixths it may be: on the blue and the orange of an office's tables white letters stand.
constexpr double dark_share = 0.5;
constexpr double medium_share = 0.84;
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
/// So many rows beyond an edge tell whether it is one.
constexpr int curve_rows = 3;
/// Of a side, what must be set off, by how many grey levels, from which cell within.
constexpr double least_side = 0.6;
constexpr int least_set_off = 4;
constexpr int within_edge = 2;
/// Or where the ground goes on beyond it, so much together; also of a dark rectangle's edge, what must be dark.
constexpr double least_edge = 0.9;
/// A white rule between two grounds is no wider.
constexpr int cells_beyond = 3;
/// Grey levels by which its cells may differ from their mean, on average.
constexpr double most_uneven = 5;
/// Of a dark rectangle's cells, sorted from the darkest, those that are ground in any case, and the grey levels that they may be apart.
constexpr std::array<double, 2> ground_share{0.3, 0.55};
constexpr int most_uneven_dark = 8;

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

/// `mask` with what is no wider than a light stroke between two cells of a row or of a column.
std::vector<std::uint8_t> close_gaps(const std::vector<std::uint8_t>& mask, int columns, int rows) {
  const auto index = [&](int column, int row) { return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column); };
  std::vector<std::uint8_t> filled = mask;
  std::vector<int> lowest(static_cast<std::size_t>(columns), -1);  // of each column's cells so far
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

struct DarkCells {
  std::vector<std::uint8_t> dark;    // 1 where much around is dark as well
  std::vector<std::uint8_t> filled;  // and what is light between two of them
};

/// A ground on which light letters may stand.
DarkCells dark_cells(const Cells& means, double below) {
  Cells is_dark = means;
  for (std::uint8_t& value : is_dark.values) value = value < below ? 1 : 0;
  const Cells grounds = spread(where_many(is_dark, dark_reach, least_dark), dark_reach, lighter);
  std::vector<std::uint8_t> dark(means.values.size(), 0);
  for (std::size_t i = 0; i < dark.size(); ++i) dark[i] = is_dark.values[i] & grounds.values[i];
  std::vector<std::uint8_t> filled = close_gaps(dark, means.columns, means.rows);
  // Where two strokes of a letter meet it is light both along and down: that is narrow once the strokes are filled.
  return {std::move(dark), close_gaps(filled, means.columns, means.rows)};
}

struct Extent {
  int left;
  int right;
  int grey;  // its mean, in sixteenths
};

struct Rectangle {
  int left, top, right, bottom;  // cells
};

std::vector<Extent> extents_of(const std::vector<std::uint8_t>& mask, const Cells& greys, int row, int least) {
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

/// A ground of another grey begins.
bool is_step(const Extent& a, const Extent& b) { return std::abs(a.grey - b.grey) >= 16 * least_contrast; }

using Rows = std::vector<std::vector<Extent>>;

/// Whether a rectangle whose last row is `edge` ends in a stroke and not in a curve: the next rows from `row` on in steps of `step` are not all like it. The first may be:
/// an edge goes through cells, of which some are ground and some are paper.
bool ends_sharply(const Extent& edge, const Rows& rows, int row, int step) {
  for (int i = 0; i < curve_rows; ++i, row += step) {
    if (row < 0 || row >= static_cast<int>(rows.size())) return true;
    const std::vector<Extent>& beyond = rows[static_cast<std::size_t>(row)];
    if (std::none_of(beyond.begin(), beyond.end(), [&](const Extent& other) { return is_near(edge, other, least_step) && !is_step(edge, other); })) return true;
  }
  return false;
}

/// Rows of cells that begin and end where the row above does, of one grey.
std::vector<Rectangle> rectangles_of(const std::vector<std::uint8_t>& mask, const Cells& greys, bool one_grey, int least_columns, int least_rows) {
  struct Open {
    Extent first, before, last;
    int top;
  };
  Rows rows;
  for (int row = 0; row < greys.rows; ++row) {
    rows.push_back(extents_of(mask, greys, row, least_columns));
    // Letters make the rows of a ground lighter.
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
        // Against the row before the last: one row may be half of this grey and half of the next.
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

/// The rectangle cut where its columns' grey changes by a step: cells of different greys side by side.
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
    // Where it is steepest.
    if (step_at(column) < 16 * least_contrast || (column + 1 < means.size() && step_at(column + 1) >= step_at(column))) continue;
    const std::size_t cut = std::abs(means[column] - means[column - 1]) > std::abs(means[column - 1] - means[column - 2]) ? column : column - 1;
    add(left, static_cast<int>(cut));
    left = static_cast<int>(cut);
  }
  add(left, static_cast<int>(means.size()));
  return parts;
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

/// Whether all sides are set off from a cell beyond them, or the ground goes on there as it is within, in another rectangle: a page's shadow fades.
bool stands_out(const Cells& grounds, int paper, const Rectangle& box, double mean) {
  // Along a side: the edge's first cell, what leads out of the rectangle, and how many there are.
  const auto side = [&](int column, int row, int across, int down, int count) {
    int set_off = 0, going_on = 0;
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const int x = column + (across == 0 ? i : 0), y = row + (down == 0 ? i : 0);
      const int within = grounds.at(x - within_edge * across, y - within_edge * down);
      sum += within;
      bool is_set_off = false, goes_on = false;
      for (int beyond = 1; beyond <= cells_beyond && !is_set_off; ++beyond) {
        const int out_x = x + beyond * across, out_y = y + beyond * down;
        const bool is_off_page = out_x < 0 || out_x >= grounds.columns || out_y < 0 || out_y >= grounds.rows;
        is_set_off = is_off_page || std::abs(grounds.at(out_x, out_y) - within) >= least_set_off;
        goes_on = !is_off_page && grounds.at(out_x, out_y) <= paper - least_contrast;
      }
      set_off += is_set_off ? 1 : 0;
      going_on += !is_set_off && goes_on ? 1 : 0;
    }
    return set_off >= least_side * count || (set_off + going_on >= least_edge * count && std::abs(sum / count - mean) < least_set_off / 2.0);
  };
  const int width = box.right - box.left, height = box.bottom - box.top;
  return side(box.left, box.top, -1, 0, height) && side(box.right - 1, box.top, 1, 0, height) && side(box.left, box.top, 0, -1, width) && side(box.left, box.bottom - 1, 0, 1, width);
}

/// Whether letters on a dark rectangle leave its ground even: the darker half of its cells, but for the darkest, which may be a rule or black letters. `grey` becomes the ground's.
bool is_even_ground(const Cells& means, const Rectangle& box, std::uint8_t& grey) {
  std::vector<std::uint8_t> greys;
  for (int row = box.top; row < box.bottom; ++row) {
    for (int column = box.left; column < box.right; ++column) greys.push_back(means.at(column, row));
  }
  std::sort(greys.begin(), greys.end());
  const auto at = [&](double share) { return greys[static_cast<std::size_t>(share * static_cast<double>(greys.size() - 1))]; };
  grey = at(0.4);
  return at(ground_share[1]) - at(ground_share[0]) <= most_uneven_dark;
}

bool meet(const Rectangle& a, const Rectangle& b) { return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; }

/// Whether the rectangle is dark along all of its edges, one cell within: letters stand apart from a ground's edges, but make the edges of what is but large letters close together.
bool is_edged(const std::vector<std::uint8_t>& dark, int columns, const Rectangle& box) {
  const auto is_dark = [&](int column, int row) { return dark[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)] != 0; };
  const auto along = [&](int begin, int end, auto at) {
    int count = 0;
    for (int i = begin; i < end; ++i) count += at(i) ? 1 : 0;
    return count >= least_edge * (end - begin);
  };
  const auto level = [&](int row) { return along(box.left + 1, box.right - 1, [&](int column) { return is_dark(column, row); }); };
  const auto upright = [&](int column) { return along(box.top + 1, box.bottom - 1, [&](int row) { return is_dark(column, row); }); };
  return level(box.top + 1) && level(box.bottom - 2) && upright(box.left + 1) && upright(box.right - 2);
}

}  // namespace

std::vector<Shade> find_shades(const GreyImage& image, int dpi, const Cancel& cancel) {
  int side = std::max(1, static_cast<int>(std::lround(static_cast<double>(dpi) / cells_an_inch)));
  while (std::int64_t{image.width / side} * (image.height / side) > most_cells) ++side;
  const Cells means = means_of(image, side, cancel);
  if (means.columns < 1 || means.rows < 1) return {};
  const Cells grounds = grounds_of(means);
  cancel.check();
  const int paper = paper_of(grounds);
  const DarkCells dark = dark_cells(means, dark_share * paper);
  std::vector<std::uint8_t> light(grounds.values.size());
  for (std::size_t i = 0; i < light.size(); ++i) light[i] = dark.filled[i] == 0 && grounds.values[i] <= paper - least_contrast ? 1 : 0;
  const auto cells = [&](double inches) { return std::max(1, static_cast<int>(inches * dpi / side)); };
  std::vector<Shade> shades;
  const auto add = [&](const Rectangle& box, double grey) {
    const auto pixels = [&](int cell) { return static_cast<float>(cell * side); };
    shades.push_back({pixels(box.left), pixels(box.top), pixels(box.right), pixels(box.bottom), static_cast<std::uint8_t>(std::lround(grey))});
  };
  const int least_columns = cells(least_width), least_rows = cells(least_height);
  std::vector<Rectangle> found;
  const auto add_with_light_letters = [&](const DarkCells& ground) {
    for (const Rectangle& box : rectangles_of(ground.filled, means, false, least_columns, least_rows)) {
      std::uint8_t grey = 0;
      if (std::any_of(found.begin(), found.end(), [&](const Rectangle& other) { return meet(box, other); })) continue;
      if (!is_edged(ground.dark, means.columns, box) || !is_even_ground(means, box, grey)) continue;
      found.push_back(box);
      add(box, grey);
    }
  };
  add_with_light_letters(dark);
  add_with_light_letters(dark_cells(means, medium_share * paper));
  for (const Rectangle& box : found) {
    for (int row = box.top; row < box.bottom; ++row) {
      for (int column = box.left; column < box.right; ++column) light[static_cast<std::size_t>(row) * static_cast<std::size_t>(means.columns) + static_cast<std::size_t>(column)] = 0;
    }
  }
  for (const Rectangle& whole : rectangles_of(light, grounds, true, least_columns, least_rows)) {
    for (const Rectangle& box : parts_of(grounds, whole, least_columns)) {
      const auto [mean, uneven] = evenness(grounds, box);
      if (uneven <= most_uneven && stands_out(grounds, paper, box, mean)) add(box, mean);
    }
  }
  return shades;
}

}  // namespace lectern::vision
