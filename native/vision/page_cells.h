// A page in cells of about a point, each the mean of its pixels: its paper, and the grounds on which text stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cancel.h"
#include "vision/rulings.h"

namespace lectern::vision {

/// A cell that is darker than paper by so many grey levels belongs to a fill: stripes are often darker by only ten, and the mean of a cell's pixels is accurate to two or three.
inline constexpr int ground_contrast = 6;

/// A grey for each cell, 0 black to 255 white: (rows, columns).
struct Cells {
  int columns;
  int rows;
  int side;  // of a cell, pixels
  std::vector<std::uint8_t> values;

  std::uint8_t at(int column, int row) const { return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)]; }
};

/// Which cells of a page are meant, 1 or 0: (rows, columns).
using CellMask = std::vector<std::uint8_t>;

/// The page's whole cells: what is left over at the right and at the bottom is dropped. Throws Error `cancelled`.
Cells cells_of(const GreyImage& image, int dpi, const Cancel& cancel);

/// The ground below dark strokes.
Cells grounds_of(const Cells& cells);

/// The most frequent grey, of two as frequent the lighter.
int paper_of(const Cells& grounds);

struct DarkCells {
  CellMask dark;    // where much around is dark as well
  CellMask filled;  // and what is light between two of them
};

/// Grounds darker than `below` on which light letters may stand.
DarkCells dark_cells(const Cells& cells, double below);

}  // namespace lectern::vision
