// A page's bitmap as the input picture of an installed network, and the way back from its pixels to the page.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "cancel.h"
#include "vision/image.h"

namespace lectern::vision {

/// How a bitmap of other proportions comes into a network's picture.
enum class Fit {
  stretch,  // each axis by itself
  centre,   // whole and in proportion, padded on both sides
  corner,   // the same, padded at the right and at the bottom
};

/// Channels are in the network's order, values on the 0..1 scale: out = (in - mean) / std.
struct Preparation {
  Fit fit = Fit::stretch;
  bool bgr = false;  // blue is the network's first channel, not red
  std::array<float, 3> mean{0, 0, 0};
  std::array<float, 3> std{1, 1, 1};
  std::optional<float> pad;  // of the padding, before mean and std; absent: 0 after them
};

/// Where the bitmap lies in a network's picture.
struct Placement {
  double left, top;         // pixels of the picture
  double scale_x, scale_y;  // pixels of the picture for one of the bitmap
  int width, height;        // of the bitmap

  /// Pixels of the bitmap, kept inside it.
  double page_x(double x) const;
  double page_y(double y) const;
};

/// The bitmap's width and height in a picture of that size, at least 1 each; halves are rounded up.
std::array<int, 2> fitted(const Bitmap& bitmap, int width, int height, Fit fit);

/// Writes `out` (3, height, width). Throws Error `cancelled`.
Placement prepare(const Bitmap& bitmap, int width, int height, const Preparation& preparation, std::span<float> out, const Cancel& cancel);

}  // namespace lectern::vision
