// A page in cells of about a point, each the mean of its pixels: the grey of its paper, and the fills under text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cancel.h"
#include "vision/rulings.h"

namespace lectern::vision {

/// A cell that is darker than paper by this many grey levels belongs to a fill. Stripes are often only ten levels darker, and the mean of a cell's pixels is accurate to two or three levels.
inline constexpr int ground_contrast = 6;

/// One grey for each cell, 0 black to 255 white: (rows, columns).
struct Cells {
  int columns;
  int rows;
  int side;  // of a cell, pixels
  std::vector<std::uint8_t> values;

  std::uint8_t at(int column, int row) const { return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)]; }
};

/// The selected cells of a page, 1 or 0: (rows, columns).
using CellMask = std::vector<std::uint8_t>;

/// The whole cells of the page: the remaining pixels at the right and at the bottom are dropped. Throws Error `cancelled`.
Cells cells_of(const GreyImage& image, int dpi, const Cancel& cancel);

/// The grey of the fill below dark strokes.
Cells grounds_of(const Cells& cells);

/// The most frequent grey; of two equally frequent ones the lighter.
int paper_of(const Cells& grounds);

struct DarkCells {
  CellMask dark;    // cells with many dark cells around them
  CellMask filled;  // also the light cells between two dark ones
};

/// Fills darker than `below` on which light letters may stand.
DarkCells dark_cells(const Cells& cells, double below);

}  // namespace lectern::vision
