// Converts the bitmap of a page to the input picture of an installed network, and maps the picture's pixels back to the page.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "cancel.h"
#include "vision/image.h"

namespace lectern::vision {

/// How a bitmap of other proportions is fitted into a network's picture.
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
  std::optional<float> pad;  // value of the padding before mean and std; absent: 0 after them
};

/// The place of the bitmap in a network's picture.
struct Placement {
  double left, top;         // pixels of the picture
  double scale_x, scale_y;  // pixels of the picture per pixel of the bitmap
  int width, height;        // of the bitmap

  /// Maps to pixels of the bitmap, clamped to it.
  double page_x(double x) const;
  double page_y(double y) const;
};

/// The width and height of the bitmap in a picture of that size, at least 1 each; halves are rounded up.
std::array<int, 2> fitted(const Bitmap& bitmap, int width, int height, Fit fit);

/// Writes `out` (3, height, width). Throws Error `cancelled`.
Placement prepare(const Bitmap& bitmap, int width, int height, const Preparation& preparation, std::span<float> out, const Cancel& cancel);

}  // namespace lectern::vision
