// Selects the rectangles of cells darker than paper that are fills, and not photographs, curves, large letters or shadows.
#include "vision/fills.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "vision/cell_rectangles.h"
#include "vision/page_cells.h"

namespace lectern::vision {
namespace {

/// Shares of the paper's grey. A fill below the first is dark, and text on it is light. Below the second text may be light: white letters on the blue and orange of office tables.
constexpr double dark_share = 0.5;
constexpr double medium_share = 0.84;
/// Inches.
constexpr double least_width = 0.5;
constexpr double least_height = 0.125;
/// The share of a side that must be distinct from the cells beyond it, the difference in grey levels, and the distance in cells from the edge at which the inside is measured.
constexpr double least_side = 0.6;
constexpr int least_set_off = 4;
constexpr int within_edge = 2;
/// The share of a side that must be distinct or continue as another fill; also the share of a dark rectangle's edge that must be dark.
constexpr double least_edge = 0.9;
/// In cells: the widest white line between two fills.
constexpr int cells_beyond = 3;
/// The largest mean distance of its cells from their mean, in grey levels.
constexpr double most_uneven = 5;
/// Quantiles of a dark rectangle's cells, from the darkest, that belong to the fill in any case, and the largest distance of these two in grey levels.
constexpr std::array<double, 2> ground_share{0.3, 0.55};
constexpr int most_uneven_dark = 8;

/// The mean of `cells` in the rectangle, and their mean distance from it.
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

/// Whether the cells beyond each side are distinct, or continue with the grey of the inside in another rectangle. The shadow of a page fades instead.
bool stands_out(const Cells& grounds, int paper, const Rectangle& box, double mean) {
  // Walks along a side: its first cell, the direction out of the rectangle, and its length.
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
        goes_on = !is_off_page && grounds.at(out_x, out_y) <= paper - ground_contrast;
      }
      set_off += is_set_off ? 1 : 0;
      going_on += !is_set_off && goes_on ? 1 : 0;
    }
    return set_off >= least_side * count || (set_off + going_on >= least_edge * count && std::abs(sum / count - mean) < least_set_off / 2.0);
  };
  const int width = box.right - box.left, height = box.bottom - box.top;
  return side(box.left, box.top, -1, 0, height) && side(box.right - 1, box.top, 1, 0, height) && side(box.left, box.top, 0, -1, width) && side(box.left, box.bottom - 1, 0, 1, width);
}

/// Whether the fill of a dark rectangle is uniform between its letters: compares two quantiles of the darker half, without the darkest cells, which may be a ruling or black letters. Sets `grey` to that of the fill.
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

/// Whether the rectangle is dark along all of its edges, one cell inside. Text keeps a distance from the edges of a fill, but large letters close together form the edges of a rectangle that is no fill.
bool is_edged(const CellMask& dark, int columns, const Rectangle& box) {
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

std::vector<Fill> find_fills(const GreyImage& image, int dpi, const Cancel& cancel) {
  const Cells means = cells_of(image, dpi, cancel);
  if (means.columns < 1 || means.rows < 1) return {};
  const Cells grounds = grounds_of(means);
  cancel.check();
  const int paper = paper_of(grounds);
  const DarkCells dark = dark_cells(means, dark_share * paper);
  CellMask light(grounds.values.size());
  for (std::size_t i = 0; i < light.size(); ++i) light[i] = dark.filled[i] == 0 && grounds.values[i] <= paper - ground_contrast ? 1 : 0;
  const auto cells = [&](double inches) { return std::max(1, static_cast<int>(inches * dpi / means.side)); };
  std::vector<Fill> fills;
  const auto add = [&](const Rectangle& box, double grey) {
    const auto pixels = [&](int cell) { return static_cast<float>(cell * means.side); };
    fills.push_back({pixels(box.left), pixels(box.top), pixels(box.right), pixels(box.bottom), static_cast<std::uint8_t>(std::lround(grey))});
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
  return fills;
}

}  // namespace lectern::vision
