// Filled rectangles in the bitmap of a page: fills of cells, stripes, header rows and panels.
#pragma once

#include <cstdint>
#include <vector>

#include "cancel.h"
#include "vision/rulings.h"

namespace lectern::vision {

struct Fill {
  // Pixels, right and bottom excluded; exact to a seventieth of an inch.
  float left, top, right, bottom;
  std::uint8_t grey;  // mean: 0 black to 255 white
};

/// Finds rectangles that are darker than the paper, at least half an inch wide and an eighth high, uniform inside and distinct from their surroundings on all sides. Text on them may be black or white.
/// An L-shape is returned as several rectangles, touching fills as one for each grey. Photographs, curves, blots and shadows of a page are not fills. `dpi` is the image's resolution, at least 70. Throws Error `cancelled`.
std::vector<Fill> find_fills(const GreyImage& image, int dpi, const Cancel& cancel);

}  // namespace lectern::vision
