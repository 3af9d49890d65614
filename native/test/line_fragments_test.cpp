// Lines that were detected without their marks, and the marks of the page that stand there: cases whose result is evident.
#include <string>
#include <vector>

#include "harness.h"
#include "vision/line_fragments.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::FoundLine;
using vision::Mark;
using vision::PixelBox;

/// As a detector sees it: from 100 to 500, letters 30 pixels high and feet up to 8, a little off on all sides.
FoundLine seen() { return {{96, 166, 505, 212}, {}, 203, 0, 35, 9}; }

Mark mark(int left, int top, int right, int bottom) { return {left, top, right, bottom, (right - left) * (bottom - top)}; }

/// Letters from `left` to `right` on `baseline`: every third is tall, every fifth hangs below.
std::vector<Mark> letters(int left, int right, int baseline, int small = 20) {
  std::vector<Mark> marks;
  int i = 0;
  for (int x = left; x + small <= right; x += small, ++i) marks.push_back(mark(x, baseline - (i % 3 == 0 ? small * 3 / 2 : small), x + small - 4, baseline + (i % 5 == 4 ? small * 2 / 5 : 0)));
  return marks;
}

void join(std::vector<Mark>& marks, const std::vector<Mark>& others) { marks.insert(marks.end(), others.begin(), others.end()); }

bool is(const FoundLine& line, const PixelBox& box) { return line.box.left == box.left && line.box.top == box.top && line.box.right == box.right && line.box.bottom == box.bottom; }

bool is_unchanged(const FoundLine& line) { return is(line, seen().box) && line.marks.empty() && line.baseline == 203 && line.above == 35 && line.below == 9; }

LECTERN_TEST("line pieces: a line that was seen gets the marks that stand on it, and its measures from them") {
  const auto line = vision::with_marks(seen(), letters(100, 500, 200));
  check(line.marks.size() == 20, std::to_string(line.marks.size()) + " of 20 marks");
  check(is(line, {100, 170, 496, 208}), "the box of its ink");
  check_near(line.baseline, 200, 0.5, "baseline");
  check_near(line.above, 30, 0.6, "above");
  check_near(line.below, 8, 0.6, "below");
  // A line that leans: it is asked where it stands, mark after mark.
  FoundLine leaning = seen();
  leaning.slope = 0.04;
  auto marks = letters(100, 500, 200);
  for (Mark& one : marks) one.top += one.left / 25 - 4, one.bottom += one.left / 25 - 4;
  check(vision::with_marks(leaning, marks).marks.size() == 20, "on a slope");
}

LECTERN_TEST("line pieces: marks of the lines above and below, beyond its ends, rules and specks are none of a line's") {
  auto marks = letters(100, 500, 200);
  join(marks, letters(100, 500, 160)), join(marks, letters(100, 500, 240));
  join(marks, letters(530, 700, 200)), join(marks, letters(20, 80, 200));
  marks.push_back(mark(100, 202, 500, 208));  // an underline
  marks.push_back(mark(300, 100, 304, 400));  // an upright rule
  marks.push_back(mark(250, 190, 252, 192));  // a speck
  const auto line = vision::with_marks(seen(), marks);
  check(line.marks.size() == 20, std::to_string(line.marks.size()) + " of 20 marks");
  check(is(line, {100, 170, 496, 208}), "the box of its own ink");
}

LECTERN_TEST("line pieces: a line stays as it was seen where its marks are too few, of another size or on another line") {
  check(is_unchanged(vision::with_marks(seen(), {})), "none");
  check(is_unchanged(vision::with_marks(seen(), letters(100, 260, 200))), "over a third of it");
  check(!is_unchanged(vision::with_marks(seen(), letters(100, 400, 200))), "over three quarters of it");
  // The same place twice covers no more of it.
  auto twice = letters(100, 260, 200);
  join(twice, letters(100, 260, 200)), join(twice, letters(100, 260, 200));
  check(is_unchanged(vision::with_marks(seen(), twice)), "three times over a third of it");
  check(is_unchanged(vision::with_marks(seen(), letters(100, 500, 200, 10))), "half as large");
  std::vector<Mark> raised;
  for (int x = 100; x < 500; x += 20) raised.push_back(mark(x, 165, x + 16, 184));
  check(is_unchanged(vision::with_marks(seen(), raised)), "in its upper half");
}

}  // namespace
