// Lines found on pages that the test draws, whose lines it therefore knows.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/dark_fills.h"
#include "vision/line_finder.h"
#include "vision/line_fragments.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::FoundLine;
using vision::PixelBox;

constexpr int dpi = 200;

std::vector<FoundLine> lines_of(const Page& page, int width, int height) {
  const Cancel never;
  const auto gray = vision::shrink_to_gray(page.bitmap(), 1, never);
  return vision::find_lines(vision::find_ink(gray, vision::ink_reach(dpi), never), width, height, dpi, never);
}

/// Draws words of square letters from `left` to `right` on a baseline; every third letter rises, one in five hangs below.
void line(Page& page, double left, double right, double baseline, double size, unsigned seed) {
  std::mt19937 random(seed);
  for (double x = left; x + size <= right;) {
    for (int letters = 2 + pick(random, 7); letters > 0 && x + size <= right; --letters, x += size * 1.15) {
      page.rectangle(x, baseline - size * (pick(random, 3) == 0 ? 1.5 : 1), x + size * 0.3, baseline + (pick(random, 5) == 0 ? size * 0.4 : 0));
      page.rectangle(x, baseline - size * 0.2, x + size * 0.9, baseline);
    }
    x += size * 0.5;
  }
}

LECTERN_TEST("line finder: paragraphs in two columns with a narrow gutter, lines from the top") {
  constexpr int width = 1300, height = 1200;
  Page page(width, height);
  for (int i = 0; i < 20; ++i) {
    line(page, 100, 630, 100 + 50 * i, 16, 10U + static_cast<unsigned>(i));
    line(page, 655, 1200, 112 + 50 * i, 16, 40U + static_cast<unsigned>(i));
  }
  const auto found = lines_of(page, width, height);
  check(found.size() == 40, std::to_string(found.size()) + " of 40 lines");
  check(std::is_sorted(found.begin(), found.end(), [](const FoundLine& a, const FoundLine& b) { return a.box.top < b.box.top; }), "not from the top");
  for (const FoundLine& one : found) {
    const bool left = one.box.right <= 640 && one.box.left <= 102 && one.box.left >= 98;
    const bool right = one.box.left >= 653 && one.box.left <= 657;
    check(left || right, "a line from " + std::to_string(one.box.left) + " to " + std::to_string(one.box.right));
  }
}

LECTERN_TEST("line finder: a line that goes across one gutter in another's row is cut there, one that spans the page is not") {
  constexpr int width = 1300, height = 900;
  Page page(width, height);
  line(page, 100, 1200, 80, 16, 3);  // a heading over both columns
  for (int i = 0; i < 14; ++i) {
    // The gap of 15 pixels or little more is narrow enough for letters to chain across: both columns stand on one row.
    line(page, 100, 640, 160 + 50 * i, 16, 10U + static_cast<unsigned>(i));
    line(page, 655, 1200, (i % 2 == 0 ? 160 : 172) + 50 * i, 16, 40U + static_cast<unsigned>(i));
  }
  const auto found = lines_of(page, width, height);
  check(found.size() == 29, std::to_string(found.size()) + " of 29 lines");
  check(found[0].box.left <= 102 && found[0].box.right > 1150, "the heading is whole");
}

LECTERN_TEST("line finder: baselines of lines that lean by up to a degree, and how far letters reach from them") {
  for (const double degrees : {-1.0, -0.3, 0.0, 0.7}) {
    constexpr int width = 1400, height = 600;
    Page page(width, height, degrees);
    for (int i = 0; i < 6; ++i) line(page, 150, 1250, 150 + 60 * i, 20, 7U + static_cast<unsigned>(i));
    const auto found = lines_of(page, width, height);
    check(found.size() == 6, std::to_string(found.size()) + " of 6 lines at " + std::to_string(degrees));
    const double slope = -std::tan(degrees * 3.14159265358979 / 180);
    for (std::size_t i = 0; i < std::min<std::size_t>(6, found.size()); ++i) {
      check_near(found[i].slope, slope, 0.0015, "slope");
      // On the page's middle the drawing is not moved but for the distance from the middle row.
      const double middle = found[i].baseline + found[i].slope * (width / 2.0 - found[i].box.left);
      check_near(middle, height / 2.0 + (150 + 60.0 * static_cast<double>(i) - height / 2.0), 1.5, "baseline");
      check_near(found[i].above, 30, 3, "above");
      check_near(found[i].below, 8, 3, "below");
    }
  }
}

LECTERN_TEST("line finder: dots and commas belong to their line; rules, frames, bars and specks are no lines") {
  constexpr int width = 1000, height = 700;
  Page page(width, height);
  line(page, 100, 900, 200, 20, 5);
  page.rectangle(300, 163, 305, 168);     // an accent above a letter
  page.rectangle(905, 196, 910, 206);     // a comma at the end
  page.rectangle(100, 240, 900, 243);     // a rule
  page.rectangle(100, 300, 900, 302);     // a frame
  page.rectangle(100, 600, 900, 602);
  page.rectangle(100, 300, 102, 602);
  page.rectangle(898, 300, 900, 602);
  page.rectangle(300, 400, 380, 580, 120);  // a bar of a diagram
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    const int x = 20 + pick(random, 950), y = 610 + pick(random, 80);
    page.rectangle(x, y, x + 1, y + 1);
  }
  const auto found = lines_of(page, width, height);
  check(found.size() == 1, std::to_string(found.size()) + " lines, where there is one");
  check(found[0].box.right == 910 && found[0].box.top <= 164, "the comma and the accent are the line's");
  check(std::is_sorted(found[0].marks.begin(), found[0].marks.end(), [](const PixelBox& a, const PixelBox& b) { return a.left < b.left; }), "marks are not in order");
}

LECTERN_TEST("line finder: the close grid of a small table is no letter, and takes no words with it") {
  constexpr int width = 1000, height = 400;
  Page page(width, height);
  constexpr int left = 100, top = 100, wide = 200, high = 40;
  for (int row = 0; row <= 3; ++row) page.rectangle(left, top + row * high, left + 3 * wide + 4, top + row * high + 4);
  for (int column = 0; column <= 3; ++column) page.rectangle(left + column * wide, top, left + column * wide + 4, top + 3 * high + 4);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) line(page, left + column * wide + 20, left + column * wide + 65, top + row * high + 30, 16, static_cast<unsigned>(3 * row + column));
  const auto found = lines_of(page, width, height);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      const int x = left + column * wide, y = top + row * high;
      const bool is_found = std::any_of(found.begin(), found.end(), [&](const FoundLine& one) { return std::any_of(one.marks.begin(), one.marks.end(), [&](const PixelBox& mark) { return mark.left > x && mark.right < x + wide && mark.top > y && mark.bottom < y + high; }) && one.box.bottom - one.box.top < high; });
      check(is_found, "the word in row " + std::to_string(row) + ", column " + std::to_string(column) + " is in no line");
    }
}

LECTERN_TEST("line finder: blank pages, one pixel, noise from edge to edge") {
  check(lines_of(Page(400, 300), 400, 300).empty(), "a blank page has no lines");
  check(lines_of(Page(1, 1), 1, 1).empty(), "a pixel has none");
  std::mt19937 random(2);
  Page noise(600, 600);
  noise.specks(0.4, random);
  for (const FoundLine& one : lines_of(noise, 600, 600)) check(one.above + one.below > 0 && !one.marks.empty(), "a line without height");
  Page text(600, 600);
  line(text, 50, 550, 300, 20, 9);
  text.noise(30, random);
  check(!lines_of(text, 600, 600).empty(), "the line in the noise is lost");
}

/// Three letters and a half of about `size` pixels, somewhere.
FoundLine piece(std::mt19937& random, int width, int height, int size) {
  const int left = pick(random, width), bottom = 40 + pick(random, height - 60);
  std::vector<PixelBox> marks;
  for (int i = 0; i < 4; ++i) {
    const int x = left + i * size;
    marks.push_back({x, bottom - size - pick(random, size), x + size - 2, bottom + (i == 2 ? pick(random, size) : 0)});
  }
  return vision::line_of(std::move(marks));
}

bool plainly_beside(const FoundLine& a, const FoundLine& b) {
  const auto size = [](const FoundLine& one) { return one.above + std::min(one.above, one.below); };
  const double larger = std::max(size(a), size(b)), higher = std::max(a.above, b.above), lower = std::min(a.above, b.above);
  const double step = a.baseline + a.slope * (b.box.left - a.box.left) - b.baseline;
  const int gap = b.box.left - a.box.right;
  return gap <= 0.8 * larger && gap >= -0.5 * larger && std::abs(step) <= 0.25 * larger && lower >= 0.4 * higher;
}

/// Every pair, until nothing more joins.
std::vector<FoundLine> plainly_joined(std::vector<FoundLine> lines) {
  std::sort(lines.begin(), lines.end(), [](const FoundLine& a, const FoundLine& b) { return std::pair(a.box.left, a.box.top) < std::pair(b.box.left, b.box.top); });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = i + 1; j < lines.size();) {
      if (!plainly_beside(lines[i], lines[j])) {
        ++j;
        continue;
      }
      auto marks = lines[i].marks;
      marks.insert(marks.end(), lines[j].marks.begin(), lines[j].marks.end());
      lines[i] = vision::line_of(marks);
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(j));
      j = i + 1;
    }
  }
  return lines;
}

LECTERN_TEST("line finder: fragments are joined as if every pair were compared") {
  const Cancel never;
  std::mt19937 random(5);
  std::size_t joined = 0;
  for (int round = 0; round < 12; ++round) {
    std::vector<FoundLine> lines;
    for (int i = 0; i < 250; ++i) lines.push_back(piece(random, 900, 500, 5 + pick(random, i % 25 == 0 ? 60 : 14)));
    const auto expected = plainly_joined(lines);
    joined += lines.size() - expected.size();
    vision::join_pieces(lines, 500, never);
    check(lines.size() == expected.size(), std::to_string(lines.size()) + " lines, not " + std::to_string(expected.size()));
    for (std::size_t i = 0; i < std::min(lines.size(), expected.size()); ++i) {
      const PixelBox a = lines[i].box, b = expected[i].box;
      check(a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom && lines[i].marks.size() == expected[i].marks.size(), "another line");
    }
  }
  check(joined > 100, std::to_string(joined) + " joins are too few to tell");
}

LECTERN_TEST("line finder: a page of specks costs each of them a few comparisons, not one with each other") {
  const Cancel never;
  std::mt19937 random(6);
  std::vector<FoundLine> lines;
  constexpr int count = 20'000;
  for (int i = 0; i < count; ++i) lines.push_back(piece(random, 4900, 6900, 6));
  // A headline must not make all of them look far.
  lines.push_back(piece(random, 2000, 3000, 300));
  const std::size_t compared = vision::join_pieces(lines, 7000, never);
  check(compared > 1000 && compared < 10 * std::size_t{count}, std::to_string(compared) + " pairs were compared");
}

LECTERN_TEST("dark ground: text on bars and boxes comes out dark on white, the rest of the page white") {
  const Cancel never;
  constexpr int width = 1000, height = 800;
  Page page(width, height);
  line(page, 60, 900, 80, 16, 3);
  check(!vision::invert_dark_fills(vision::shrink_to_gray(page.bitmap(), 1, never), dpi), "a page of text has no dark ground");
  page.rectangle(60, 200, 940, 320, 40);
  // White letters on the bar: what is drawn in black elsewhere, turned round.
  vision::Gray gray = vision::shrink_to_gray(page.bitmap(), 1, never);
  Page letters(width, height);
  line(letters, 100, 900, 270, 16, 4);
  const vision::Gray drawn = vision::shrink_to_gray(letters.bitmap(), 1, never);
  for (std::size_t i = 0; i < gray.pixels.size(); ++i) gray.pixels[i] = static_cast<std::uint8_t>(std::max<int>(gray.pixels[i], 255 - drawn.pixels[i]));
  const auto turned = vision::invert_dark_fills(gray, dpi);
  check(turned.has_value(), "the bar is a dark ground");
  if (!turned) return;
  const auto found = vision::find_lines(vision::find_ink(*turned, vision::ink_reach(dpi), never), width, height, dpi, never);
  std::size_t whole = 0;
  for (const FoundLine& one : found) {
    check(one.box.top > 190 && one.box.bottom < 330, "a line where there is no bar");
    whole += one.box.left <= 102 && one.box.right >= 860 ? 1 : 0;
  }
  check(whole == 1, std::to_string(whole) + " of 1 line on the bar");
}

}  // namespace
