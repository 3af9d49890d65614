// Grounds of cells, stripes and panels against pages that the test draws, whose grounds it therefore knows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/ink.h"
#include "vision/fills.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::GreyImage;
using vision::Fill;

constexpr int dpi = 200;
constexpr std::uint8_t paper = 250;

std::vector<Fill> fills_of(const Page& page, int resolution = dpi) {
  const Cancel never;
  vision::Gray gray = vision::shrink_to_gray(page.bitmap(), 1, never);
  return vision::find_fills({gray.width, gray.height, std::move(gray.pixels)}, resolution, never);
}

void add_noise(Page& page, double deviation = 4) {
  std::mt19937 random(11);
  page.noise(deviation, random);
}

/// Inches to pixels.
double px(double inches, int resolution = dpi) { return inches * resolution; }

/// A line of words on `baseline`, letters `size` pixels high without ascender, strokes `stroke` of that thick.
void line(Page& page, double left, double right, double baseline, double size, std::uint8_t ink, unsigned seed = 1, double stroke = 0.2) {
  std::mt19937 random(seed);
  for (double x = left; x + size <= right; x += size * 0.5) {
    for (int letters = 2 + pick(random, 7); letters > 0 && x + size <= right; --letters, x += size * 1.1) {
      page.rectangle(x, baseline - size * (pick(random, 3) == 0 ? 1.5 : 1), x + size * stroke, baseline + (pick(random, 6) == 0 ? size * 0.45 : 0), ink);
      if (pick(random, 2) == 0) page.rectangle(x + size * (0.85 - stroke), baseline - size, x + size * 0.85, baseline, ink);
      page.rectangle(x, baseline - size * stroke, x + size * 0.85, baseline, ink);
      if (pick(random, 2) == 0) page.rectangle(x, baseline - size, x + size * 0.85, baseline - size * (1 - stroke), ink);
    }
  }
}

/// Of ordinary text: 10 points.
double x_height(double points, int resolution = dpi) { return 0.46 * points * resolution / 72; }

std::string told(const Fill& fill) {
  return std::to_string(fill.left) + ", " + std::to_string(fill.top) + " to " + std::to_string(fill.right) + ", " + std::to_string(fill.bottom) + " of grey " + std::to_string(fill.grey);
}

/// There is a fill with these edges (a cell and a half may be missed) and about this grey.
bool has(const std::vector<Fill>& fills, double left, double top, double right, double bottom, int grey, int resolution = dpi) {
  const double most = 1.5 * std::max(1.0, resolution / 70.0);
  const auto near = [&](float edge, double expected) { return std::abs(static_cast<double>(edge) - expected) <= most; };
  return std::any_of(fills.begin(), fills.end(), [&](const Fill& one) {
    return near(one.left, left) && near(one.top, top) && near(one.right, right) && near(one.bottom, bottom) && std::abs(one.grey - grey) <= 4;
  });
}

void check_only(const std::vector<Fill>& fills, std::size_t count, const std::string& what) {
  check(fills.size() == count, what + ": " + std::to_string(fills.size()) + " of " + std::to_string(count));
  if (fills.size() != count) {
    for (const Fill& fill : fills) note(told(fill));
  }
}

LECTERN_TEST("fills: a light ground with dark text comes whole, sharp and noisy, straight and leaning a little") {
  for (const double lean : {0.0, 0.2, -0.2}) {
    for (const double deviation : {0.0, 5.0}) {
      Page page(1400, 1000, lean, paper);
      page.rectangle(200, 300, 1200, 700, 225);
      for (int row = 0; row < 8; ++row) line(page, 220, 1180, 345 + 45 * row, x_height(10), 20, static_cast<unsigned>(row));
      line(page, 200, 1200, 250, x_height(10), 20);
      if (deviation > 0) add_noise(page, deviation);
      const auto fills = fills_of(page);
      const std::string what = "lean " + std::to_string(lean) + ", noise " + std::to_string(deviation);
      check_only(fills, 1, what);
      // What leans is cut where all of a row is in it.
      const double off = std::abs(lean) * 0.0175 * 500;
      check(has(fills, 200, 300 + off, 1200, 700 - off, 225), what + ": its edges and grey");
    }
  }
}

LECTERN_TEST("fills: a dark ground with white text comes whole, and one without") {
  Page page(1400, 900, 0, paper);
  page.rectangle(200, 200, 1200, 270, 40);
  line(page, 230, 1100, 250, x_height(10), 255, 1, 0.25);
  page.rectangle(200, 350, 1200, 480, 70);
  line(page, 230, 1100, 440, x_height(18), 250, 2, 0.3);
  page.rectangle(200, 600, 700, 630, 0);
  add_noise(page);
  const auto fills = fills_of(page);
  check_only(fills, 3, "dark grounds");
  check(has(fills, 200, 200, 1200, 270, 40), "of a table's head");
  check(has(fills, 200, 350, 1200, 480, 70), "of a heading of 18 points");
  check(has(fills, 200, 600, 700, 630, 2), "a black bar");
}

LECTERN_TEST("fills: grounds of all greys between come whole, with white text and with black") {
  for (const std::uint8_t ink : {std::uint8_t{255}, std::uint8_t{10}}) {
    Page page(1400, 1100, 0, paper);
    for (int row = 0; row < 8; ++row) {
      page.rectangle(150, 100 + 110 * row, 1250, 170 + 110 * row, static_cast<std::uint8_t>(60 + 20 * row));
      for (int column = 0; column < 4; ++column) line(page, 170 + 270 * column, 400 + 270 * column, 145 + 110 * row, x_height(10), ink, static_cast<unsigned>(4 * row + column), 0.25);
    }
    add_noise(page);
    const auto fills = fills_of(page);
    check_only(fills, 8, "letters of grey " + std::to_string(ink));
    for (int row = 0; row < 8; ++row) check(has(fills, 150, 100 + 110 * row, 1250, 170 + 110 * row, 60 + 20 * row), "ground of grey " + std::to_string(60 + 20 * row));
  }
}

LECTERN_TEST("fills: stripes eight levels darker than paper are one each, with the rows between them white") {
  Page page(1400, 1100, 0, paper);
  for (int row = 0; row < 12; ++row) {
    const double top = 200 + 60 * row;
    if (row % 2 == 0) page.rectangle(150, top, 1250, top + 60, paper - 8);
    for (int column = 0; column < 4; ++column) line(page, 170 + 270 * column, 340 + 270 * column, top + 42, x_height(9), 20, static_cast<unsigned>(4 * row + column));
  }
  add_noise(page, 3);
  const auto fills = fills_of(page);
  check_only(fills, 6, "stripes");
  for (int row = 0; row < 12; row += 2) check(has(fills, 150, 200 + 60 * row, 1250, 260 + 60 * row, paper - 8), "stripe " + std::to_string(row));
}

LECTERN_TEST("fills: a head, stripes and a first column of other greys that touch are one each") {
  Page page(1400, 1200, 0, paper);
  page.rectangle(200, 100, 1200, 160, 190);
  for (int row = 0; row < 6; ++row) page.rectangle(200, 160 + 60 * row, 1200, 220 + 60 * row, row % 2 == 0 ? 222 : 231);
  for (int row = 0; row < 7; ++row) line(page, 230, 1150, 140 + 60 * row, x_height(9), 20, static_cast<unsigned>(row));
  // Beside each other.
  page.rectangle(200, 700, 500, 900, 200), page.rectangle(500, 700, 1200, 900, 228);
  // White rules no wider than a cell between them.
  for (int row = 0; row < 3; ++row) page.rectangle(200, 950 + 40 * row, 1200, 986 + 40 * row, 215);
  for (int column = 0; column < 3; ++column) page.rectangle(200 + 340 * column, 1080, 536 + 340 * column, 1140, 215);
  add_noise(page);
  const auto fills = fills_of(page);
  check_only(fills, 15, "touching");
  check(has(fills, 200, 100, 1200, 160, 190), "the head");
  for (int row = 0; row < 6; ++row) check(has(fills, 200, 160 + 60 * row, 1200, 220 + 60 * row, row % 2 == 0 ? 222 : 231), "stripe " + std::to_string(row));
  check(has(fills, 200, 700, 500, 900, 200) && has(fills, 500, 700, 1200, 900, 228), "side by side");
  for (int row = 0; row < 3; ++row) check(has(fills, 200, 950 + 40 * row, 1200, 986 + 40 * row, 215), "between white rules " + std::to_string(row));
  for (int column = 0; column < 3; ++column) check(has(fills, 200 + 340 * column, 1080, 536 + 340 * column, 1140, 215), "between upright white rules " + std::to_string(column));
}

LECTERN_TEST("fills: an L comes as two, cells apart as one each") {
  Page page(1400, 900, 0, paper);
  page.rectangle(200, 100, 400, 500, 220), page.rectangle(400, 300, 1200, 500, 220);
  for (int cell = 0; cell < 3; ++cell) page.rectangle(200 + 320 * cell, 600, 500 + 320 * cell, 700, 230);
  add_noise(page);
  const auto fills = fills_of(page);
  check_only(fills, 5, "two of an L and three cells");
  check(has(fills, 200, 100, 400, 300, 220) && has(fills, 200, 300, 1200, 500, 220), "the L");
  for (int cell = 0; cell < 3; ++cell) check(has(fills, 200 + 320 * cell, 600, 500 + 320 * cell, 700, 230), "cell " + std::to_string(cell));
}

LECTERN_TEST("fills: what is narrower than half an inch or lower than an eighth is none") {
  Page page(1400, 900, 0, paper);
  page.rectangle(200, 100, 285, 400, 220);
  page.rectangle(500, 100, 1200, 118, 220);
  page.rectangle(500, 300, 1200, 318, 30);
  page.rectangle(300, 600, 420, 640, 220);  // the least
  const auto fills = fills_of(page);
  check_only(fills, 1, "large enough");
  check(has(fills, 300, 600, 420, 640, 220), "0.6 by 0.2 inch");
}

LECTERN_TEST("fills: paper's noise, dirt and mottles are none") {
  for (const double deviation : {1.0, 6.0, 20.0}) {
    Page page(1200, 900, 0, 240);
    std::mt19937 random(5);
    for (int i = 0; i < 8; ++i) page.rectangle(100 + 250 * (i % 4), 100 + 400 * (i / 4), 280 + 250 * (i % 4), 300 + 400 * (i / 4), 237);
    page.specks(0.002, random);
    page.noise(deviation, random);
    check_only(fills_of(page), 0, "noise " + std::to_string(deviation));
  }
}

/// Rows of rectangles: a circle, light or dark.
void disc(Page& page, double x, double y, double radius, std::uint8_t grey) {
  for (int row = static_cast<int>(-radius); row < radius; ++row) {
    const double half = std::sqrt(radius * radius - row * row);
    page.rectangle(x - half, y + row, x + half, y + row + 1, grey);
  }
}

LECTERN_TEST("fills: circles, light and dark, large and small, are none") {
  Page page(1600, 1400, 0, paper);
  disc(page, 500, 500, 400, 215), disc(page, 1200, 400, 280, 60), disc(page, 1100, 1000, 200, 230), disc(page, 300, 1150, 150, 20);
  add_noise(page);
  check_only(fills_of(page), 0, "circles");
}

LECTERN_TEST("fills: pictures, light and dark, whose greys change are none") {
  // Each is a gradient along both of its sides.
  const auto picture = [](Page& page, int left, int top, int right, int bottom, int darkest, int lightest) {
    for (int y = top; y < bottom; y += 10) {
      for (int x = left; x < right; x += 10) {
        const double share = 0.5 * (x - left) / (right - left) + 0.5 * (y - top) / (bottom - top);
        page.rectangle(x, y, x + 10, y + 10, static_cast<std::uint8_t>(darkest + share * (lightest - darkest)));
      }
    }
  };
  Page page(1600, 1400, 0, paper);
  picture(page, 100, 100, 700, 600, 150, 235);
  picture(page, 900, 100, 1500, 600, 20, 115);
  picture(page, 100, 700, 700, 1300, 60, 240);
  picture(page, 900, 700, 1500, 1300, 195, 235);
  add_noise(page);
  check_only(fills_of(page), 0, "pictures");
}

LECTERN_TEST("fills: text in all sizes, light and bold, close lines too, is none") {
  for (const int resolution : {100, 200, 300}) {
    Page page(8 * resolution, 11 * resolution, 0, paper);
    double y = px(0.8, resolution);
    unsigned seed = 1;
    for (const auto& [points, stroke] : {std::tuple{7.0, 0.2}, {9.0, 0.2}, {10.0, 0.35}, {12.0, 0.2}, {14.0, 0.35}, {18.0, 0.2}, {18.0, 0.35}, {24.0, 0.35}, {36.0, 0.35}}) {
      for (int row = 0; row < 5 && y < px(10.5, resolution); ++row, y += 1.15 * points * resolution / 72) {
        line(page, px(0.8, resolution), px(7.2, resolution), y, x_height(points, resolution), 15, seed++, stroke);
      }
      y += px(0.1, resolution);
    }
    add_noise(page);
    check_only(fills_of(page, resolution), 0, std::to_string(resolution) + " dpi");
  }
}

LECTERN_TEST("fills: a shadow at a page's side or head that fades is none, noisy or smooth, dark or light") {
  for (const int darkest : {120, 205, 232, 236}) {
    for (const double deviation : {0.0, 3.0}) {
      Page page(1400, 1800, 0, paper);
      for (int i = 0; i < 200; ++i) {
        const auto grey = static_cast<std::uint8_t>(darkest + (paper - darkest) * i / 200);
        page.rectangle(i, 0, i + 1, 1800, grey);
        if (darkest == 236) page.rectangle(i, i, 1400, i + 1, grey);
      }
      for (int row = 0; row < 30; ++row) line(page, 260, 1300, 150 + 50 * row, x_height(10), 20, static_cast<unsigned>(row));
      if (deviation > 0) add_noise(page, deviation);
      check_only(fills_of(page), 0, "from " + std::to_string(darkest) + ", noise " + std::to_string(deviation));
    }
  }
}

LECTERN_TEST("fills: at the least and at a high resolution they are where they are drawn") {
  for (const int resolution : {70, 600}) {
    Page page(6 * resolution, 4 * resolution, 0, paper);
    page.rectangle(px(1, resolution), px(0.5, resolution), px(5, resolution), px(1.5, resolution), 225);
    line(page, px(1.2, resolution), px(4.8, resolution), px(1, resolution), x_height(10, resolution), 20);
    page.rectangle(px(1, resolution), px(2, resolution), px(5, resolution), px(2.5, resolution), 50);
    line(page, px(1.2, resolution), px(4.8, resolution), px(2.3, resolution), x_height(10, resolution), 250, 2, 0.3);
    add_noise(page, 1.5);
    const auto fills = fills_of(page, resolution);
    const std::string what = std::to_string(resolution) + " dpi";
    check_only(fills, 2, what);
    check(has(fills, px(1, resolution), px(0.5, resolution), px(5, resolution), px(1.5, resolution), 225, resolution), what + ": the light one");
    check(has(fills, px(1, resolution), px(2, resolution), px(5, resolution), px(2.5, resolution), 50, resolution), what + ": the dark one");
  }
}

LECTERN_TEST("fills: blank, black and tiny pages have none, and a cancel is heard") {
  const Cancel never;
  for (const auto& [width, height] : {std::tuple{300, 300}, {1, 1}, {3, 3}, {1, 900}, {900, 1}, {3, 900}, {900, 3}, {2, 2}}) {
    for (const std::uint8_t grey : {std::uint8_t{255}, std::uint8_t{128}, std::uint8_t{0}}) {
      for (const int resolution : {70, 72, 200, 300, 600}) check_only(fills_of(Page(width, height, 0, grey), resolution), 0, std::to_string(width) + " by " + std::to_string(height));
    }
  }
  Cancel cancelled;
  cancelled.request();
  check_throws(ErrorCode::cancelled, [&] { vision::find_fills({100, 100, std::vector<std::uint8_t>(10000, 255)}, dpi, cancelled); }, "cancelled");
}

}  // namespace
