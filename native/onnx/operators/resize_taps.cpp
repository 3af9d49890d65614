#include "onnx/operators/resize_taps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lectern::onnx {
namespace {

float coordinate(Coordinates mode, const ResizeAxis& axis, std::int64_t index) {
  const auto x = static_cast<float>(index);
  const auto in = static_cast<float>(axis.in);
  const auto out = static_cast<float>(axis.out);
  switch (mode) {
    case Coordinates::half_pixel: return (x + 0.5F) / axis.scale - 0.5F;
    case Coordinates::half_pixel_symmetric: {
      const float adjustment = out / (axis.scale * in);
      const float centre = in / 2;
      return centre * (1 - adjustment) + (x + 0.5F) / axis.scale - 0.5F;
    }
    case Coordinates::pytorch_half_pixel: return axis.out > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0;
    case Coordinates::align_corners: return axis.out == 1 ? 0 : x * (in - 1) / (out - 1);
    case Coordinates::asymmetric: return x / axis.scale;
    case Coordinates::tf_crop_and_resize:
      return axis.out > 1 ? axis.start * (in - 1) + x * (axis.end - axis.start) * (in - 1) / (out - 1) : 0.5F * (axis.start + axis.end) * (in - 1);
  }
  return 0;
}

/// A valid index for any number: NaN and numbers before the axis become 0, numbers behind it the last index.
std::int32_t clamped(float x, std::int64_t size) {
  if (!(x > 0)) return 0;
  // Compared as a float, used as an integer: size - 1 above 2^24 may be rounded up to size.
  return static_cast<std::int32_t>(x < static_cast<float>(size - 1) ? static_cast<std::int64_t>(x) : size - 1);
}

float nearest_of(Nearest mode, float x, float scale) {
  switch (mode) {
    case Nearest::round_prefer_floor: return x == std::floor(x) + 0.5F ? std::floor(x) : std::round(x);
    case Nearest::round_prefer_ceil: return x == std::floor(x) + 0.5F ? std::ceil(x) : std::round(x);
    case Nearest::floor: return std::floor(x);
    case Nearest::ceil: return std::ceil(x);
    case Nearest::simple: return scale < 1 ? std::ceil(x) : std::trunc(x);
  }
  return x;
}

/// The cubic kernel (Keys 1981) at distance d.
float cubic(float d, float a) {
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

/// The neighbours of x and their weights. Neighbours outside repeat the edge, or are dropped and the other weights normalised to 1.
void add_neighbours(const ResizeMode& mode, std::int64_t size, float x, TapList& taps) {
  if (mode.interpolation == Interpolation::linear) {
    const float inside = x > 0 ? std::min(x, static_cast<float>(size - 1)) : 0;
    const std::int32_t low = clamped(inside, size);
    const std::int32_t high = std::min(low + 1, static_cast<std::int32_t>(size) - 1);
    const float part = inside - static_cast<float>(low);
    taps.indices.insert(taps.indices.end(), {low, high});
    taps.weights.insert(taps.weights.end(), {1 - part, part});
    return;
  }
  const float low = std::floor(x);
  std::array<float, 4> weights{};
  float sum = 0;
  for (int i = 0; i < 4; i++) {
    const float place = low + static_cast<float>(i - 1);
    const bool outside = !(place >= 0 && place < static_cast<float>(size));
    const float weight = mode.exclude_outside && outside ? 0 : cubic(x - place, mode.cubic_a);
    weights[static_cast<std::size_t>(i)] = weight;
    sum += weight;
    taps.indices.push_back(clamped(place, size));
  }
  for (const float weight : weights) taps.weights.push_back(mode.exclude_outside && sum != 0 ? weight / sum : weight);
}

/// The filter is as wide as a step over the input, so that every input counts.
TapList antialiased(const ResizeMode& mode, const ResizeAxis& axis) {
  const float stretch = std::max(1.0F, 1 / axis.scale);
  const float support = (mode.interpolation == Interpolation::linear ? 1.0F : 2.0F) * stretch;
  TapList taps;
  taps.count = static_cast<int>(std::ceil(std::min(support, static_cast<float>(2 * axis.in + 8)))) * 2 + 1;
  for (std::int64_t j = 0; j < axis.out; j++) {
    const float centre = coordinate(mode.coordinates, axis, j) + 0.5F;
    const float first = std::floor(centre - support + 0.5F);
    const std::size_t begin = taps.weights.size();
    float sum = 0;
    for (int t = 0; t < taps.count; t++) {
      const float place = first + static_cast<float>(t);
      const float distance = (place - centre + 0.5F) / stretch;
      float weight = mode.interpolation == Interpolation::linear ? std::max(0.0F, 1 - std::abs(distance)) : cubic(distance, mode.cubic_a);
      if (mode.exclude_outside && !(place >= 0 && place < static_cast<float>(axis.in))) weight = 0;
      sum += weight;
      taps.indices.push_back(clamped(place, axis.in));
      taps.weights.push_back(weight);
    }
    for (std::size_t i = begin; i < taps.weights.size() && sum != 0; i++) taps.weights[i] /= sum;
  }
  return taps;
}

}  // namespace

TapList resize_taps(const ResizeMode& mode, const ResizeAxis& axis) {
  if (mode.antialias && mode.interpolation != Interpolation::nearest) return antialiased(mode, axis);
  TapList taps;
  taps.count = mode.interpolation == Interpolation::nearest ? 1 : mode.interpolation == Interpolation::linear ? 2 : 4;
  for (std::int64_t j = 0; j < axis.out; j++) {
    const float x = coordinate(mode.coordinates, axis, j);
    if (mode.coordinates == Coordinates::tf_crop_and_resize && !(x >= 0 && x <= static_cast<float>(axis.in - 1))) {
      taps.indices.insert(taps.indices.end(), static_cast<std::size_t>(taps.count), -1);
      taps.weights.insert(taps.weights.end(), static_cast<std::size_t>(taps.count), 0.0F);
    } else if (mode.interpolation == Interpolation::nearest) {
      taps.indices.push_back(clamped(nearest_of(mode.nearest, x, axis.scale), axis.in));
      taps.weights.push_back(1);
    } else {
      add_neighbours(mode, axis.in, x, taps);
    }
  }
  return taps;
}

}  // namespace lectern::onnx
