// Resizes the bitmap, then copies its planes into the padded picture.
#include "vision/preparation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace lectern::vision {

double Placement::page_x(double x) const { return std::clamp((x - left) / scale_x, 0.0, static_cast<double>(width)); }
double Placement::page_y(double y) const { return std::clamp((y - top) / scale_y, 0.0, static_cast<double>(height)); }

std::array<int, 2> fitted(const Bitmap& bitmap, int width, int height, Fit fit) {
  if (fit == Fit::stretch) return {width, height};
  const double ratio = std::min(static_cast<double>(width) / bitmap.width, static_cast<double>(height) / bitmap.height);
  const auto side = [&](int length, int most) { return std::clamp(static_cast<int>(std::floor(length * ratio + 0.5)), 1, most); };
  return {side(bitmap.width, width), side(bitmap.height, height)};
}

Placement prepare(const Bitmap& bitmap, int width, int height, const Preparation& preparation, std::span<float> out, const Cancel& cancel) {
  const auto [inner_width, inner_height] = fitted(bitmap, width, height, preparation.fit);
  const bool centred = preparation.fit == Fit::centre;
  const int left = centred ? (width - inner_width) / 2 : 0;
  const int top = centred ? (height - inner_height) / 2 : 0;
  // resize() knows R, G, B. If blue comes first, the network's channel c is channel (2 - c).
  const auto channel_of = [&](std::size_t channel) { return preparation.bgr ? 2 - channel : channel; };
  ResizeOptions options{inner_width, inner_height, {}, {}};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    options.mean[channel_of(channel)] = preparation.mean[channel];
    options.std[channel_of(channel)] = preparation.std[channel];
  }
  const Placement placement{static_cast<double>(left), static_cast<double>(top), static_cast<double>(inner_width) / bitmap.width, static_cast<double>(inner_height) / bitmap.height, bitmap.width, bitmap.height};
  if (inner_width == width && inner_height == height && !preparation.bgr) {
    resize(bitmap, options, out, cancel);
    return placement;
  }
  const auto columns = static_cast<std::size_t>(inner_width);
  const auto rows = static_cast<std::size_t>(inner_height);
  std::vector<float> inner(3 * columns * rows);
  resize(bitmap, options, inner, cancel);
  const auto line = static_cast<std::size_t>(width);
  const std::size_t plane = line * static_cast<std::size_t>(height);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const float pad = preparation.pad ? (*preparation.pad - preparation.mean[channel]) / preparation.std[channel] : 0.0F;
    float* target = out.data() + channel * plane;
    std::fill(target, target + plane, pad);
    const float* source = inner.data() + channel_of(channel) * columns * rows;
    for (std::size_t y = 0; y < rows; ++y) {
      std::copy(source + y * columns, source + (y + 1) * columns, target + (y + static_cast<std::size_t>(top)) * line + static_cast<std::size_t>(left));
    }
  }
  return placement;
}

}  // namespace lectern::vision
