// Text lines as chains of the lowest points of their letters, and the skew that all of them share.
#pragma once

#include <vector>

#include "cancel.h"
#include "vision/ink.h"

namespace lectern::vision {

struct Skew {
  double degrees;  // counter-clockwise positive
  int points;      // letters, about
  int support;     // of these, the letters that stand on one of the straight lines
};

/// Measures the skew near `degrees` (within about a degree) from the marks that `is_text` selects. The function chains letters into lines along that direction and fits one slope to all lines,
/// each with an intercept of its own. Columns whose lines do not meet, and tables, therefore do not mislead it, and a long line has more weight than a short one.
/// `letter_height` in pixels. Throws Error `cancelled`.
Skew measure_skew(const Ink& ink, const std::vector<bool>& is_text, int letter_height, double degrees,
                  const Cancel& cancel);

}  // namespace lectern::vision
