// From what a table network says of rows of pixels, of columns of pixels and of places between to the cells of a grid.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "vision/quad.h"
#include "vision/table_tokens.h"

namespace lectern::vision {

/// Logits of one picture. All reach over the whole of it: place i of n covers [i, i + 1) / n of its height or width.
struct SeparatorLogits {
  std::span<const float> rows;     // (row_places): what parts rows
  std::span<const float> heads;    // (row_places): what is a head row
  std::span<const float> columns;  // (column_places): what parts columns
  std::span<const float> right;    // (height, width): is in one cell with what is right of the column's end here
  std::span<const float> down;     // (height, width): the same with what is below
  int height, width;               // of the last two
};

struct FoundCell {
  TableCell cell;
  Quad box;  // pixels of the bitmap
};

struct FoundTable {
  std::vector<FoundCell> cells;
  Grid grid{0, 0};
  float score = 0;  // 0..1, 0 without any cells
};

/// Runs of places above 0 (NaN is not) that touch neither end are separators, at their middle weighted by certainty. Cells that a separator parts are one where the mean of `right` (of `down`) along
/// it is above 0; a cell is a rectangle: it grows right from its upper left place, then down as long as its whole width does. Head rows are those from the top whose mean of `heads` is above 0.
/// `step` of a cell is its index. The score is e to the power of minus the share of cells that are wrong by what the network says: separators by
/// their surest places, and such as are not there by the highest places between; cells that are one or are not. Boxes reach from edge to edge of a picture of that size in pixels.
FoundTable cells_between(const SeparatorLogits& logits, double picture_width, double picture_height);

}  // namespace lectern::vision
