// Finds text lines on an upright page: the marks that stand beside each other, and their baseline.
#pragma once

#include <vector>

#include "cancel.h"
#include "vision/ink.h"
#include "vision/text_lines.h"

namespace lectern::vision {

/// A fragment of a line without a wide gap. Columns and table cells are therefore separate fragments.
struct FoundLine {
  PixelBox box;                 // of its ink
  std::vector<PixelBox> marks;  // sorted by their left side: letters, letters that touch, dots and accents
  // The baseline: y = baseline + slope * (x - box.left).
  double baseline;
  double slope;
  // How far its ink reaches above and below the baseline, in pixels; both at least 0.
  double above;
  double below;
};

/// The reach for `find_ink` if `find_lines` uses its marks: a third of an inch, so that bars and the letters of headlines are not hollow.
constexpr int ink_reach(int dpi) { return dpi / 3; }

/// Finds lines of letters between 3 and 100 points high, sorted by their top, on a page of `dpi` dots per inch (at least 70) whose lines lean by at most a degree.
/// Rulings, frames, pictures and specks are not lines; the grain of a picture may be returned. Throws Error `cancelled`.
std::vector<FoundLine> find_lines(const Ink& ink, int width, int height, int dpi, const Cancel& cancel);

}  // namespace lectern::vision
