// Computes the hull by Andrew's monotone chain, and the rectangle by a test of each side of the hull.
#include "vision/quad.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lectern::vision {
namespace {

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(double factor, Point a) { return {factor * a.x, factor * a.y}; }
double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
// hypot() would need a glibc of 2.35.
double length(Point a) { return std::sqrt(a.x * a.x + a.y * a.y); }

/// The rectangle around the points with sides along `along`, which has length 1.
Quad around(const std::vector<Point>& points, Point along) {
  const Point across{-along.y, along.x};
  double least[2] = {dot(points[0], along), dot(points[0], across)};
  double most[2] = {least[0], least[1]};
  for (const Point& point : points) {
    const double at[2] = {dot(point, along), dot(point, across)};
    for (int axis = 0; axis < 2; ++axis) {
      least[axis] = std::min(least[axis], at[axis]);
      most[axis] = std::max(most[axis], at[axis]);
    }
  }
  const auto corner = [&](double a, double b) { return a * along + b * across; };
  return {corner(least[0], least[1]), corner(most[0], least[1]), corner(most[0], most[1]), corner(least[0], most[1])};
}

/// The upper one of the two leftmost corners comes first, then the others clockwise (y grows downwards).
Quad ordered(Quad quad) {
  std::sort(quad.begin(), quad.end(), [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  if (quad[0].y > quad[1].y) std::swap(quad[0], quad[1]);
  if (quad[2].y > quad[3].y) std::swap(quad[2], quad[3]);
  return {quad[0], quad[2], quad[3], quad[1]};
}

}  // namespace

double width_of(const Quad& quad) { return length(quad[1] - quad[0]); }
double height_of(const Quad& quad) { return length(quad[3] - quad[0]); }

std::vector<Point> convex_hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end(), [](Point a, Point b) { return a.x == b.x && a.y == b.y; }), points.end());
  if (points.size() < 3) return points;
  std::vector<Point> hull;
  const auto add = [&](Point point, std::size_t least) {
    while (hull.size() >= least + 2 && cross(hull.back() - hull[hull.size() - 2], point - hull.back()) <= 0) hull.pop_back();
    hull.push_back(point);
  };
  for (const Point& point : points) add(point, 0);
  const std::size_t lower = hull.size() - 1;
  for (std::size_t i = points.size() - 1; i-- > 0;) add(points[i], lower);
  hull.pop_back();
  return hull;
}

Quad smallest_rectangle(const std::vector<Point>& hull) {
  Quad best = around(hull, {1, 0});
  double least = width_of(best) * height_of(best);
  for (std::size_t i = 0; hull.size() > 1 && i < hull.size(); ++i) {
    const Point side = hull[(i + 1) % hull.size()] - hull[i];
    const Quad candidate = around(hull, 1 / length(side) * side);
    const double area = width_of(candidate) * height_of(candidate);
    if (area < least) {
      least = area;
      best = candidate;
    }
  }
  return ordered(best);
}

Quad expanded(const Quad& quad, double distance) {
  const double width = width_of(quad);
  const double height = height_of(quad);
  // If the rectangle has no extent in one direction, its other direction defines it.
  const Point along = width > 0 ? 1 / width * (quad[1] - quad[0]) : height > 0 ? Point{(quad[3] - quad[0]).y / height, -(quad[3] - quad[0]).x / height} : Point{1, 0};
  const Point across{-along.y, along.x};
  const Point out_along = distance * along;
  const Point out_across = distance * across;
  return {quad[0] - out_along - out_across, quad[1] + out_along - out_across, quad[2] + out_along + out_across, quad[3] - out_along + out_across};
}

Quad turned(const Quad& quad, int quarters) {
  Quad result = quad;
  std::rotate(result.begin(), result.begin() + quarters % 4, result.end());
  return result;
}

Picture cut_quad(const Bitmap& page, const Quad& quad, const Cancel& cancel) {
  double width = std::clamp(std::round(width_of(quad)), 1.0, static_cast<double>(max_side));
  double height = std::clamp(std::round(height_of(quad)), 1.0, static_cast<double>(max_side));
  const double too_large = std::sqrt(width * height / static_cast<double>(max_resized_pixels));
  if (too_large > 1) {
    width = std::max(1.0, std::floor(width / too_large));
    height = std::max(1.0, std::floor(height / too_large));
  }
  Picture picture{static_cast<int>(width), static_cast<int>(height), {}};
  picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 4);
  const Point step_x = 1 / width * (quad[1] - quad[0]);
  const Point step_y = 1 / height * (quad[3] - quad[0]);
  std::uint8_t* out = picture.pixels.data();
  for (int v = 0; v < picture.height; ++v) {
    cancel.check();
    for (int u = 0; u < picture.width; ++u, out += 4) {
      const Point at = quad[0] + (u + 0.5) * step_x + (v + 0.5) * step_y;
      const double x = std::clamp(at.x - 0.5, 0.0, page.width - 1.0);
      const double y = std::clamp(at.y - 0.5, 0.0, page.height - 1.0);
      const int left = static_cast<int>(x);
      const int top = static_cast<int>(y);
      const int right = std::min(left + 1, page.width - 1) * 4;
      const std::uint8_t* upper = page.row(top);
      const std::uint8_t* lower = page.row(std::min(top + 1, page.height - 1));
      const auto part_x = static_cast<float>(x - left);
      const auto part_y = static_cast<float>(y - top);
      for (int channel = 0; channel < 4; ++channel) {
        const auto between = [&](const std::uint8_t* row) {
          return static_cast<float>(row[left * 4 + channel]) * (1 - part_x) + static_cast<float>(row[right + channel]) * part_x;
        };
        out[channel] = static_cast<std::uint8_t>(between(upper) * (1 - part_y) + between(lower) * part_y + 0.5F);
      }
    }
  }
  return picture;
}

}  // namespace lectern::vision
