// Cells between separators: drawn grids come back, against a reading that tests every pair of places by itself; and a network with such outputs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/separators.h"
#include "vision/table.h"
#include "vision_graphs.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using namespace lectern::vision;

/// A grid as the outputs of a perfect network: 4 places for each row and column, the last one its separator; 2 by 2 places of the maps for each cell.
struct Drawn {
  int rows, columns, heads;
  std::vector<int> owner;  // (rows, columns)
  std::vector<float> row, head, column, right, down;

  Drawn(std::mt19937& random, int tall, int wide) : rows(tall), columns(wide), heads(pick(random, tall + 1)), owner(static_cast<std::size_t>(tall * wide), -1) {
    for (int place = 0, next = 0; place < tall * wide; ++place) {
      if (owner[static_cast<std::size_t>(place)] >= 0) continue;
      const int y = place / wide, x = place % wide;
      int end = x + 1, below = y + 1;
      const int widest = pick(random, 4) == 0 ? std::min(wide, x + 1 + pick(random, 3)) : end;
      while (end < widest && owner[static_cast<std::size_t>(y * wide + end)] < 0) ++end;
      if (pick(random, 4) == 0) below = std::min(tall, y + 1 + pick(random, 3));
      for (int at = y; at < below; ++at) std::fill_n(owner.begin() + at * wide + x, end - x, next);
      ++next;
    }
    const float sure = 2.5F;
    const auto is = [&](bool yes) { return yes ? sure : -sure; };
    for (int i = 0; i < 4 * tall; ++i) row.push_back(is(i % 4 == 3 && i < 4 * tall - 1)), head.push_back(is(i / 4 < heads));
    for (int i = 0; i < 4 * wide; ++i) column.push_back(is(i % 4 == 3 && i < 4 * wide - 1));
    const auto at = [&](int y, int x) { return owner[static_cast<std::size_t>(y * wide + x)]; };
    for (int y = 0; y < 4 * tall; ++y) {
      for (int x = 0; x < 4 * wide; ++x) {
        right.push_back(is(x / 4 + 1 < wide && at(y / 4, x / 4) == at(y / 4, x / 4 + 1)));
        down.push_back(is(y / 4 + 1 < tall && at(y / 4, x / 4) == at(y / 4 + 1, x / 4)));
      }
    }
  }

  /// e to the power of minus the share of cells that are wrong, where every line between rows or columns and every pair of neighbours is as sure.
  double score() const {
    const double wrong = 1 / (1 + std::exp(2.5));
    const int pairs = rows * (columns - 1) + (rows - 1) * columns;
    return std::exp(-wrong * ((rows - 1.0) / rows + (columns - 1.0) / columns + static_cast<double>(pairs) / (rows * columns)));
  }

  SeparatorLogits logits() const { return {row, head, column, right, down, 4 * rows, 4 * columns}; }
};

LECTERN_TEST("vision separators: grids with cells over rows and columns come back as they were drawn") {
  std::mt19937 random(5);
  int spans = 0;
  for (int round = 0; round < 400; ++round) {
    const Drawn drawn(random, 1 + pick(random, 7), 1 + pick(random, 6));
    const FoundTable table = cells_between(drawn.logits(), 100, 50);
    check(table.grid.rows == drawn.rows && table.grid.columns == drawn.columns, "round " + std::to_string(round) + ": its size");
    std::vector<int> owner(drawn.owner.size(), -1);
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
      const TableCell& cell = table.cells[i].cell;
      spans += cell.row_span * cell.column_span > 1 ? 1 : 0;
      check(cell.step == i && cell.header == (cell.row < drawn.heads), "round " + std::to_string(round) + ": cell " + std::to_string(i));
      for (int y = cell.row; y < cell.row + cell.row_span; ++y) std::fill_n(owner.begin() + y * drawn.columns + cell.column, cell.column_span, static_cast<int>(i));
    }
    check(owner == drawn.owner, "round " + std::to_string(round) + ": who owns each place");
    // Where one of two neighbours is over several places the mean between them is of both, and less sure.
    const bool is_plain = table.cells.size() == drawn.owner.size();
    check(table.score > drawn.score() - (is_plain ? 1e-6 : 0.1) && table.score < drawn.score() + 1e-6, "its score");
  }
  check(spans > 200, "cells over several places were among them");
}

LECTERN_TEST("vision separators: runs at an end part nothing, and a separator stands at its middle weighted by certainty") {
  const std::vector<float> rows{3, -3, -3, -3, 3, 0.5F, -3, -3, 3, 3}, heads(10, -1), columns{-3, -3}, maps(4, -3);
  const FoundTable table = cells_between({rows, heads, columns, maps, maps, 2, 2}, 40, 200);
  check(table.grid.rows == 2 && table.grid.columns == 1, "one of three runs parts rows");
  const double sure = 1 / (1 + std::exp(-3.0)), less = 1 / (1 + std::exp(-0.5));
  check_near(table.cells[0].box[2].y, 200 * (4.5 * sure + 5.5 * less) / (sure + less) / 10, 1e-9, "its place");
  check_near(table.cells[1].box[2].y, 200, 1e-9, "the last row ends where the picture does");
  check(!table.cells[0].cell.header, "no head");
}

LECTERN_TEST("vision separators: NaN parts nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> rows{-3, nan, -3, 3, nan, -3}, heads(6, nan), columns{-3, nan, -3, -3}, maps(4, nan);
  const FoundTable table = cells_between({rows, heads, columns, maps, maps, 2, 2}, 40, 60);
  check(table.grid.rows == 2 && table.grid.columns == 1, "one place is above 0: " + std::to_string(table.grid.rows) + " x " + std::to_string(table.grid.columns));
  check_near(table.cells[0].box[2].y, 35, 1e-9, "where it is");
  check_near(static_cast<double>(table.score), std::exp(-(1 - 1 / (1 + std::exp(-3.0))) / 2 - 0.5), 1e-6, "one line may be wrong, and of two cells nobody knows whether they are one");
}

LECTERN_TEST("vision separators: a network with such outputs, and ones without") {
  std::mt19937 random(9);
  const Drawn drawn(random, 3, 2);
  std::vector<float> rows = drawn.row, spans = drawn.right;
  rows.insert(rows.end(), drawn.head.begin(), drawn.head.end());
  spans.insert(spans.end(), drawn.down.begin(), drawn.down.end());
  TableOptions options;
  options.outputs = TableOutputs::separators;
  const auto found = [&](const std::vector<NamedFloats>& tensors, std::int64_t side = -1) {
    const Written file("separators.onnx", network_with_outputs(tensors, side));
    options.file = file.path;
    return found_alone(TableFinder(options, place()), Page(64, 48).bitmap());
  };
  const NamedFloats of_rows{"rows", {2, 12}, rows}, of_columns{"columns", {1, 8}, drawn.column}, of_spans{"spans", {2, 12, 8}, spans};
  const FoundTable table = found({of_rows, of_columns, of_spans});
  check(table.grid.rows == 3 && table.grid.columns == 2, "its grid");
  check_near(table.cells.back().box[2].x, 64, 1e-9, "in pixels of the bitmap");
  {
    const Written file("separators.onnx", network_with_outputs({of_rows, of_columns, of_spans}, -1));
    options.file = file.path;
    TableFinder finder(options, place());
    const Page first(64, 48, 0, 200), second(64, 48, 0, 250), wide(128, 48, 0, 200);
    const std::vector<Bitmap> bitmaps{first.bitmap(), wide.bitmap(), second.bitmap()};
    const auto together = finder.find(bitmaps, Cancel());
    check(together[0].score != together[2].score, "each by its own picture");
    for (std::size_t i = 0; i < 3; ++i) {
      const FoundTable alone = found_alone(finder, bitmaps[i]);
      check(alone.score == together[i].score && alone.cells.size() == together[i].cells.size() && alone.cells.back().box[2].x == together[i].cells.back().box[2].x, "the same beside one of its size and one of another");
    }
  }
  check_throws(ErrorCode::invalid_model, [&] { found({of_rows, of_columns}); }, "no spans");
  check_throws(ErrorCode::invalid_model, [&] { found({{"rows", {1, 12}, drawn.row}, of_columns, of_spans}); }, "no heads");
  check_throws(ErrorCode::invalid_model, [&] { found({of_rows, of_columns, of_spans}, 16); }, "pictures of one size alone");
}

}  // namespace
