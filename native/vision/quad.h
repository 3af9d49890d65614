// Rotated rectangles on a page: the smallest one around points, enlarging, cutting out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cancel.h"
#include "vision/image.h"

namespace lectern::vision {

/// Pixels; the pixel (x, y) covers [x, x + 1) by [y, y + 1).
struct Point {
  double x;
  double y;
};

/// The corners of a rectangle, clockwise on the page, in the order of its text: top left, top right, bottom right, bottom left.
using Quad = std::array<Point, 4>;

double width_of(const Quad& quad);
double height_of(const Quad& quad);

/// The convex hull, counter-clockwise with y upwards, without points on its edges. Fewer than three distinct points are returned unchanged.
std::vector<Point> convex_hull(std::vector<Point> points);

/// The rectangle of the least area around the points of a convex hull: one of its sides lies on a side of the hull (Freeman and Shapira 1975). Of the two corners
/// at the left the upper one comes first. `hull` is not empty.
Quad smallest_rectangle(const std::vector<Point>& hull);

/// Moves every side out by `distance`: the result is the smallest rectangle around the outline offset by that radius.
Quad expanded(const Quad& quad, double distance);

/// The same rectangle with its text beginning `quarters` corners later: 1 reads from the top right downwards, 2 reads upside down.
Quad turned(const Quad& quad, int quarters);

/// A bitmap that owns its pixels.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  // (height, width, 4)

  Bitmap bitmap() const { return {pixels.data(), width, height, static_cast<std::size_t>(width) * 4}; }
};

/// The pixels inside the rectangle, upright, at the scale of the page, interpolated linearly. Beyond the edges of the page its border pixels repeat.
/// A result above max_resized_pixels is reduced. Throws Error `cancelled`.
Picture cut_quad(const Bitmap& page, const Quad& quad, const Cancel& cancel);

}  // namespace lectern::vision
