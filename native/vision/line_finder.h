// Text lines on an upright page: which marks stand beside each other, and the baseline that they stand on.
#pragma once

#include <vector>

#include "cancel.h"
#include "vision/ink.h"
#include "vision/text_lines.h"

namespace lectern::vision {

/// A piece of a line without a wide gap: columns and cells of tables come apart.
struct FoundLine {
  PixelBox box;                 // of its ink
  std::vector<PixelBox> marks;  // by their left side; letters, what touches, dots and accents
  // The line that the letters stand on: y = baseline + slope * (x - box.left).
  double baseline;
  double slope;
  // How far its ink reaches above and below the baseline, pixels; both at least 0.
  double above;
  double below;
};

/// For `find_ink`, where its marks are for `find_lines`: a third of an inch, so that bars and the letters of headlines are not hollow.
constexpr int ink_reach(int dpi) { return dpi / 3; }

/// Lines of letters between 3 and 100 points high, sorted by their top, on a page of `dpi` dots per inch (at least 70) whose lines lean by at most a degree.
/// Rulings, frames, pictures and specks are none; a picture's grain may be. Throws Error `cancelled`.
std::vector<FoundLine> find_lines(const Ink& ink, int width, int height, int dpi, const Cancel& cancel);

}  // namespace lectern::vision
