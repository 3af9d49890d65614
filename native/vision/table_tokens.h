// Computes the cells of a table's grid from the HTML tokens that a network writes.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lectern::vision {

struct TableCell {
  int row, column, row_span, column_span;  // from 0, at least 1
  bool header;                             // it stands in <thead>
  std::size_t step;                        // the step at which the network began the cell
};

/// The tokens that a table network wrote, step by step.
struct TableStructure {
  std::vector<int> tokens;       // up to the end, without it
  std::vector<float> certainty;  // of each, 0..1
};

/// `probabilities` (steps, tokens), without NaN. Takes the likeliest token of each step (the lower of equal ones) until `end` follows the first.
TableStructure read_structure(std::span<const float> probabilities, int steps, int words, int end);

/// Rows begin with `<tr>`, cells with `<td>`, `<td></td>`, `<th>` or `<td` and its attributes ` colspan="2"`, ` rowspan="3"` up to `>`; other tokens are ignored. A cell takes the first place of its row that no
/// span from above covers, as HTML defines. Spans are at most 100.
std::vector<TableCell> cells_of(const std::vector<std::string>& words);

/// The number of rows and columns that the cells need.
struct Grid {
  int rows, columns;
};
Grid grid_of(const std::vector<TableCell>& cells);

}  // namespace lectern::vision
