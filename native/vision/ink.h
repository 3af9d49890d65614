// The ink of a page: runs of dark pixels, and the connected marks that they form.
#pragma once

#include <cstdint>
#include <vector>

#include "cancel.h"
#include "vision/image.h"

namespace lectern::vision {

/// A page in grey, 0 black to 255 white, reduced by a whole factor.
struct Gray {
  int width;
  int height;
  std::vector<std::uint8_t> pixels;  // (height, width)
};

/// Code that walks along a run takes at most this many pixels at once; a letter is wider.
inline constexpr int run_step = 8;

/// Dark pixels beside each other in one row: x in [begin, end).
struct Run {
  int y;
  int begin;
  int end;
  int mark;  // index into Ink::marks
};

/// Runs that touch, also diagonally: a letter, a word whose letters touch, a ruling, a blot.
struct Mark {
  int left, top, right, bottom;  // right and bottom exclusive
  int area;                      // pixels

  int width() const { return right - left; }
  int height() const { return bottom - top; }
};

struct Ink {
  std::vector<Run> runs;  // by row, then by column
  std::vector<Mark> marks;
};

/// Every pixel is the mean of factor x factor pixels of luminance (R + 2 G + B) / 4. The remaining pixels at the right and at the
/// bottom are dropped. `factor` is at least 1 and at most the shorter side.
Gray shrink_to_gray(const Bitmap& bitmap, int factor, const Cancel& cancel);

/// A pixel is ink if it is darker than its surroundings: below 85 % of the mean of the square that reaches `reach` pixels to each
/// side. Shading, stains and the shadow of a book's spine are therefore not ink.
Ink find_ink(const Gray& gray, int reach, const Cancel& cancel);

}  // namespace lectern::vision
