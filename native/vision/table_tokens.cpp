#include "vision/table_tokens.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace lectern::vision {
namespace {

constexpr int most_span = 100;

/// N of ` name="N"`, or 0 for another token.
int span_of(const std::string& word, std::string_view name) {
  const std::size_t at = word.find(name);
  if (at == std::string::npos) return 0;
  int span = 0;
  for (std::size_t i = at + name.size(); i < word.size() && span <= most_span; ++i) {
    if (word[i] >= '0' && word[i] <= '9') span = span * 10 + (word[i] - '0');
    else if (word[i] != '=' && word[i] != '"') break;
  }
  return std::clamp(span, 1, most_span);
}

/// The places of the rows below that spans cover.
class Taken {
 public:
  int first_free(int row, int column) const {
    while (is_taken(row, column)) ++column;
    return column;
  }
  void take(const TableCell& cell) {
    for (int row = cell.row; row < cell.row + cell.row_span; ++row) {
      if (rows_.size() <= static_cast<std::size_t>(row)) rows_.resize(static_cast<std::size_t>(row) + 1);
      auto& places = rows_[static_cast<std::size_t>(row)];
      const auto end = static_cast<std::size_t>(cell.column + cell.column_span);
      if (places.size() < end) places.resize(end, false);
      std::fill(places.begin() + cell.column, places.begin() + static_cast<std::ptrdiff_t>(end), true);
    }
  }

 private:
  bool is_taken(int row, int column) const {
    const auto y = static_cast<std::size_t>(row), x = static_cast<std::size_t>(column);
    return y < rows_.size() && x < rows_[y].size() && rows_[y][x];
  }
  std::vector<std::vector<bool>> rows_;
};

}  // namespace

TableStructure read_structure(std::span<const float> probabilities, int steps, int words, int end) {
  TableStructure structure;
  for (int step = 0; step < steps; ++step) {
    const auto row = probabilities.subspan(static_cast<std::size_t>(step) * static_cast<std::size_t>(words), static_cast<std::size_t>(words));
    const auto best = std::max_element(row.begin(), row.end());
    const int token = static_cast<int>(best - row.begin());
    if (step > 0 && token == end) break;
    structure.tokens.push_back(token);
    structure.certainty.push_back(std::clamp(*best, 0.0F, 1.0F));
  }
  return structure;
}

std::vector<TableCell> cells_of(const std::vector<std::string>& words) {
  std::vector<TableCell> cells;
  Taken taken;
  int row = -1, column = 0;
  bool in_header = false;
  bool open = false;  // a `<td` is open for its attributes
  TableCell cell{};
  const auto place = [&] {
    cell.row = std::max(row, 0);
    cell.column = taken.first_free(cell.row, column);
    column = cell.column + cell.column_span;
    taken.take(cell);
    cells.push_back(cell);
    open = false;
  };
  for (std::size_t step = 0; step < words.size(); ++step) {
    const std::string& word = words[step];
    if (open) {
      cell.column_span = std::max(cell.column_span, span_of(word, "colspan"));
      cell.row_span = std::max(cell.row_span, span_of(word, "rowspan"));
      const bool attribute = word.find("colspan") != std::string::npos || word.find("rowspan") != std::string::npos;
      if (attribute) continue;
      // The end of the cell, or a token that may not stand here: the cell stays as it is.
      place();
    }
    if (word == "<thead>" || word == "</thead>") {
      in_header = word == "<thead>";
    } else if (word == "<tr>") {
      ++row;
      column = 0;
    } else if (word == "<td" || word == "<td>" || word == "<td></td>" || word == "<th>") {
      cell = {0, 0, 1, 1, in_header || word == "<th>", step};
      open = word == "<td";
      if (!open) place();
    }
  }
  if (open) place();
  return cells;
}

Grid grid_of(const std::vector<TableCell>& cells) {
  Grid grid{0, 0};
  for (const TableCell& cell : cells) grid = {std::max(grid.rows, cell.row + cell.row_span), std::max(grid.columns, cell.column + cell.column_span)};
  return grid;
}

}  // namespace lectern::vision
