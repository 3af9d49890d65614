// Finds connected runs of pixels, the smallest rectangle around the pixel centres of each set, its mean, and enlarges it.
#include "vision/text_map.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstddef>

#include "vision/components.h"

namespace lectern::vision {
namespace {

// Lengths are distances between the centres of the outermost pixels, as in the networks' reference implementation.
constexpr double least_side = 3;
constexpr double least_grown_side = 5;

/// Text pixels beside each other in one row: x in [begin, end).
struct Piece {
  int y, begin, end;
};

std::vector<Piece> pieces_of(std::span<const float> map, int width, int height, float threshold, const Cancel& cancel) {
  std::vector<Piece> pieces;
  for (int y = 0; y < height; ++y) {
    cancel.check();
    const float* row = map.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    for (int x = 0; x < width;) {
      if (!(row[x] > threshold)) {
        ++x;
        continue;
      }
      const int begin = x;
      while (x < width && row[x] > threshold) ++x;
      pieces.push_back({y, begin, x});
    }
  }
  return pieces;
}

/// The runs of each connected set, diagonals included, in the order of their first run: at most `most` sets that may be large enough.
std::vector<std::vector<Piece>> connected(const std::vector<Piece>& pieces, std::size_t most) {
  Components sets(pieces.size());
  std::size_t above = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    while (above < i && (pieces[above].y < pieces[i].y - 1 || (pieces[above].y == pieces[i].y - 1 && pieces[above].end < pieces[i].begin))) ++above;
    for (std::size_t j = above; j < i && pieces[j].y == pieces[i].y - 1 && pieces[j].begin <= pieces[i].end; ++j) sets.join(i, j);
  }
  // Noise makes millions of specks, so that none of them gets a list of its own.
  struct Extent {
    int left, right, top, bottom;
  };
  std::vector<Extent> extents(pieces.size(), {INT_MAX, 0, INT_MAX, 0});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Extent& extent = extents[sets.find(i)];
    extent = {std::min(extent.left, pieces[i].begin), std::max(extent.right, pieces[i].end), std::min(extent.top, pieces[i].y), std::max(extent.bottom, pieces[i].y + 1)};
  }
  std::vector<std::vector<Piece>> found;
  std::vector<std::size_t> index(pieces.size(), pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t set = sets.find(i);
    const Extent& extent = extents[set];
    if (std::max(extent.right - extent.left, extent.bottom - extent.top) <= least_side) continue;
    if (index[set] == pieces.size()) {
      if (found.size() == most) continue;
      index[set] = found.size();
      found.emplace_back();
    }
    found[index[set]].push_back(pieces[i]);
  }
  return found;
}

Quad rectangle_around(const std::vector<Piece>& pieces) {
  std::vector<Point> ends;
  for (const Piece& piece : pieces) {
    ends.push_back({piece.begin + 0.5, piece.y + 0.5});
    ends.push_back({piece.end - 0.5, piece.y + 0.5});
  }
  return smallest_rectangle(convex_hull(std::move(ends)));
}

/// The mean over the pixels whose centres lie in the rectangle or on its edge.
float mean_in(std::span<const float> map, int width, int height, const Quad& quad) {
  const double slack = 1e-6;
  const auto [least, most] = std::minmax_element(quad.begin(), quad.end(), [](Point a, Point b) { return a.y < b.y; });
  const int first = std::max(0, static_cast<int>(std::ceil(least->y - 0.5 - slack)));
  const int last = std::min(height - 1, static_cast<int>(std::floor(most->y - 0.5 + slack)));
  double sum = 0;
  std::int64_t count = 0;
  for (int y = first; y <= last; ++y) {
    // The part of the row of centres inside the rectangle.
    double left = width, right = -1;
    for (std::size_t i = 0; i < 4; ++i) {
      const Point a = quad[i], b = quad[(i + 1) % 4];
      const double from = std::min(a.y, b.y) - slack, to = std::max(a.y, b.y) + slack;
      if (y + 0.5 < from || y + 0.5 > to) continue;
      const bool level = std::abs(a.y - b.y) <= 2 * slack;
      const double part = level ? 0 : std::clamp((y + 0.5 - a.y) / (b.y - a.y), 0.0, 1.0);
      const double x = a.x + part * (b.x - a.x);
      left = std::min({left, x, level ? b.x : x});
      right = std::max({right, x, level ? b.x : x});
    }
    const int begin = std::max(0, static_cast<int>(std::ceil(left - 0.5 - slack)));
    const int end = std::min(width - 1, static_cast<int>(std::floor(right - 0.5 + slack)));
    const float* row = map.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    for (int x = begin; x <= end; ++x) sum += static_cast<double>(row[x]);
    count += std::max(0, end - begin + 1);
  }
  return count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
}

}  // namespace

std::vector<TextBox> find_text_boxes(std::span<const float> map, int width, int height, const TextMapOptions& options, const Cancel& cancel) {
  std::vector<TextBox> boxes;
  for (const std::vector<Piece>& pieces : connected(pieces_of(map, width, height, options.threshold, cancel), static_cast<std::size_t>(options.most_boxes))) {
    cancel.check();
    const Quad quad = rectangle_around(pieces);
    const double across = width_of(quad), down = height_of(quad);
    if (std::min(across, down) < least_side) continue;
    const float score = mean_in(map, width, height, quad);
    if (score < options.box_threshold) continue;
    const Quad grown = expanded(quad, across * down * options.unclip / (2 * (across + down)));
    if (std::min(width_of(grown), height_of(grown)) < least_grown_side) continue;
    boxes.push_back({grown, score});
  }
  const auto top_of = [](const TextBox& box) { return std::min({box.corners[0].y, box.corners[1].y, box.corners[2].y, box.corners[3].y}); };
  std::stable_sort(boxes.begin(), boxes.end(), [&](const TextBox& a, const TextBox& b) {
    return top_of(a) < top_of(b) || (top_of(a) == top_of(b) && a.corners[0].x < b.corners[0].x);
  });
  return boxes;
}

}  // namespace lectern::vision
