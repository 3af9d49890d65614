// Computes the cells of a grid from the outputs of a table network: separators of rows, separators of columns, and joins between cells.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "vision/quad.h"
#include "vision/table_tokens.h"

namespace lectern::vision {

/// Logits of one picture. Every output covers the whole picture: place i of n covers [i, i + 1) / n of its height or width.
struct SeparatorLogits {
  std::span<const float> rows;     // (row_places): a row separator
  std::span<const float> heads;    // (row_places): a header row
  std::span<const float> columns;  // (column_places): a column separator
  std::span<const float> right;    // (height, width): the cell at the end of this column continues to the right
  std::span<const float> down;     // (height, width): the cell at the end of this row continues below
  int height, width;               // of the last two
};

struct FoundCell {
  TableCell cell;
  Quad box;  // pixels of the bitmap
};

struct FoundTable {
  std::vector<FoundCell> cells;
  Grid grid{0, 0};
  float score = 0;  // 0..1, 0 without cells
};

/// A separator is a run of places above 0 (NaN is not) that touches neither end; it lies at the middle of the run, weighted by certainty. Two cells beside a separator are joined where the mean of `right` (of `down`) along
/// it is above 0. A cell is a rectangle: it grows right from its top left place, then down while all of its width is joined. Header rows are those from the top whose mean of `heads` is above 0.
/// `step` of a cell is its index. The score is exp(-share), where share is the part of cells that are expected to be wrong by the network's own probabilities: separators by
/// the highest value of their run, absent separators by the highest value between two, and joined or separate cells. Boxes cover the whole of a picture of that size in pixels.
FoundTable cells_between(const SeparatorLogits& logits, double picture_width, double picture_height);

}  // namespace lectern::vision
