// Finds two horizontal strokes of one length, one below the other, joined by two vertical sides, with paper around and inside.
#include "vision/tick_boxes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

namespace lectern::vision {
namespace {

// Inches.
constexpr double least_side = 0.085;
constexpr double most_side = 0.26;
// Pixels: a smaller frame may be any round letter.
constexpr int least_pixels = 16;
// Shares of the side: how far its strokes may end from the corners (round ones), their thickness, and the ratio of the sides.
constexpr double corner = 0.2;
constexpr double roundest = 0.05;  // along the diagonal; a circle's is 0.15
constexpr double thickest = 0.18;
constexpr double squareness = 1.25;
// Shares of pixels that are ink: along a side at least, right before and right behind the frame at most, and inside for a mark and for a full frame at least.
constexpr double least_side_ink = 0.85;
constexpr double most_ink_before = 0.12;
constexpr double most_ink_behind = 0.25;
constexpr double least_mark = 0.045;
constexpr double least_full = 0.38;
// Ink that leaves the frame is a tick up to this many sides.
constexpr double largest_tick = 2.6;
// A page with more frames is a pattern.
constexpr std::size_t most_boxes = 1000;
// The number of stroke pairs that are compared: of 112 pages none had more than 715; hatched pages have millions.
constexpr int most_pairs = 20'000;

/// The page's ink by rows, for the lookup of a pixel.
class Dark {
 public:
  Dark(const Ink& ink, int height) : ink_(ink), first_(static_cast<std::size_t>(height) + 1, 0) {
    for (const Run& run : ink.runs) ++first_[static_cast<std::size_t>(run.y) + 1];
    for (std::size_t y = 1; y < first_.size(); ++y) first_[y] += first_[y - 1];
  }

  bool at(int x, int y) const {
    if (y < 0 || y + 1 >= static_cast<int>(first_.size())) return false;
    const auto [begin, end] = row(y);
    const auto run = std::partition_point(begin, end, [x](const Run& one) { return one.end <= x; });
    return run != end && run->begin <= x;
  }

  /// Share of the pixels in [left, right) x [top, bottom) that are ink; 0 for an empty rectangle.
  double share(int left, int top, int right, int bottom) const {
    std::int64_t dark = 0;
    for (int y = std::max(0, top); y < bottom && y + 1 < static_cast<int>(first_.size()); ++y) {
      const auto [begin, end] = row(y);
      auto run = std::partition_point(begin, end, [left](const Run& one) { return one.end <= left; });
      for (; run != end && run->begin < right; ++run) dark += std::min(right, run->end) - std::max(left, run->begin);
    }
    const std::int64_t all = std::int64_t{std::max(0, right - left)} * std::max(0, bottom - top);
    return all == 0 ? 0 : static_cast<double>(dark) / static_cast<double>(all);
  }

 private:
  using Place = std::vector<Run>::const_iterator;
  std::pair<Place, Place> row(int y) const { return {ink_.runs.begin() + first_[static_cast<std::size_t>(y)], ink_.runs.begin() + first_[static_cast<std::size_t>(y) + 1]}; }

  const Ink& ink_;
  std::vector<std::ptrdiff_t> first_;  // first run of each row
};

/// Runs of about one length in successive rows.
struct Stroke {
  int left, right, top, bottom;  // right and bottom exclusive
};

bool about(int a, int b, double slack) { return std::abs(a - b) <= slack; }

/// Sorted by their tops.
std::vector<Stroke> level_strokes(const Ink& ink, int dpi) {
  std::vector<Stroke> strokes;
  std::vector<std::size_t> above, here;  // strokes that reach the previous row and this one, sorted by their position along it
  const double least = (1 - 2 * corner) * least_side * dpi, most = most_side * dpi;
  int y = -1;
  std::size_t next = 0;
  for (const Run& run : ink.runs) {
    if (run.y != y) {
      above = run.y == y + 1 ? std::move(here) : std::vector<std::size_t>{};
      here.clear();
      next = 0;
      y = run.y;
    }
    const int length = run.end - run.begin;
    if (length < least || length > most) continue;
    const double slack = corner * length;
    while (next < above.size() && strokes[above[next]].right < run.begin) ++next;
    const auto fits = [&](std::size_t stroke) { return about(strokes[stroke].left, run.begin, slack) && about(strokes[stroke].right, run.end, slack); };
    if (next == above.size() || !fits(above[next])) {
      here.push_back(strokes.size());
      strokes.push_back({run.begin, run.end, run.y, run.y + 1});
      continue;
    }
    Stroke& stroke = strokes[above[next]];
    here.push_back(above[next]);
    stroke.left = std::min(stroke.left, run.begin);
    stroke.right = std::max(stroke.right, run.end);
    stroke.bottom = run.y + 1;
  }
  return strokes;
}

/// Strokes by the column in which they begin, so that a search for those below one does not visit all.
class Columns {
 public:
  Columns(const std::vector<Stroke>& strokes, int cell) : cell_(cell) {
    for (std::size_t i = 0; i < strokes.size(); ++i) {
      const auto column = static_cast<std::size_t>(strokes[i].left / cell);
      if (column >= columns_.size()) columns_.resize(column + 1);
      columns_[column].push_back(i);
    }
  }

  /// Visits the strokes from `first` on that begin within `slack` of `left`, by their tops, until `visit` returns true.
  template <class Visit>
  void below(std::size_t first, int left, double slack, Visit visit) const {
    std::vector<std::size_t> near;
    const auto from = static_cast<std::size_t>(std::max(0.0, left - slack) / cell_), to = static_cast<std::size_t>((left + slack) / cell_);
    for (std::size_t column = from; column <= to && column < columns_.size(); ++column) {
      const auto begin = std::lower_bound(columns_[column].begin(), columns_[column].end(), first);
      near.insert(near.end(), begin, columns_[column].begin() + std::min<std::ptrdiff_t>(columns_[column].end() - columns_[column].begin(), begin - columns_[column].begin() + most_below));
    }
    std::sort(near.begin(), near.end());
    for (const std::size_t stroke : near) {
      if (visit(stroke)) return;
    }
  }

 private:
  // For one column, at most the rows of a side's height.
  static constexpr std::ptrdiff_t most_below = 64;

  int cell_;
  std::vector<std::vector<std::size_t>> columns_;
};

/// The column nearest to `from`, in steps of `step`, that is ink from top to bottom except for the corners.
std::optional<int> upright_side(const Dark& dark, int from, int step, int reach, int top, int bottom) {
  const int inset = static_cast<int>(std::lround(corner * (bottom - top)));
  for (int i = 0; i <= reach; ++i) {
    const int x = from + step * i;
    if (dark.share(x, top + inset, x + 1, bottom - inset) >= least_side_ink) return x;
  }
  return std::nullopt;
}

/// Whether ink begins close to all four corners: round letters leave the corners out.
bool has_corners(const Dark& dark, const PixelBox& box) {
  const int reach = static_cast<int>(roundest * (box.right - box.left) + 0.7);
  const auto near = [&](int x, int y, int right, int down) {
    for (int i = 0; i <= reach; ++i) {
      if (dark.at(x + i * right, y + i * down)) return true;
    }
    return false;
  };
  return near(box.left, box.top, 1, 1) && near(box.right - 1, box.top, -1, 1) && near(box.left, box.bottom - 1, 1, -1) && near(box.right - 1, box.bottom - 1, -1, -1);
}

/// Moves each edge out by a pixel where that pixel is partly ink, and returns whether no ink follows: a frame ends at once, the curve of a letter continues.
bool settle_edges(const Dark& dark, PixelBox& box) {
  constexpr double blank = 0.3, nothing = 0.08;
  const int inset = static_cast<int>(std::lround(corner * (box.bottom - box.top)));
  const auto column = [&](int x) { return dark.share(x, box.top + inset, x + 1, box.bottom - inset); };
  const auto row = [&](int y) { return dark.share(box.left + inset, y, box.right - inset, y + 1); };
  const auto settled = [&](int& edge, int step, int outside, const auto& share) {
    if (share(outside) <= blank) return true;
    edge += step;
    return share(outside + step) <= nothing;
  };
  return settled(box.left, -1, box.left - 1, column) && settled(box.right, 1, box.right, column) && settled(box.top, -1, box.top - 1, row) && settled(box.bottom, 1, box.bottom, row);
}

/// The outer edges of the frame between two strokes.
std::optional<PixelBox> frame_of(const Dark& dark, const Stroke& upper, const Stroke& lower) {
  const int height = lower.bottom - upper.top;
  const int out = static_cast<int>(std::lround(corner * height));
  const auto left = upright_side(dark, std::min(upper.left, lower.left) - out, 1, 2 * out, upper.top, lower.bottom);
  if (!left) return std::nullopt;
  const auto right = upright_side(dark, std::max(upper.right, lower.right) - 1 + out, -1, 2 * out, upper.top, lower.bottom);
  if (!right) return std::nullopt;
  PixelBox box{*left, upper.top, *right + 1, lower.bottom};
  const int width = box.right - box.left;
  if (width > squareness * height || height > squareness * width) return std::nullopt;
  if (!settle_edges(dark, box) || !has_corners(dark, box)) return std::nullopt;
  return box;
}

/// A side continues above or below: it is a cell of a table.
bool goes_on(const Dark& dark, const PixelBox& box) {
  const int side = box.bottom - box.top, reach = std::max(4, side / 4);
  const auto inked = [&](int x, int top) { return dark.share(x, top, x + 1, top + reach) >= least_side_ink; };
  for (const int from : {box.left, box.right - 3}) {
    for (int x = from; x < from + 3; ++x) {
      if (inked(x, box.bottom + 1) || inked(x, box.top - 1 - reach)) return true;
    }
  }
  return false;
}

bool stands_alone(const Dark& dark, const PixelBox& box) {
  const int side = box.right - box.left;
  // The text of a box may follow closely; text before it keeps a distance, unlike the letters of a word.
  const int before = std::max(4, side / 4), behind = std::max(3, side / 8), inset = side / 5;
  return dark.share(box.left - before, box.top + inset, box.left - 1, box.bottom - inset) <= most_ink_before &&
         dark.share(box.right + 1, box.top + inset, box.right + behind, box.bottom - inset) <= most_ink_behind && !goes_on(dark, box);
}

bool is_in(const PixelBox& box, const Mark& mark) {
  const int x = (mark.left + mark.right) / 2, y = (mark.top + mark.bottom) / 2;
  return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
}

/// The inside of a frame whose lines are `thickness` pixels thick.
PixelBox within(const PixelBox& box, int thickness) {
  const int side = std::min(box.right - box.left, box.bottom - box.top);
  const int inset = std::max(thickness + 1, static_cast<int>(std::lround(thickest * side)));
  return {box.left + inset, box.top + inset, box.right - inset, box.bottom - inset};
}

bool meet(const PixelBox& a, const PixelBox& b) { return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; }

/// Keeps the outer one of a thick frame's two edges and of a double frame's parts. It comes first, because frames are sorted by their tops.
std::vector<FoundTickBox> outermost(std::vector<FoundTickBox> found, int dpi) {
  std::vector<FoundTickBox> outer;
  for (FoundTickBox& one : found) {
    bool is_part = false;
    for (auto other = outer.rbegin(); other != outer.rend() && other->box.box.top > one.box.box.top - most_side * dpi - 1 && !is_part; ++other) is_part = meet(other->box.box, one.box.box);
    if (!is_part) outer.push_back(std::move(one));
  }
  return outer;
}

/// Adds the ink that forms each frame. Marks are sorted by their tops.
std::vector<FoundTickBox> with_marks(std::vector<FoundTickBox> boxes, const Ink& ink) {
  for (FoundTickBox& one : boxes) {
    const PixelBox& box = one.box.box;
    const double most = largest_tick * (box.right - box.left);
    auto mark = std::partition_point(ink.marks.begin(), ink.marks.end(), [&](const Mark& each) { return each.top < box.top - most; });
    for (; mark != ink.marks.end() && mark->top < box.bottom; ++mark) {
      if (is_in(box, *mark) && std::max(mark->width(), mark->height()) <= most) one.marks.push_back(static_cast<int>(mark - ink.marks.begin()));
    }
  }
  return boxes;
}

}  // namespace

std::vector<FoundTickBox> find_tick_boxes(const Ink& ink, int height, int dpi, const Cancel& cancel) {
  const Dark dark(ink, height);
  const std::vector<Stroke> strokes = level_strokes(ink, dpi);
  const Columns columns(strokes, std::max(8, dpi / 16));
  std::vector<FoundTickBox> found;
  std::vector<bool> hollow_sides(static_cast<std::size_t>(2 * most_side * dpi), false);
  int pairs = 0;
  for (std::size_t i = 0; i < strokes.size(); ++i) {
    if (i % 256 == 0) cancel.check();
    if (pairs > most_pairs) return {};
    const Stroke& upper = strokes[i];
    const int length = upper.right - upper.left;
    const double slack = corner * length;
    columns.below(i, upper.left, slack, [&](std::size_t j) {
      const Stroke& lower = strokes[j];
      const int side = lower.bottom - upper.top;
      if (side > most_side * dpi) return true;
      if (side < std::max<double>(least_pixels, least_side * dpi) || !about(lower.left, upper.left, slack) || !about(lower.right, upper.right, slack)) return false;
      ++pairs;
      const auto box = frame_of(dark, upper, lower);
      if (!box || !stands_alone(dark, *box)) return false;
      const int thickness = upper.bottom - upper.top;
      const auto share_within = [&](const PixelBox& inner) { return dark.share(inner.left, inner.top, inner.right, inner.bottom); };
      const bool full = share_within(within(*box, 0)) >= least_full;
      if (!full && thickness > thickest * side + 1) return true;
      found.push_back({{*box, full || share_within(within(*box, thickness)) >= least_mark}, full, {}});
      if (!full) hollow_sides[static_cast<std::size_t>(side)] = true;
      return true;
    });
  }
  // A full square, with or without a light mark on it, is a bullet if it stands alone; among frames of its size it is a ticked box.
  std::erase_if(found, [&](const FoundTickBox& one) {
    const int side = one.box.box.bottom - one.box.box.top, slack = std::max(1, static_cast<int>(0.15 * side));
    const auto first = hollow_sides.begin() + std::max(0, side - slack), last = hollow_sides.begin() + std::min<std::ptrdiff_t>(std::ssize(hollow_sides), side + slack + 1);
    return one.full && std::find(first, last, true) == last;
  });
  found = outermost(std::move(found), dpi);
  if (found.size() > most_boxes) found.clear();
  return with_marks(std::move(found), ink);
}

Gray inside_of(const Gray& page, const TickBox& box) {
  const PixelBox inner = within(box.box, 1);
  Gray picture{std::max(0, inner.right - inner.left), std::max(0, inner.bottom - inner.top), {}};
  if (picture.height == 0) picture.width = 0;
  for (int y = inner.top; y < inner.bottom && picture.width > 0; ++y) {
    const auto row = page.pixels.begin() + static_cast<std::ptrdiff_t>(y) * page.width;
    picture.pixels.insert(picture.pixels.end(), row + inner.left, row + inner.right);
  }
  return picture;
}

void wipe_out(Gray& page, const Ink& ink, const FoundTickBox& found) {
  const PixelBox& box = found.box.box;
  // Ink has a grey edge.
  constexpr int edge = 2;
  const auto pixel = [&](int x, int y) -> std::uint8_t& { return page.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(page.width) + static_cast<std::size_t>(x)]; };
  std::uint8_t paper = 0;
  for (int x = std::max(0, box.left - 2 * edge); x < std::min(page.width, box.right + 2 * edge); ++x) {
    for (const int y : {box.top - 2 * edge, box.bottom + 2 * edge - 1}) {
      if (y >= 0 && y < page.height) paper = std::max(paper, pixel(x, y));
    }
  }
  const auto wipe = [&](int left, int top, int right, int bottom) {
    for (int y = std::max(0, top); y < std::min(page.height, bottom); ++y) {
      for (int x = std::max(0, left); x < std::min(page.width, right); ++x) pixel(x, y) = paper;
    }
  };
  wipe(box.left - edge, box.top - edge, box.right + edge, box.bottom + edge);
  int top = box.top, bottom = box.bottom;
  for (const int mark : found.marks) {
    top = std::min(top, ink.marks[static_cast<std::size_t>(mark)].top);
    bottom = std::max(bottom, ink.marks[static_cast<std::size_t>(mark)].bottom);
  }
  for (auto run = std::partition_point(ink.runs.begin(), ink.runs.end(), [top](const Run& one) { return one.y < top; }); run != ink.runs.end() && run->y < bottom; ++run) {
    if (std::binary_search(found.marks.begin(), found.marks.end(), run->mark)) wipe(run->begin - edge, run->y - edge, run->end + edge, run->y + edge + 1);
  }
}

}  // namespace lectern::vision
