// The cells of a table's grid from the HTML tokens that a network writes.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lectern::vision {

struct TableCell {
  int row, column, row_span, column_span;  // from 0, at least 1
  bool header;                             // it stands in <thead>
  std::size_t step;                        // at which the network began it
};

/// What a table network wrote, step by step.
struct TableStructure {
  std::vector<int> tokens;       // up to the end, without it
  std::vector<float> certainty;  // of each, 0..1
};

/// `probabilities` (steps, words), without NaN; the likeliest word of each step (the lower one of equals) until `end` comes after the first.
TableStructure read_structure(std::span<const float> probabilities, int steps, int words, int end);

/// Rows begin with `<tr>`, cells with `<td>`, `<td></td>`, `<th>` or `<td` and its attributes ` colspan="2"`, ` rowspan="3"` up to `>`; everything else counts for nothing. A cell takes the first place of its row that no
/// span from above holds, as HTML's own rule is. Spans are at most 100.
std::vector<TableCell> cells_of(const std::vector<std::string>& words);

/// How many rows and columns the cells need.
struct Grid {
  int rows, columns;
};
Grid grid_of(const std::vector<TableCell>& cells);

}  // namespace lectern::vision
