// Converts a map of text probabilities to boxes around text lines, as networks of differentiable binarisation (DB) need it.
#pragma once

#include <span>
#include <vector>

#include "cancel.h"
#include "vision/quad.h"

namespace lectern::vision {

struct TextMapOptions {
  float threshold = 0.3F;      // a pixel above it is text
  float box_threshold = 0.6F;  // a box with a lower mean is dropped
  double unclip = 1.5;         // such a network marks shrunken lines: a box grows by area * unclip / circumference (Liao et al. 2020, 3.4)
  int most_boxes = 1000;       // connected components that are examined, from the top
};

struct TextBox {
  Quad corners;  // pixels of the map
  float score;   // mean of the map in the box before it grew
};

/// `map` (height, width), without NaN. A box is left out if its shorter side covers fewer than 4 pixel centres, or is below 5 after it grew. Sorted from the top,
/// then from the left. Throws Error `cancelled`.
std::vector<TextBox> find_text_boxes(std::span<const float> map, int width, int height, const TextMapOptions& options, const Cancel& cancel);

}  // namespace lectern::vision
