// Cuts the line, levels it, resizes both axes and normalises the contrast.
#include "vision/line_image.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vision/filter.h"

namespace lectern::vision {
namespace {

// Paper around the ink, as a share of the line's height.
constexpr double paper_above = 0.07;
constexpr double paper_beside = 0.2;

constexpr int least_span = 24;

/// The page's pixels in the line's box, with a level baseline: (height, width).
struct Cut {
  int width;
  int height;
  std::vector<std::uint8_t> pixels;
};

Cut level(const Gray& page, const FoundLine& line, int left, int right, double above, double below) {
  const auto top = static_cast<int>(std::floor(line.baseline - above));
  Cut cut{right - left, std::max(1, static_cast<int>(std::ceil(line.baseline + below)) - top), {}};
  cut.pixels.assign(static_cast<std::size_t>(cut.width) * static_cast<std::size_t>(cut.height), 255);
  for (int x = left; x < right; ++x) {
    if (x < 0 || x >= page.width) continue;
    const int start = top + static_cast<int>(std::lround(line.slope * (x - line.box.left)));
    for (int y = std::max(0, -start); y < cut.height && start + y < page.height; ++y) {
      cut.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(cut.width) + static_cast<std::size_t>(x - left)] =
          page.pixels[static_cast<std::size_t>(start + y) * static_cast<std::size_t>(page.width) + static_cast<std::size_t>(x)];
    }
  }
  return cut;
}

/// Keeps the proportion: rows and columns of the picture have one scale.
LineImage image_of(const Cut& cut, double left) {
  LineImage image;
  image.width = std::max(1, static_cast<int>(std::lround(static_cast<double>(cut.width) * line_rows / cut.height)));
  image.pixels = resample(cut.pixels, cut.width, cut.height, image.width, line_rows);
  image.left = left;
  image.scale = static_cast<double>(cut.width) / image.width;
  normalise_contrast(image.pixels);
  return image;
}

}  // namespace

void normalise_contrast(std::vector<std::uint8_t>& pixels) {
  if (pixels.empty()) return;
  std::array<std::size_t, 256> counts{};
  for (const std::uint8_t pixel : pixels) ++counts[pixel];
  const auto at = [&](int percent) {
    std::size_t left = (pixels.size() - 1) * static_cast<std::size_t>(percent) / 100;
    int value = 0;
    while (counts[static_cast<std::size_t>(value)] <= left) left -= counts[static_cast<std::size_t>(value++)];
    return value;
  };
  int low = at(2);
  const int high = at(98);
  const bool inverse = at(50) - low < high - at(50);
  if (inverse) {
    low = 255 - high;
    std::reverse(counts.begin(), counts.end());
  }
  const int paper = at(80);
  const int span = std::max(least_span, paper - low);
  std::array<std::uint8_t, 256> stretched{};
  for (int value = 0; value < 256; ++value) {
    const int grey = inverse ? 255 - value : value;
    stretched[static_cast<std::size_t>(value)] = static_cast<std::uint8_t>(std::clamp((grey - (paper - span)) * 255 / span, 0, 255));
  }
  for (std::uint8_t& pixel : pixels) pixel = stretched[pixel];
}

LineImage cut_line(const Gray& page, const FoundLine& line) {
  const double size = line.above + line.below;
  const double around = std::max(1.0, paper_above * size);
  const auto beside = static_cast<int>(std::ceil(paper_beside * size));
  const int left = line.box.left - beside;
  const int right = line.box.right + beside;
  const double height = size + 2 * around;
  const double columns = (right - left) * line_rows / height;
  if (size < 3 || columns < 1 || columns > max_line_columns) return {};
  return image_of(level(page, line, left, right, line.above + around, line.below + around), left);
}

LineImage line_image(const Gray& picture) {
  if (static_cast<double>(picture.width) * line_rows / picture.height > max_line_columns) return {};
  return image_of({picture.width, picture.height, picture.pixels}, 0);
}

}  // namespace lectern::vision
