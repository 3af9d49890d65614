// One line of text cut out of a page, straight, at the height and contrast that the recogniser was trained on.
#pragma once

#include <cstdint>
#include <vector>

#include "vision/ink.h"
#include "vision/line_finder.h"

namespace lectern::vision {

/// Rows of a line's picture.
inline constexpr int line_rows = 32;
/// Columns beyond which nothing is taken for a line of text.
inline constexpr int max_line_columns = 16384;

struct LineImage {
  int width = 0;                     // 0: nothing that could be read
  std::vector<std::uint8_t> pixels;  // (line_rows, width), paper 255, ink 0
  // Column c shows the page from `left + c * scale` on.
  double left = 0;
  double scale = 1;
};

/// The line's ink with a little paper around; columns are moved up or down by whole pixels so that the baseline is level.
LineImage cut_line(const Gray& page, const FoundLine& line);

/// The whole picture as one line. Width 0 where it is absurdly long.
LineImage line_image(const Gray& picture);

/// Normalises the contrast in place: the 2nd percentile or darker becomes 0, paper 255; white on black is inverted first. Paper is the 80th percentile,
/// and the range covers at least 24 levels, so that blank paper stays blank. Percentiles are the value at floor(q * (count - 1)) of the sorted pixels.
void normalise_contrast(std::vector<std::uint8_t>& pixels);

}  // namespace lectern::vision
