#include "vision/separators.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lectern::vision {
namespace {

double certainty(float logit) { return 1 / (1 + std::exp(-static_cast<double>(logit))); }

/// Shares of the whole, 0..1.
struct Separator {
  double begin, middle, end;
};

/// The separators of rows or of columns, and the expected number of wrong ones by the network's probabilities: false ones and missing ones.
struct Separators {
  std::vector<Separator> found;
  double wrong = 0;
};

Separators separators_of(std::span<const float> logits) {
  Separators result;
  const auto places = static_cast<double>(logits.size());
  for (std::size_t begin = 0; begin < logits.size(); ++begin) {
    if (!(logits[begin] > 0)) {  // also for NaN
      const bool highest = begin > 0 && begin + 1 < logits.size() && logits[begin] >= logits[begin - 1] && logits[begin] > logits[begin + 1];
      if (highest) result.wrong += certainty(logits[begin]);
      continue;
    }
    std::size_t end = begin;
    double weight = 0, moment = 0, surest = 0;
    for (; end < logits.size() && logits[end] > 0; ++end) {
      const double sure = certainty(logits[end]);
      weight += sure;
      moment += sure * (static_cast<double>(end) + 0.5);
      surest = std::max(surest, sure);
    }
    if (begin > 0 && end < logits.size()) {
      result.found.push_back({static_cast<double>(begin) / places, moment / weight / places, static_cast<double>(end) / places});
      result.wrong += 1 - surest;
    }
    begin = end;
  }
  return result;
}

/// The places of `count` from one share of the whole to another, at least one.
std::array<std::size_t, 2> places_of(double begin, double end, std::size_t count) {
  const auto first = std::min(static_cast<std::size_t>(begin * static_cast<double>(count)), count - 1);
  return {first, std::clamp(static_cast<std::size_t>(std::ceil(end * static_cast<double>(count))), first + 1, count)};
}

double mean(std::span<const float> map, std::size_t width, std::array<std::size_t, 2> rows, std::array<std::size_t, 2> columns) {
  double sum = 0;
  for (std::size_t y = rows[0]; y < rows[1]; ++y) {
    for (std::size_t x = columns[0]; x < columns[1]; ++x) sum += static_cast<double>(map[y * width + x]);
  }
  return sum / static_cast<double>((rows[1] - rows[0]) * (columns[1] - columns[0]));
}

/// The boundaries between separators, with both edges of the whole.
std::vector<double> edges_of(const std::vector<Separator>& separators) {
  std::vector<double> edges{0};
  for (const Separator& one : separators) edges.push_back(one.middle);
  edges.push_back(1);
  return edges;
}

/// The places of a grid that are joined with their neighbours.
struct Joins {
  std::size_t rows, columns;
  std::vector<std::uint8_t> right, down;
  /// The expected number of wrong joins by the network's probabilities.
  double wrong;

  bool take(double logit) {
    wrong += std::isnan(logit) ? 1 : certainty(static_cast<float>(-std::abs(logit)));
    return logit > 0;
  }
};

Joins joins_of(const SeparatorLogits& logits, const std::vector<Separator>& between_rows, const std::vector<Separator>& between_columns) {
  const std::vector<double> y = edges_of(between_rows), x = edges_of(between_columns);
  const auto height = static_cast<std::size_t>(logits.height), width = static_cast<std::size_t>(logits.width);
  Joins joins{y.size() - 1, x.size() - 1, {}, {}, 0};
  joins.right.resize(joins.rows * joins.columns);
  joins.down.resize(joins.rows * joins.columns);
  for (std::size_t row = 0; row < joins.rows; ++row) {
    for (std::size_t column = 0; column < joins.columns; ++column) {
      const std::size_t at = row * joins.columns + column;
      if (column + 1 < joins.columns) joins.right[at] = joins.take(mean(logits.right, width, places_of(y[row], y[row + 1], height), places_of(between_columns[column].begin, between_columns[column].end, width)));
      if (row + 1 < joins.rows) joins.down[at] = joins.take(mean(logits.down, width, places_of(between_rows[row].begin, between_rows[row].end, height), places_of(x[column], x[column + 1], width)));
    }
  }
  return joins;
}

/// The number of header rows at the top of the table.
std::size_t heads_of(std::span<const float> heads, const std::vector<double>& y) {
  std::size_t count = 0;
  while (count + 1 < y.size() && mean(heads, 1, places_of(y[count], y[count + 1], heads.size()), {0, 1}) > 0) ++count;
  return count;
}

}  // namespace

FoundTable cells_between(const SeparatorLogits& logits, double picture_width, double picture_height) {
  const auto between_rows = separators_of(logits.rows), between_columns = separators_of(logits.columns);
  const std::vector<double> y = edges_of(between_rows.found), x = edges_of(between_columns.found);
  const Joins joins = joins_of(logits, between_rows.found, between_columns.found);
  const std::size_t heads = heads_of(logits.heads, y);
  FoundTable table;
  table.grid = {static_cast<int>(joins.rows), static_cast<int>(joins.columns)};
  std::vector<std::uint8_t> taken(joins.rows * joins.columns);
  for (std::size_t row = 0; row < joins.rows; ++row) {
    for (std::size_t column = 0; column < joins.columns; ++column) {
      if (taken[row * joins.columns + column]) continue;
      std::size_t right = column + 1, below = row + 1;
      while (right < joins.columns && joins.right[row * joins.columns + right - 1] && !taken[row * joins.columns + right]) ++right;
      const auto goes_down = [&] {
        for (std::size_t at = column; at < right; ++at) {
          if (!joins.down[(below - 1) * joins.columns + at] || taken[below * joins.columns + at]) return false;
        }
        return true;
      };
      while (below < joins.rows && goes_down()) ++below;
      for (std::size_t at = row; at < below; ++at) std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(at * joins.columns + column), right - column, std::uint8_t{1});
      const double left = x[column] * picture_width, top = y[row] * picture_height, end = x[right] * picture_width, bottom = y[below] * picture_height;
      table.cells.push_back({{static_cast<int>(row), static_cast<int>(column), static_cast<int>(below - row), static_cast<int>(right - column), row < heads, table.cells.size()},
                             {Point{left, top}, Point{end, top}, Point{end, bottom}, Point{left, bottom}}});
    }
  }
  // One wrong separator between rows affects as many cells as there are columns.
  const auto rows = static_cast<double>(joins.rows), columns = static_cast<double>(joins.columns);
  table.score = static_cast<float>(std::exp(-(between_rows.wrong / rows + between_columns.wrong / columns + joins.wrong / (rows * columns))));
  return table;
}

}  // namespace lectern::vision
