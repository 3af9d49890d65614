// The angle of made pages: clean, noisy, crowded with what is no text, and without text.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "harness.h"
#include "page.h"
#include "vision/skew_angle.h"

namespace lectern::vision {
namespace {

using test::check;
using test::check_near;
using test::Page;
using test::pick;

// A4 at 75 dpi, which the search uses as it is; one test goes through the halving of 150 dpi.
constexpr int width = 620;
constexpr int height = 877;

double angle_of(const Page& page) { return deskew_angle(page.bitmap(), Cancel{}); }

/// Two columns of text that do not share their baselines, and a heading.
Page text_page(double degrees, unsigned seed, double size = 5) {
  std::mt19937 random(seed);
  Page page(width, height, degrees);
  page.text(70, 60, 550, 90, size * 1.8, random);
  page.text(70, 100, 300, 800, size, random);
  page.text(320, 104, 550, 640, size * 1.1, random);
  return page;
}

LECTERN_TEST("skew angle: clean pages are right within 0.1 degree") {
  unsigned seed = 1;
  for (const double degrees : {-15.0, -9.3, -3.2, -1.0, -0.4, -0.05, 0.0, 0.05, 0.3, 0.75, 2.6, 7.7, 14.9}) {
    check_near(angle_of(text_page(degrees, seed++)), degrees, 0.1, "page at " + std::to_string(degrees));
  }
}

LECTERN_TEST("skew angle: a page of 150 dpi, small and large type") {
  for (const double size : {7.0, 10.0, 24.0}) {
    std::mt19937 random(9);
    Page page(1240, 1754, 1.35);
    page.text(150, 150, 1100, 1500, size, random);
    check_near(angle_of(page), 1.35, 0.1, "letters of " + std::to_string(size));
  }
}

LECTERN_TEST("skew angle: noisy, speckled and shaded pages are right within 0.2 degree") {
  for (const double degrees : {-11.0, -0.6, 0.0, 1.9, 6.4}) {
    Page page = text_page(degrees, 20);
    std::mt19937 random(21);
    page.shade(0.45);
    page.noise(18, random);
    page.specks(0.004, random);
    check_near(angle_of(page), degrees, 0.2, "page at " + std::to_string(degrees));
  }
}

LECTERN_TEST("skew angle: one line of text suffices, as does white text on black") {
  std::mt19937 random(4);
  Page line(500, 60, -1.5);
  line.text(30, 15, 470, 38, 8, random);
  check_near(angle_of(line), -1.5, 0.2, "one line");
  Page inverse = text_page(2.2, 30);
  inverse.invert();
  check_near(angle_of(inverse), 2.2, 0.1, "white on black");
}

LECTERN_TEST("skew angle: tables, frames, pictures and scan borders at other angles do not mislead") {
  std::mt19937 random(5);
  Page page(width, height, 1.8);
  page.text(70, 60, 550, 330, 5, random);
  page.text(70, 600, 550, 800, 5, random);
  page.turn(-6);
  // A ruled table without text, a hatched picture with a frame, the lid's shadow.
  for (int i = 0; i <= 6; ++i) {
    page.rectangle(80, 360 + i * 20, 290, 362 + i * 20);
    page.rectangle(80 + i * 35, 360, 82 + i * 35, 482);
  }
  for (int i = 0; i < 20; ++i) page.rectangle(330, 370 + i * 9, 540, 373 + i * 9);
  page.turn(4);
  page.rectangle(-100, -100, 18, 1000, 20);
  page.rectangle(-100, 850, 800, 1000, 20);
  check_near(angle_of(page), 1.8, 0.1, "the text decides");
}

LECTERN_TEST("skew angle: a paragraph beside a picture full of texture") {
  std::mt19937 random(6);
  Page page(width, height, -2.5);
  page.text(70, 60, 550, 240, 5, random);
  for (int i = 0; i < 4000; ++i) {
    const double x = 80 + pick(random, 460);
    const double y = 290 + pick(random, 480);
    page.rectangle(x, y, x + 1 + pick(random, 7), y + 1 + pick(random, 7), static_cast<std::uint8_t>(pick(random, 200)));
  }
  check_near(angle_of(page), -2.5, 0.2, "the paragraph decides");
}

LECTERN_TEST("skew angle: a page without text is not turned") {
  std::mt19937 random(7);
  for (const int paper : {0, 128, 255}) check(angle_of(Page(width, height, 0, static_cast<std::uint8_t>(paper))) == 0, "plain");

  Page noise(width, height, 0, 235);
  noise.noise(25, random);
  check(angle_of(noise) == 0, "noise");

  Page specks(width, height);
  specks.specks(0.02, random);
  check(angle_of(specks) == 0, "specks");

  Page shade(width, height);
  shade.shade(0.9);
  check(angle_of(shade) == 0, "shade");

  Page texture(width, height);
  for (int i = 0; i < 6000; ++i) {
    const double x = pick(random, width);
    const double y = pick(random, height);
    texture.rectangle(x, y, x + 1 + pick(random, 9), y + 1 + pick(random, 9), static_cast<std::uint8_t>(pick(random, 200)));
  }
  check(angle_of(texture) == 0, "texture");

  Page form(width, height, 3);
  for (int i = 0; i < 20; ++i) form.rectangle(60, 60 + i * 37, 560, 61 + i * 37);
  form.rectangle(60, 60, 62, 763);
  form.rectangle(558, 60, 560, 763);
  check(angle_of(form) == 0, "an empty form");
}

LECTERN_TEST("skew angle: text that runs up the page or leans past the range leaves it as it is") {
  for (const double degrees : {-88.0, 92.0, 40.0, 25.0, 17.0, -20.0}) {
    check(angle_of(text_page(degrees, 40)) == 0, "text at " + std::to_string(degrees));
  }
  // The first letters of all lines stand on a straight line too: a level one.
  check_near(angle_of(text_page(90, 40)), 0, 0.2, "text at 90");
}

LECTERN_TEST("skew angle: text upside down leans as much") {
  check_near(angle_of(text_page(183, 41)), 3, 0.1, "text at 183");
}

LECTERN_TEST("skew angle: the smallest and the longest bitmaps") {
  for (const auto& [w, h] : {std::pair{1, 1}, std::pair{2, 3}, std::pair{1, 9000}, std::pair{9000, 1}, std::pair{3, 32768}}) {
    check(angle_of(Page(w, h)) == 0, std::to_string(w) + "x" + std::to_string(h));
  }
}

LECTERN_TEST("skew angle: the stride is honoured and nothing outside is read") {
  const Page page = text_page(1.1, 50);
  const Bitmap tight = page.bitmap();
  const std::size_t stride = tight.stride + 20;
  std::vector<std::uint8_t> wide(stride * (height - 1) + tight.stride, 7);
  for (int y = 0; y < height; ++y) std::memcpy(&wide[static_cast<std::size_t>(y) * stride], tight.row(y), tight.stride);
  const double expected = angle_of(page);
  check(deskew_angle({wide.data(), width, height, stride}, Cancel{}) == expected, "equal to the last bit");
}

LECTERN_TEST("skew angle: a cancelled search stops") {
  const Page page = text_page(0, 60);
  Cancel cancel;
  cancel.request();
  test::check_throws(ErrorCode::cancelled, [&] { deskew_angle(page.bitmap(), cancel); }, "deskew");
}

}  // namespace
}  // namespace lectern::vision
