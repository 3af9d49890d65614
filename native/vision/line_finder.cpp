// Chains letters to their right neighbours, makes lines of the chains, and adds marks that are too small for letters to the line in which they stand.
#include "vision/line_finder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "vision/components.h"
#include "vision/line_fragments.h"
#include "vision/height_buckets.h"

namespace lectern::vision {
namespace {

// Heights in inches: small letters of 4 points, capitals of 100.
constexpr double lowest_letter = 0.022;
constexpr double highest_letter = 1.0;
constexpr double highest_filled = 0.2;
// Letters that touch form a mark as wide as a word or a line, never longer than this many times its height.
constexpr int widest_letters = 30;
// A gap wider than this, in heights of the letters beside it, ends a fragment.
constexpr double widest_gap = 1.5;
// In inches: a mark of at least this height that encloses this many letters is the grid of a table, whatever its area.
constexpr double lowest_grid = 0.2;
constexpr int fewest_enclosed = 4;
// The largest ratio of heights: a small letter beside a bracket.
constexpr double most_unlike = 2.8;
// Marks of a line share at least this part of the lower one's height.
constexpr double least_overlap = 0.45;

struct Limits {
  int lowest;
  int highest;
  int filled;  // the highest filled box that counts as a letter
  int width;   // of the page
  int height;  // of the page
};

bool on_the_edge(const Mark& mark, const Limits& page) {
  return mark.left == 0 || mark.top == 0 || mark.right == page.width || mark.bottom == page.height;
}

bool may_be_letters(const Mark& mark, const Limits& page) {
  if (mark.height() < page.lowest || mark.height() > page.highest || on_the_edge(mark, page)) return false;
  if (mark.width() > widest_letters * mark.height()) return false;
  // A separate stroke is a letter up to this proportion; a longer one is a ruling between columns.
  if (mark.height() > 14 * mark.width()) return false;
  // A filled box that is higher than text is a bar of a diagram.
  const std::int64_t box = static_cast<std::int64_t>(mark.width()) * mark.height();
  if (mark.height() > page.filled && 10 * std::int64_t{mark.area} > 8 * box && 3 * mark.width() > mark.height()) return false;
  // Frames and hatching fill little of their box; a thin letter is at least a stroke across it.
  return 14 * std::int64_t{mark.area} >= box;
}

/// Removes grids of rulings: otherwise the short words in them would become accents of their bands. `letters` sorted by their left side.
std::vector<Mark> without_grids(std::vector<Mark> letters, int lowest) {
  std::vector<bool> is_grid(letters.size());
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const Mark& mark = letters[i];
    if (mark.height() < lowest) continue;
    int enclosed = 0;
    for (std::size_t j = i + 1; j < letters.size() && letters[j].left < mark.right && enclosed < fewest_enclosed; ++j) {
      const Mark& other = letters[j];
      if (other.left > mark.left && other.right < mark.right && other.top > mark.top && other.bottom < mark.bottom) ++enclosed;
    }
    is_grid[i] = enclosed == fewest_enclosed;
  }
  std::size_t at = 0;
  std::erase_if(letters, [&](const Mark&) { return is_grid[at++]; });
  return letters;
}

int overlap(int a_begin, int a_end, int b_begin, int b_end) { return std::min(a_end, b_end) - std::max(a_begin, b_begin); }

/// The distance if `right` may follow `left` in a line; negative if it may not.
int gap_between(const Mark& left, const Mark& right) {
  const int lower = std::min(left.height(), right.height());
  const int higher = std::max(left.height(), right.height());
  if (higher > most_unlike * lower || overlap(left.top, left.bottom, right.top, right.bottom) < least_overlap * lower) return -1;
  const int gap = std::max(0, right.left - left.right);
  return gap <= widest_gap * higher ? gap : -1;
}

/// `letters` sorted by their left side, `height` of the page.
std::vector<std::vector<std::size_t>> chain(const std::vector<Mark>& letters, int height, const Cancel& cancel) {
  Components chains(letters.size());
  const auto middle = [](const Mark& letter) { return (letter.top + letter.bottom) / 2.0; };
  HeightBuckets shelves(height);
  for (std::size_t i = 0; i < letters.size(); ++i) shelves.add(i, letters[i].left, middle(letters[i]));
  for (std::size_t i = 0; i < letters.size(); ++i) {
    cancel.check();
    const Mark& letter = letters[i];
    // Only the nearest letter counts, because it hides the others; of two equally near ones the one further left.
    std::pair<int, std::size_t> nearest{std::numeric_limits<int>::max(), letters.size()};
    // Marks that overlap in height have middles within this distance.
    const double away = 0.5 * (1 + most_unlike) * letter.height();
    shelves.each(letter.left, letter.right + widest_gap * most_unlike * letter.height() + 1, middle(letter) - away, middle(letter) + away, [&](std::size_t j) {
      if (j <= i) return;
      if (const int gap = gap_between(letter, letters[j]); gap >= 0) nearest = std::min(nearest, {gap, j});
    });
    if (nearest.second < letters.size()) chains.join(i, nearest.second);
  }
  std::vector<std::vector<std::size_t>> groups(letters.size());
  for (std::size_t i = 0; i < letters.size(); ++i) groups[chains.find(i)].push_back(i);
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

PixelBox box_of(const Mark& mark) { return {mark.left, mark.top, mark.right, mark.bottom}; }

/// The line whose band contains a small mark or lies next to it, among the lines that are high enough; lines.size() for none. Lines must be sorted by their top.
std::size_t owner_of(const PixelBox& mark, const std::vector<FoundLine>& lines, int highest) {
  const double x = middle_of(mark);
  const double y = (mark.top + mark.bottom) / 2.0;
  double best = 1e9;
  std::size_t owner = lines.size();
  const auto first = std::lower_bound(lines.begin(), lines.end(), mark.top - 2 * highest, [](const FoundLine& line, int top) { return line.box.top < top; });
  for (auto line = first; line != lines.end() && line->box.top <= mark.bottom + highest; ++line) {
    const double size = line->above + line->below;
    if (mark.right - mark.left > 3 * size || mark.bottom - mark.top > 0.55 * size) continue;
    const double up = line->baseline + line->slope * (x - line->box.left) - y;
    if (up > line->above + 0.45 * size || up < -line->below - 0.3 * size) continue;
    const double aside = std::max({0.0, line->box.left - x, x - line->box.right});
    if (aside > 0.9 * size) continue;
    // Between two lines the nearer band decides.
    const double outside = std::max({0.0, up - line->above, -up - line->below});
    if (const double away = outside + 0.3 * aside; away < best) {
      best = away;
      owner = static_cast<std::size_t>(line - lines.begin());
    }
  }
  return owner;
}

/// A line that consists of a dot or an accent of a larger line becomes a small mark of that line.
void demote(std::vector<FoundLine>& lines, std::vector<PixelBox>& small, int highest) {
  std::vector<bool> gone;
  for (const FoundLine& line : lines) {
    const bool owned = line.marks.size() <= 3 && std::all_of(line.marks.begin(), line.marks.end(), [&](const PixelBox& mark) { return owner_of(mark, lines, highest) < lines.size(); });
    if (owned) small.insert(small.end(), line.marks.begin(), line.marks.end());
    gone.push_back(owned);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!gone[i]) {
      if (kept != i) lines[kept] = std::move(lines[i]);
      ++kept;
    }
  }
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(kept), lines.end());
}

/// Adds dots, accents, commas and hyphens to the line in which they stand.
void adopt(std::vector<FoundLine>& lines, std::vector<PixelBox>& small) {
  int highest = 0;
  for (const FoundLine& line : lines) highest = std::max(highest, line.box.bottom - line.box.top);
  demote(lines, small, highest);
  std::vector<std::vector<PixelBox>> adopted(lines.size());
  for (const PixelBox& mark : small) {
    const std::size_t owner = owner_of(mark, lines, highest);
    if (owner < lines.size()) adopted[owner].push_back(mark);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    FoundLine& line = lines[i];
    const int left = line.box.left;
    for (const PixelBox& mark : adopted[i]) {
      add(line.box, mark);
      line.marks.push_back(mark);
    }
    line.baseline += line.slope * (line.box.left - left);
    measure(line);
    std::sort(line.marks.begin(), line.marks.end(), [](const PixelBox& a, const PixelBox& b) { return a.left < b.left; });
  }
}

struct Gap {
  int left;
  int right;
};

/// The gaps of a line that are wide enough for a gutter between columns. `line.marks` sorted by their left side.
std::vector<Gap> wide_gaps(const FoundLine& line) {
  std::vector<Gap> gaps;
  int right = line.marks[0].right;
  for (const PixelBox& mark : line.marks) {
    if (mark.left - right > 0.5 * line.above) gaps.push_back({right, mark.left});
    right = std::max(right, mark.right);
  }
  return gaps;
}

/// Whether lines near `line` stand in columns on both sides of the gap: some begin where it ends, and hardly any crosses it. `lines` sorted by their top.
bool is_gutter(const Gap& gap, const FoundLine& line, const std::vector<FoundLine>& lines) {
  const double size = line.above + line.below;
  const auto first = std::lower_bound(lines.begin(), lines.end(), line.box.top - 14 * size, [](const FoundLine& other, double top) { return other.box.top < top; });
  int begin = 0, end = 0, cross = 0;
  for (auto other = first; other != lines.end() && other->box.top <= line.box.top + 14 * size; ++other) {
    if (&*other == &line) continue;
    const int left = other->box.left;
    const int right = other->box.right;
    if (std::abs(left - gap.right) <= 0.8 * size) ++begin;
    else if (std::abs(right - gap.left) <= 0.8 * size) ++end;
    else if (left < gap.left && right > gap.right) {
      // At its own place the line's gap is the gutter itself.
      const auto gaps = wide_gaps(*other);
      if (std::none_of(gaps.begin(), gaps.end(), [&](const Gap& own) { return overlap(own.left, own.right, gap.left, gap.right) > 0; })) ++cross;
    }
  }
  return begin >= 2 && begin + end >= 4 && 4 * cross <= begin + end;
}

/// Splits the lines that cross a gutter.
void split_at_gutters(std::vector<FoundLine>& lines) {
  std::sort(lines.begin(), lines.end(), [](const FoundLine& a, const FoundLine& b) { return a.box.top < b.box.top; });
  for (FoundLine& line : lines) std::sort(line.marks.begin(), line.marks.end(), [](const PixelBox& a, const PixelBox& b) { return a.left < b.left; });
  std::vector<FoundLine> pieces;
  for (const FoundLine& line : lines) {
    std::vector<PixelBox> marks;
    const auto gaps = wide_gaps(line);
    std::size_t begin = 0;
    for (const Gap& gap : gaps) {
      if (!is_gutter(gap, line, lines)) continue;
      std::size_t end = begin;
      while (end < line.marks.size() && line.marks[end].left < gap.right) ++end;
      pieces.push_back(line_of({line.marks.begin() + static_cast<std::ptrdiff_t>(begin), line.marks.begin() + static_cast<std::ptrdiff_t>(end)}));
      begin = end;
    }
    if (begin == 0) pieces.push_back(line);
    else pieces.push_back(line_of({line.marks.begin() + static_cast<std::ptrdiff_t>(begin), line.marks.end()}));
  }
  lines = std::move(pieces);
}

}  // namespace

std::vector<FoundLine> find_lines(const Ink& ink, int width, int height, int dpi, const Cancel& cancel) {
  const Limits page{std::max(4, static_cast<int>(lowest_letter * dpi)), static_cast<int>(highest_letter * dpi), static_cast<int>(highest_filled * dpi), width, height};
  std::vector<Mark> letters;
  std::vector<PixelBox> small;
  const int speck = std::max(1, dpi / 150);
  for (const Mark& mark : ink.marks) {
    if (may_be_letters(mark, page)) letters.push_back(mark);
    else if (mark.height() < page.lowest && mark.area > speck * speck && mark.width() <= page.highest && !on_the_edge(mark, page)) small.push_back(box_of(mark));
  }
  std::sort(letters.begin(), letters.end(), [](const Mark& a, const Mark& b) { return a.left < b.left; });
  letters = without_grids(std::move(letters), static_cast<int>(lowest_grid * dpi));
  std::vector<FoundLine> lines;
  for (const auto& group : chain(letters, height, cancel)) {
    std::vector<PixelBox> marks;
    for (const std::size_t i : group) marks.push_back(box_of(letters[i]));
    lines.push_back(line_of(std::move(marks)));
  }
  join_pieces(lines, height, cancel);
  split_at_gutters(lines);
  cancel.check();
  const auto by_top = [](const FoundLine& a, const FoundLine& b) { return a.box.top < b.box.top; };
  std::sort(lines.begin(), lines.end(), by_top);
  adopt(lines, small);
  // Accents have raised the tops of some lines.
  std::stable_sort(lines.begin(), lines.end(), by_top);
  return lines;
}

}  // namespace lectern::vision
