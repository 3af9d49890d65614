// Rulings against pages that the test draws.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include "harness.h"
#include "vision/rulings.h"

namespace {

using lectern::Cancel;
using lectern::vision::find_rulings;
using lectern::vision::GreyImage;
using lectern::vision::Ruling;
using lectern::vision::wipe_upright_rulings;
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

/// Letters of `height` pixels on a foot each, `pitch` apart, which are `wide` of it; their stems are `stem` wide. Feet run together where `wide` is `pitch`.
void footed(GreyImage& image, int left, int right, int baseline, int height, int pitch, int wide, int stem) {
  for (int x = left; x + wide <= right; x += pitch) {
    fill(image, x, baseline - 4, x + wide, baseline, 0);
    fill(image, x + (wide - stem) / 2, baseline - height, x + (wide - stem) / 2 + stem, baseline, 0);
  }
}

LECTERN_TEST("rulings: feet of letters that run together are none, in a word and, thicker, along a line") {
  GreyImage image = blank(1400, 700);
  footed(image, 100, 340, 150, 28, 16, 16, 5);    // 1.2 inches: stems stand on a third of it
  footed(image, 100, 1300, 350, 28, 16, 16, 9);   // 6 inches: on more than half
  // Hanging from their upper ends.
  for (int x = 100; x < 340; x += 16) fill(image, x, 500, x + 16, 504, 0), fill(image, x + 5, 500, x + 10, 528, 0);
  check(rulings_of(image).empty(), std::to_string(rulings_of(image).size()) + " rules made of letters");
}

LECTERN_TEST("rulings: those that letters stand close to, touch here and there, or stand on are still rules") {
  GreyImage image = blank(1400, 1000);
  // Text ends three pixels above and begins three below.
  fill(image, 100, 100, 340, 103, 0);
  footed(image, 100, 340, 97, 24, 16, 12, 8), footed(image, 100, 340, 130, 24, 16, 12, 8);
  // A word's underline: two of its fifteen letters reach through it.
  fill(image, 100, 200, 340, 203, 0);
  footed(image, 100, 340, 195, 24, 16, 12, 4);
  fill(image, 140, 190, 145, 212, 0), fill(image, 284, 190, 289, 212, 0);
  // A line of a form, of six inches, on which all letters stand.
  fill(image, 100, 300, 1300, 303, 0);
  for (int x = 100; x + 16 <= 1300; x += 16) fill(image, x, 276, x + 6, 300, 0);
  // Uprights cross it.
  fill(image, 100, 450, 1300, 453, 0);
  for (int column = 0; column < 12; ++column) fill(image, 100 + 100 * column, 400, 103 + 100 * column, 500, 0);
  // One that leans by most of a degree, with text close above it.
  for (int x = 100; x < 380; ++x) fill(image, x, 600 + (x - 100) / 70, x + 1, 603 + (x - 100) / 70, 0);
  footed(image, 100, 380, 595, 24, 16, 12, 8);
  const auto rulings = rulings_of(image);
  check(has(rulings, true, 101.5, 100, 340), "between lines of text");
  check(has(rulings, true, 201.5, 100, 340), "under a word");
  check(has(rulings, true, 301.5, 100, 1300), "under letters that stand on it");
  check(has(rulings, true, 451.5, 100, 1300), "crossed");
  check(has(rulings, true, 603, 100, 380), "leaning");
  const auto level = std::count_if(rulings.begin(), rulings.end(), [](const Ruling& ruling) { return ruling.horizontal; });
  check(level == 5, std::to_string(level) + " of 5 level rules");
}

std::uint8_t pixel(const GreyImage& image, int x, int y) { return image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)]; }

LECTERN_TEST("rulings: double ones, as under a total, are two whatever lies between them, and soft edges are none of letters'") {
  for (const int gap : {1, 2, 3, 4, 6}) {
    GreyImage image = blank(1000, 400, 250);
    fill(image, 100, 200, 600, 202, 30);
    fill(image, 100, 202 + gap, 600, 204 + gap, 30);
    check(rulings_of(image).size() == 2, std::to_string(gap) + " pixels between: " + std::to_string(rulings_of(image).size()));
  }
  // The row beside the rule is grey, and broken by noise into pieces.
  GreyImage image = blank(1000, 400, 250);
  fill(image, 100, 200, 600, 203, 30);
  for (int x = 100; x < 600; ++x) fill(image, x, 203, x + 1, 204, x % 10 < 7 ? std::uint8_t{195} : std::uint8_t{235});
  const Cancel never;
  for (const int resolution : {100, 150, 200}) check(!find_rulings(image, resolution, never).empty(), std::to_string(resolution) + " dpi");
}

LECTERN_TEST("rulings: upright ones of a table leave the picture, level ones, letters beside and large letters stay") {
  GreyImage image = blank(1000, 700, 240);
  // The upright rules lean by five pixels, and have light edges.
  const auto shift = [](int y) { return (y - 100) / 60; };
  for (int y = 100; y < 403; ++y) {
    for (const int x : {100, 400, 900}) fill(image, x + shift(y), y, x + 3 + shift(y), y + 1, 30), fill(image, x - 1 + shift(y), y, x + shift(y), y + 1, 212), fill(image, x + 3 + shift(y), y, x + 4 + shift(y), y + 1, 212);
  }
  for (int row = 0; row < 3; ++row) fill(image, 100, 100 + 150 * row, 903, 103 + 150 * row, 30);
  for (int letter = 0; letter < 6; ++letter) fill(image, 300 + 16 * letter, 160, 310 + 16 * letter, 185, 0);  // the last ends eleven pixels before the rule
  fill(image, 391, 200, 397, 225, 0), fill(image, 408, 200, 414, 225, 0), fill(image, 405, 110, 411, 130, 0);                                      // on both sides of it
  fill(image, 405, 300, 416, 320, 0);                                                                        // touches it
  fill(image, 600, 520, 606, 640, 0), fill(image, 606, 578, 690, 583, 0), fill(image, 690, 520, 696, 640, 0);         // H in a light face
  fill(image, 500, 520, 508, 640, 0);                                                                        // 0.6 inch by itself: a letter of a headline
  const auto rulings = rulings_of(image);
  check(has(rulings, false, 403.5, 100, 403) && has(rulings, false, 504, 520, 640), "both are found");
  const GreyImage before = image;
  wipe_upright_rulings(image, rulings, dpi);
  for (int y = 104; y < 403; ++y) {
    if ((y >= 249 && y < 254) || y >= 399) continue;
    for (const int x : {100, 400, 900}) {
      for (int column = x - 1; column < x + 4; ++column) {
        const bool touched = x == 400 && y >= 300 && y < 320 && column + shift(y) >= 405;
        if (!touched) check(pixel(image, column + shift(y), y) >= 225, "a rule is left at " + std::to_string(column + shift(y)) + ", " + std::to_string(y));
      }
    }
  }
  for (const auto& [x, y] : {std::pair{305, 170}, {385, 170}, {394, 210}, {396, 210}, {408, 210}, {412, 210}, {406, 120}, {409, 310}, {413, 310}, {504, 600}, {603, 530}, {603, 580}, {693, 620}, {600, 101}, {403, 251}, {103, 251}}) {
    check(pixel(image, x, y) == pixel(before, x, y), "what stood at " + std::to_string(x) + ", " + std::to_string(y) + " has changed");
  }
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
