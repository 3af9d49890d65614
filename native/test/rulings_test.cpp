// Rulings against pages that the test draws.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "harness.h"
#include "vision/rulings.h"

namespace {

using lectern::Cancel;
using lectern::vision::find_rulings;
using lectern::vision::GreyImage;
using lectern::vision::Ruling;
using namespace lectern::test;

constexpr int dpi = 200;

GreyImage blank(int width, int height, std::uint8_t paper = 255) {
  GreyImage image{width, height, {}};
  image.pixels.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper);
  return image;
}

void fill(GreyImage& image, int left, int top, int right, int bottom, std::uint8_t ink) {
  for (int y = std::max(0, top); y < std::min(image.height, bottom); ++y) {
    for (int x = std::max(0, left); x < std::min(image.width, right); ++x) {
      image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)] = ink;
    }
  }
}

std::vector<Ruling> rulings_of(const GreyImage& image) {
  const Cancel never;
  return find_rulings(image, dpi, never);
}

bool has(const std::vector<Ruling>& rulings, bool horizontal, double position, double start, double end) {
  return std::any_of(rulings.begin(), rulings.end(), [&](const Ruling& ruling) {
    return ruling.horizontal == horizontal && std::abs(static_cast<double>(ruling.position) - position) <= 1 &&
           std::abs(static_cast<double>(ruling.start) - start) <= 2 && std::abs(static_cast<double>(ruling.end) - end) <= 2;
  });
}

LECTERN_TEST("rulings: a grid's lines, black and light grey, with their places") {
  for (const std::uint8_t ink : {std::uint8_t{0}, std::uint8_t{200}}) {
    GreyImage image = blank(1000, 800, 250);
    for (int row = 0; row < 4; ++row) fill(image, 100, 100 + 100 * row, 903, 103 + 100 * row, ink);
    for (int column = 0; column < 5; ++column) fill(image, 100 + 200 * column, 100, 103 + 200 * column, 403, ink);
    const auto rulings = rulings_of(image);
    check(rulings.size() == 9, std::to_string(rulings.size()) + " of 9 lines");
    for (int row = 0; row < 4; ++row) check(has(rulings, true, 101.5 + 100 * row, 100, 903), "row " + std::to_string(row));
    for (int column = 0; column < 5; ++column) check(has(rulings, false, 101.5 + 200 * column, 100, 403), "column " + std::to_string(column));
    for (const Ruling& ruling : rulings) check_near(static_cast<double>(ruling.thickness), 3, 1.0, "thickness");
  }
}

LECTERN_TEST("rulings: a line that leans by half a degree or is broken is one line") {
  GreyImage image = blank(1000, 400);
  for (int x = 100; x < 900; ++x) {
    const int y = 100 + static_cast<int>(std::lround((x - 100) * 0.0087));
    fill(image, x, y, x + 1, y + 2, 0);
    if (x % 40 > 1) fill(image, x, 300, x + 1, 302, 0);
  }
  const auto rulings = rulings_of(image);
  check(rulings.size() == 2, std::to_string(rulings.size()) + " of 2 lines");
  check(has(rulings, true, 104.5, 100, 900), "the leaning one");
  check(has(rulings, true, 301, 100, 900), "the broken one");
}

LECTERN_TEST("rulings: letters, boxes and short strokes are none") {
  GreyImage image = blank(1000, 800);
  fill(image, 100, 100, 800, 200, 0);    // a bar
  fill(image, 100, 300, 160, 303, 0);    // 0.3 inch
  fill(image, 500, 300, 700, 500, 190);  // a shade
  for (int letter = 0; letter < 40; ++letter) fill(image, 100 + 20 * letter, 600, 112 + 20 * letter, 625, 0);
  check(rulings_of(image).empty(), std::to_string(rulings_of(image).size()) + " lines where there is none");
}

LECTERN_TEST("rulings: blank, black and tiny pages have none, and a cancel is heard") {
  for (const auto& [width, height, paper] : {std::tuple{300, 300, 255}, std::tuple{300, 300, 0}, std::tuple{1, 1, 128}, std::tuple{1, 900, 0}}) {
    check(rulings_of(blank(width, height, static_cast<std::uint8_t>(paper))).empty(), "no line");
  }
  Cancel cancelled;
  cancelled.request();
  check_throws(lectern::ErrorCode::cancelled, [&] { find_rulings(blank(100, 100), dpi, cancelled); }, "cancelled");
}

}  // namespace
