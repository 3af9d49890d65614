// Filled rectangles that a page's bitmap shows: the grounds of cells, stripes, heads and panels.
#pragma once

#include <cstdint>
#include <vector>

#include "cancel.h"
#include "vision/rulings.h"

namespace lectern::vision {

struct Fill {
  // Pixels, right and bottom excluded; to a seventieth of an inch.
  float left, top, right, bottom;
  std::uint8_t grey;  // its mean: 0 black to 255 white
};

/// Rectangles darker than the paper, at least half an inch wide and an eighth high, even in themselves and set off on all sides, whatever text stands on them, black or white. What is
/// L-shaped comes as several, what touches as one for each grey. Photographs, curves, blots and a page's shadows are none. `dpi` is the image's resolution, at least 70. Throws Error `cancelled`.
std::vector<Fill> find_fills(const GreyImage& image, int dpi, const Cancel& cancel);

}  // namespace lectern::vision
