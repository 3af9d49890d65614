// Fits a line's baseline to the feet of its letters, and searches further fragments only where the line may continue.
#include "vision/line_fragments.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vision/height_buckets.h"

namespace lectern::vision {
namespace {

template <class Number>
Number median(std::vector<Number> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Fits a line through the feet of the letters: most stand on it, descenders hang below. Fits three times, each time to the feet near the last result.
void fit_baseline(FoundLine& line, int letter_height) {
  std::vector<int> feet;
  for (const PixelBox& mark : line.marks) feet.push_back(mark.bottom);
  double level = median(feet);
  double slope = 0;
  const double left = line.box.left;
  double near = std::max(2.0, 0.3 * letter_height);
  for (int round = 0; round < 3 && line.box.right - left > 4.0 * letter_height; ++round, near = std::max(1.5, near / 1.6)) {
    double count = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (const PixelBox& mark : line.marks) {
      const double x = middle_of(mark) - left;
      if (std::abs(mark.bottom - level - slope * x) > near) continue;
      count += 1;
      sum_x += x;
      sum_y += mark.bottom;
      sum_xx += x * x;
      sum_xy += x * mark.bottom;
    }
    const double spread = count * sum_xx - sum_x * sum_x;
    if (count < 4 || spread <= 0) break;
    const double found = (count * sum_xy - sum_x * sum_y) / spread;
    if (std::abs(found) > 0.025) break;
    slope = found;
    level = (sum_y - slope * sum_x) / count;
  }
  line.baseline = level;
  line.slope = slope;
}

// For a line that was detected without marks: the share of a mark's height that must lie in the line, and, in sizes of the line, the least height of a mark and the shape of a ruling.
constexpr double most_inside = 0.7;
constexpr double least_mark = 0.1;
constexpr double widest_mark = 1.5;
constexpr double flattest_mark = 0.3;
// The share of such a line's length that its marks must cover: letters cover three quarters or more.
constexpr double least_covered = 0.5;

}  // namespace

void measure(FoundLine& line) {
  line.above = line.below = 0;
  for (const PixelBox& mark : line.marks) {
    const double stands = line.baseline + line.slope * (middle_of(mark) - line.box.left);
    line.above = std::max(line.above, stands - mark.top);
    line.below = std::max(line.below, mark.bottom - stands);
  }
}

FoundLine line_of(std::vector<PixelBox> marks) {
  FoundLine line{marks[0], std::move(marks), 0, 0, 0, 0};
  std::vector<int> heights;
  for (const PixelBox& mark : line.marks) {
    add(line.box, mark);
    heights.push_back(mark.bottom - mark.top);
  }
  fit_baseline(line, median(heights));
  measure(line);
  return line;
}

FoundLine with_marks(FoundLine line, const std::vector<Mark>& marks) {
  const double size = line.above + line.below;
  std::vector<PixelBox> own;
  for (const Mark& mark : marks) {
    const double x = (mark.left + mark.right) / 2.0;
    if (x < line.box.left - 0.3 * size || x > line.box.right + 0.3 * size) continue;
    const double stands = line.baseline + line.slope * (x - line.box.left);
    const double inside = std::min<double>(mark.bottom, stands + line.below) - std::max<double>(mark.top, stands - line.above);
    if (inside < most_inside * mark.height() || mark.height() < least_mark * size || (mark.width() > widest_mark * size && mark.height() < flattest_mark * size)) continue;
    own.push_back({mark.left, mark.top, mark.right, mark.bottom});
  }
  if (own.empty()) return line;
  std::sort(own.begin(), own.end(), [](const PixelBox& a, const PixelBox& b) { return a.left < b.left; });
  int covered = 0, right = line.box.left;
  for (const PixelBox& mark : own) {
    covered += std::max(0, mark.right - std::max(right, mark.left));
    right = std::max(right, mark.right);
  }
  if (covered < least_covered * (line.box.right - line.box.left)) return line;
  FoundLine measured = line_of(std::move(own));
  const bool fits = measured.above > 0.5 * line.above && measured.above < 1.3 * line.above && std::abs(measured.baseline - line.baseline) < 0.5 * line.above;
  return fits ? measured : line;
}

void add(PixelBox& box, const PixelBox& other) {
  box = {std::min(box.left, other.left), std::min(box.top, other.top), std::max(box.right, other.right), std::max(box.bottom, other.bottom)};
}

double middle_of(const PixelBox& mark) { return (mark.left + mark.right) / 2.0; }

namespace {

// The height of one fragment above the baseline is at least this share of the other's.
constexpr double least_alike = 0.4;
// Gaps, overlaps and steps between fragments, in sizes of the larger one.
constexpr double widest_gap = 0.8;
constexpr double widest_overlap = 0.5;
constexpr double highest_step = 0.25;
// The largest size of a neighbouring fragment, in heights of this one above its baseline. What hangs below the baseline counts at most as much as what stands above.
constexpr double largest = 2 / least_alike;
// Baselines lean by at most 0.025 (see fit_baseline): the rise between the ends of the searched range.
constexpr double rise = 0.025 * largest * (widest_gap + widest_overlap);

double size_of(const FoundLine& line) { return line.above + std::min(line.above, line.below); }

bool is_beside(const FoundLine& left, const FoundLine& right) {
  const double size = std::max(size_of(left), size_of(right));
  const double at = right.box.left;
  const double off = left.baseline + left.slope * (at - left.box.left) - right.baseline;
  const int gap = right.box.left - left.box.right;
  const double lower = std::min(left.above, right.above);
  return gap <= widest_gap * size && gap >= -widest_overlap * size && std::abs(off) <= highest_step * size && lower >= least_alike * std::max(left.above, right.above);
}

}  // namespace

std::size_t join_pieces(std::vector<FoundLine>& lines, int height, const Cancel& cancel) {
  std::sort(lines.begin(), lines.end(), [](const FoundLine& a, const FoundLine& b) { return std::pair(a.box.left, a.box.top) < std::pair(b.box.left, b.box.top); });
  HeightBuckets shelves(height);
  for (std::size_t i = 0; i < lines.size(); ++i) shelves.add(i, lines[i].box.left, lines[i].baseline);
  std::vector<bool> gone(lines.size(), false);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    cancel.check();
    while (!gone[i]) {
      const FoundLine& line = lines[i];
      const double reach = largest * line.above;
      const double level = line.baseline + line.slope * (line.box.right - line.box.left);
      const double step = (highest_step + rise) * reach;
      // The leftmost fragment comes first.
      std::size_t next = lines.size();
      shelves.each(line.box.right - widest_overlap * reach, line.box.right + widest_gap * reach, level - step, level + step, [&](std::size_t j) {
        if (j <= i || j >= next || gone[j]) return;
        ++compared;
        if (is_beside(line, lines[j])) next = j;
      });
      if (next == lines.size()) break;
      std::vector<PixelBox> marks = std::move(lines[i].marks);
      marks.insert(marks.end(), lines[next].marks.begin(), lines[next].marks.end());
      lines[i] = line_of(std::move(marks));
      gone[next] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) lines[kept] = std::move(lines[i]);
    ++kept;
  }
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(kept), lines.end());
  return compared;
}

}  // namespace lectern::vision
