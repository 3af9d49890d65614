// Cutting and contrast against loops that sort and average every pixel by itself.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "harness.h"
#include "page.h"
#include "vision/line_image.h"

namespace {

using namespace lectern;
using namespace lectern::test;
using vision::FoundLine;
using vision::Gray;
using vision::LineImage;

/// The definition, word by word.
std::vector<std::uint8_t> plain_contrast(std::vector<std::uint8_t> pixels) {
  const auto percentile = [](std::vector<std::uint8_t> values, double share) {
    std::sort(values.begin(), values.end());
    return static_cast<int>(values[static_cast<std::size_t>(std::floor(share * static_cast<double>(values.size() - 1) + 1e-9))]);
  };
  int low = percentile(pixels, 0.02);
  const int high = percentile(pixels, 0.98);
  const int middle = percentile(pixels, 0.5);
  if (middle - low < high - middle) {
    for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
    low = 255 - high;
  }
  const int paper = percentile(pixels, 0.8);
  const int span = std::max(24, paper - low);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(std::clamp((pixel - (paper - span)) * 255 / span, 0, 255));
  return pixels;
}

LECTERN_TEST("line image: contrast of faded, dark, inverse, blank and random pictures, as it is defined") {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint8_t> pixels;
    const int paper = pick(random, 256), ink = pick(random, 256), noise = 1 + pick(random, 40), share = 2 + pick(random, 9);
    for (int i = 0, count = 1 + pick(random, 3000); i < count; ++i) {
      const int level = (pick(random, share) == 0 ? ink : paper) + pick(random, noise) - noise / 2;
      pixels.push_back(static_cast<std::uint8_t>(std::clamp(level, 0, 255)));
    }
    auto mine = pixels;
    vision::normalise_contrast(mine);
    check(mine == plain_contrast(pixels), "round " + std::to_string(round));
  }
  std::vector<std::uint8_t> blank(500, 200);
  vision::normalise_contrast(blank);
  check(std::all_of(blank.begin(), blank.end(), [](std::uint8_t pixel) { return pixel == 255; }), "blank paper is not white");
  std::vector<std::uint8_t> none;
  vision::normalise_contrast(none);
}

LECTERN_TEST("line image: the ink of a level line keeps its place and proportions") {
  Gray page{600, 200, {}};
  page.pixels.assign(600 * 200, 240);
  const auto fill = [&](int left, int top, int right, int bottom) {
    for (int y = top; y < bottom; ++y) for (int x = left; x < right; ++x) page.pixels[static_cast<std::size_t>(y) * 600 + static_cast<std::size_t>(x)] = 20;
  };
  fill(100, 60, 110, 100);
  fill(300, 60, 310, 110);
  const FoundLine line{{100, 60, 310, 110}, {{100, 60, 110, 100}, {300, 60, 310, 110}}, 100, 0, 40, 10};
  const LineImage image = vision::cut_line(page, line);
  check(image.width > 100 && image.pixels.size() == static_cast<std::size_t>(image.width) * vision::line_rows, "its size");
  const auto dark = [&](double x, int row) {
    const auto column = static_cast<std::size_t>((x - image.left) / image.scale);
    return image.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) + column] < 100;
  };
  check(dark(105, 16) && dark(305, 16) && !dark(200, 16), "the strokes are where they were");
  check(!dark(105, 28) && dark(305, 28), "only the second hangs below");
  check(!dark(105, 0) && !dark(305, 31), "there is paper above and below");
}

LECTERN_TEST("line image: a line that leans is level in its picture; lines at the page's edges and absurd ones") {
  Gray page{1000, 200, {}};
  page.pixels.assign(1000 * 200, 255);
  // Strokes with gaps, or it would be a page that is white on black.
  for (int x = 0; x < 1000; ++x) {
    if (x / 10 % 3 != 0) continue;
    for (int y = 0; y < 20; ++y) page.pixels[static_cast<std::size_t>(80 + y + x / 50) * 1000 + static_cast<std::size_t>(x)] = 0;
  }
  FoundLine line{{0, 80, 1000, 120}, {{0, 80, 1000, 120}}, 100, 0.02, 20, 0};
  const LineImage image = vision::cut_line(page, line);
  int rows = 0;
  for (int y = 3; y < vision::line_rows - 3; ++y) {
    int dark = 0;
    for (int stroke = 0; stroke < 33; ++stroke) {
      const auto x = static_cast<std::size_t>((5.0 + 30 * stroke - image.left) / image.scale);
      dark += image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + x] < 128;
    }
    rows += dark == 33;
  }
  check(rows >= 22, std::to_string(rows) + " rows are dark in all strokes");
  line.box = {0, 0, 1000, 1};
  line.above = 1;
  check(vision::cut_line(page, line).width == 0, "a line of one pixel's height is none");
  line.above = 30;
  line.baseline = 5;
  check(vision::cut_line(page, line).width > 0, "a line that reaches over the page's top");
}

}  // namespace
