// Finds rectangles among the cells of a page.
#pragma once

#include <vector>

#include "vision/page_cells.h"

namespace lectern::vision {

struct Rectangle {
  int left, top, right, bottom;  // cells
};

/// Whether the two rectangles have a cell in common.
bool meet(const Rectangle& a, const Rectangle& b);

/// Finds groups of consecutive rows of `mask` in which each row begins and ends where the row above does. A group has at least the given columns and rows, and ends in a straight edge, not in a curve.
/// With `one_grey` all its cells also have one grey of `greys`.
std::vector<Rectangle> rectangles_of(const CellMask& mask, const Cells& greys, bool one_grey, int least_columns, int least_rows);

/// Cuts the rectangle where the grey of its columns changes by a step: cells of different greys stand side by side there.
std::vector<Rectangle> parts_of(const Cells& greys, const Rectangle& box, int least_columns);

}  // namespace lectern::vision
