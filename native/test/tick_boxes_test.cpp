// Boxes to tick against pages that the test draws, whose boxes it therefore knows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/line_finder.h"
#include "vision/tick_boxes.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::FoundTickBox;
using vision::Gray;

constexpr int dpi = 200;
const Cancel never;

Gray gray_of(const Page& page) { return vision::shrink_to_gray(page.bitmap(), 1, never); }

std::vector<FoundTickBox> boxes_of(const Page& page) {
  const Gray gray = gray_of(page);
  return vision::find_tick_boxes(vision::find_ink(gray, vision::ink_reach(dpi), never), gray.height, dpi, never);
}

void frame(Page& page, double x, double y, double side, double thickness, std::uint8_t ink = 0) {
  page.rectangle(x, y, x + side, y + thickness, ink);
  page.rectangle(x, y + side - thickness, x + side, y + side, ink);
  page.rectangle(x, y, x + thickness, y + side, ink);
  page.rectangle(x + side - thickness, y, x + side, y + side, ink);
}

/// A stroke of a pen.
void stroke(Page& page, double x0, double y0, double x1, double y1, double thickness = 2.5) {
  const int steps = static_cast<int>(std::hypot(x1 - x0, y1 - y0) * 2);
  for (int i = 0; i <= steps; ++i) {
    const double x = x0 + (x1 - x0) * i / steps, y = y0 + (y1 - y0) * i / steps;
    page.rectangle(x - thickness / 2, y - thickness / 2, x + thickness / 2, y + thickness / 2, 20);
  }
}

void cross(Page& page, double x, double y, double side) {
  stroke(page, x + 0.2 * side, y + 0.2 * side, x + 0.8 * side, y + 0.8 * side);
  stroke(page, x + 0.8 * side, y + 0.2 * side, x + 0.2 * side, y + 0.8 * side);
}

/// A ring with a bow of that thickness, as the letter O.
void ring(Page& page, double x, double y, double across, double thickness) {
  for (int i = 0; i < 400; ++i) {
    const double angle = i * 3.14159265358979 / 200, r = (across - thickness) / 2;
    const double cx = x + across / 2 + r * std::cos(angle), cy = y + across / 2 + r * std::sin(angle);
    page.rectangle(cx - thickness / 2, cy - thickness / 2, cx + thickness / 2, cy + thickness / 2);
  }
}

/// Letters behind a box.
void word(Page& page, double x, double baseline) {
  for (int i = 0; i < 6; ++i) {
    page.rectangle(x + 16 * i, baseline - 18, x + 16 * i + 3, baseline);
    page.rectangle(x + 16 * i, baseline - 9, x + 16 * i + 11, baseline - 6);
  }
}

LECTERN_TEST("tick boxes: of many sizes and strokes, empty and crossed, straight and leaning, clean and noisy") {
  for (const double lean : {0.0, 0.25, -0.25}) {
    for (const double deviation : {0.0, 12.0}) {
      Page page(1200, 900, lean);
      int drawn = 0;
      for (const double side : {18.0, 22.5, 27.0, 33.0, 44.0}) {
        for (const double thickness : {1.5, 2.0, 3.2}) {
          const double x = 80 + 220 * (drawn % 5), y = 80 + 120 * (drawn / 5) + 0.3 * drawn;
          frame(page, x, y, side, thickness, drawn % 3 == 0 ? 110 : 0);
          if (drawn % 2 == 1) cross(page, x, y, side);
          word(page, x + side + 12, y + side);
          ++drawn;
        }
      }
      std::mt19937 random(7);
      if (deviation > 0) page.noise(deviation, random);
      const auto found = boxes_of(page);
      const auto ticked = std::count_if(found.begin(), found.end(), [](const FoundTickBox& one) { return one.box.ticked; });
      const std::string what = " with lean " + std::to_string(lean) + " and noise " + std::to_string(deviation);
      // Noise may break an edge of a thin frame.
      check(static_cast<int>(found.size()) >= (deviation > 0 ? drawn - 1 : drawn) && static_cast<int>(found.size()) <= drawn, std::to_string(found.size()) + " of " + std::to_string(drawn) + what);
      check(ticked >= drawn / 2 - (deviation > 0 ? 1 : 0) && ticked <= drawn / 2, std::to_string(ticked) + " of " + std::to_string(drawn / 2) + " ticked" + what);
    }
  }
}

LECTERN_TEST("tick boxes: a tick that runs out of its frame is part of it, and all of it is wiped out") {
  Page page(600, 300);
  frame(page, 100, 100, 26, 2);
  stroke(page, 104, 112, 112, 122);
  stroke(page, 112, 122, 140, 86);
  word(page, 150, 126);
  Gray gray = gray_of(page);
  const auto ink = vision::find_ink(gray, vision::ink_reach(dpi), never);
  const auto found = vision::find_tick_boxes(ink, gray.height, dpi, never);
  check(found.size() == 1 && found[0].box.ticked && !found[0].full, std::to_string(found.size()) + " boxes");
  const Gray inside = vision::inside_of(gray, found[0].box);
  check(inside.width > 10 && inside.height > 10 && inside.pixels.size() == static_cast<std::size_t>(inside.width) * static_cast<std::size_t>(inside.height), "what is within is a picture");
  vision::wipe_out(gray, ink, found[0]);
  for (int y = 70; y < 140; ++y) {
    for (int x = 90; x < 148; ++x) check(gray.pixels[static_cast<std::size_t>(y) * 600 + static_cast<std::size_t>(x)] > 200, "ink is left at " + std::to_string(x) + ", " + std::to_string(y));
  }
  check(gray.pixels[120 * 600 + 151] < 60, "its text is not touched");
}

LECTERN_TEST("tick boxes: cells, rings, letters of a word, framed text lines and full squares are none") {
  Page page(1200, 900);
  for (int i = 0; i < 8; ++i) frame(page, 80 + 25 * i, 80, 26, 2);                                   // one letter a cell
  for (int i = 0; i < 5; ++i) frame(page, 80, 160 + 25 * i, 26, 2);                                  // a column of cells
  for (int i = 0; i < 48; ++i) ring(page, 300 + 50 * (i % 16), 120 + 50 * (i / 16), 17 + i % 16, 2 + 1.5 * (i / 16));  // O
  for (int i = 0; i < 6; ++i) frame(page, 300 + 28 * i, 290, 24, 4);                                 // letters with flat sides, close to each other
  frame(page, 600, 290, 24, 3), page.rectangle(592, 290, 595, 314), page.rectangle(588, 290, 597, 294);  // the last of a word
  frame(page, 80, 400, 300, 2), word(page, 100, 430);                                                // a box with text
  page.rectangle(80, 760, 106, 786), word(page, 120, 786);                                           // a bullet
  for (int i = 0; i < 4; ++i) page.rectangle(500, 400 + 40 * i, 900, 402 + 40 * i), page.rectangle(500 + 130 * i, 400, 502 + 130 * i, 520);
  const auto found = boxes_of(page);
  check(found.empty(), std::to_string(found.size()) + " boxes where there is none");
  for (const FoundTickBox& one : found) check(false, "a box at " + std::to_string(one.box.box.left) + ", " + std::to_string(one.box.box.top) + " of " + std::to_string(one.box.box.right - one.box.box.left));
}

LECTERN_TEST("tick boxes: a full square among hollow ones is ticked, with and without a light mark on it") {
  Page page(900, 300);
  frame(page, 80, 100, 26, 2), word(page, 118, 126);
  page.rectangle(300, 100, 326, 126), word(page, 338, 126);
  page.rectangle(520, 100, 546, 126, 100), page.rectangle(526, 112, 530, 120, 255), page.rectangle(530, 106, 541, 110, 255), word(page, 558, 126);
  const auto found = boxes_of(page);
  check(found.size() == 3, std::to_string(found.size()) + " of 3");
  for (const FoundTickBox& one : found) check(one.box.ticked == (one.box.box.left > 200) && one.full == one.box.ticked, "state of the one at " + std::to_string(one.box.box.left));
}

LECTERN_TEST("tick boxes: a page full of them is a pattern; blank, black and tiny pages have none, and a cancel is heard") {
  Page pattern(2400, 2400);
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 48; ++x) frame(pattern, 20 + 49 * x, 20 + 49 * y, 22, 2);
  }
  check(boxes_of(pattern).empty(), "boxes in a pattern");
  // Hatching: every stroke has dozens below it that end where it does.
  Page hatched(2400, 2400);
  for (int y = 0; y < 1200; ++y) {
    for (int x = 0; x < 80; ++x) hatched.rectangle(30 * x, 2 * y, 30 * x + 24, 2 * y + 1);
  }
  const std::clock_t begin = std::clock();
  check(boxes_of(hatched).empty(), "boxes in hatching");
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  check(seconds < 3, "hatching takes " + std::to_string(seconds) + " s");
  for (const auto& [width, height, paper] : {std::tuple{300, 300, 255}, std::tuple{300, 300, 0}, std::tuple{1, 1, 128}, std::tuple{1, 900, 0}, std::tuple{900, 1, 0}}) {
    check(boxes_of(Page(width, height, 0, static_cast<std::uint8_t>(paper))).empty(), "boxes on a page without any");
  }
  Cancel cancelled;
  cancelled.request();
  Page page(200, 200);
  frame(page, 80, 80, 26, 2);
  const Gray gray = gray_of(page);
  const auto ink = vision::find_ink(gray, vision::ink_reach(dpi), never);
  check_throws(ErrorCode::cancelled, [&] { vision::find_tick_boxes(ink, gray.height, dpi, cancelled); }, "cancelled");
}

}  // namespace
