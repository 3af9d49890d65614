// Rectangles among the cells of a page.
#pragma once

#include <vector>

#include "vision/page_cells.h"

namespace lectern::vision {

struct Rectangle {
  int left, top, right, bottom;  // cells
};

/// Whether they have a cell in common.
bool meet(const Rectangle& a, const Rectangle& b);

/// Rows of cells of `mask` that begin and end where the row above does, at least so many columns and rows, that end in a stroke and not in a curve. `one_grey`: and
/// have one grey, of `greys`.
std::vector<Rectangle> rectangles_of(const CellMask& mask, const Cells& greys, bool one_grey, int least_columns, int least_rows);

/// The rectangle cut where its columns' grey changes by a step: cells of different greys side by side.
std::vector<Rectangle> parts_of(const Cells& greys, const Rectangle& box, int least_columns);

}  // namespace lectern::vision
