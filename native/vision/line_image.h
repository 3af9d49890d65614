// One text line cut out of a page, level, at the height and contrast that the recogniser was trained on.
#pragma once

#include <cstdint>
#include <vector>

#include "vision/ink.h"
#include "vision/line_finder.h"

namespace lectern::vision {

/// Rows of a line's picture.
inline constexpr int line_rows = 32;
/// A picture with more columns is not a text line.
inline constexpr int max_line_columns = 16384;

struct LineImage {
  int width = 0;                     // 0: the picture cannot be read
  std::vector<std::uint8_t> pixels;  // (line_rows, width), paper 255, ink 0
  // Column c shows the page from `left + c * scale` on.
  double left = 0;
  double scale = 1;
};

/// The line's ink with a margin of paper. Columns are moved up or down by whole pixels so that the baseline is level.
LineImage cut_line(const Gray& page, const FoundLine& line);

/// The whole picture as one line. The width is 0 if the picture is too long for a text line.
LineImage line_image(const Gray& picture);

/// Normalises the contrast in place: the 2nd percentile and darker become 0, paper becomes 255; white text on black is inverted first. Paper is the 80th percentile.
/// The range covers at least 24 levels, so that blank paper stays blank. A percentile is the value at floor(q * (count - 1)) of the sorted pixels.
void normalise_contrast(std::vector<std::uint8_t>& pixels);

}  // namespace lectern::vision
