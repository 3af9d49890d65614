#include "vision/text_detector.h"

#include <algorithm>
#include <cmath>

namespace lectern::vision {
namespace {

// Such networks halve their picture five times.
constexpr int side_multiple = 32;

}  // namespace

std::array<int, 2> detection_size(int width, int height, int shortest_side, int longest_side) {
  double ratio = std::max(1.0, static_cast<double>(shortest_side) / std::min(width, height));
  ratio = std::min(ratio, static_cast<double>(longest_side) / std::max(width, height));
  const auto side = [&](int length) {
    const auto multiples = static_cast<int>(std::floor(length * ratio / side_multiple + 0.5));
    return std::max(1, multiples) * side_multiple;
  };
  return {side(width), side(height)};
}

TextDetector::TextDetector(const DetectorOptions& options, const Place& place) : options_(options), network_(options.file, place, options.precision) {
  const int channels = network_.declared(0, 1);
  if (network_.network().outputs()[0].sizes.size() > 0 && (network_.network().outputs()[0].sizes.size() != 4 || (channels >= 0 && channels != 1))) network_.refuse("its output is not (n, 1, h, w)");
}

std::vector<TextBox> TextDetector::find(const Bitmap& bitmap, const Cancel& cancel) {
  auto [width, height] = detection_size(bitmap.width, bitmap.height, options_.shortest_side, options_.longest_side);
  if (network_.width() > 0) width = network_.width();
  if (network_.height() > 0) height = network_.height();
  std::vector<float> picture(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  const Placement placement = prepare(bitmap, width, height, options_.preparation, picture, cancel);
  const auto outputs = network_.run(picture, 1, height, width, cancel);
  const auto sizes = network_.sizes(outputs[0], 4, 1);
  if (sizes[1] != 1 || sizes[2] != height || sizes[3] != width) network_.refuse("its map is not of the size of its picture");
  std::vector<TextBox> boxes = find_text_boxes(outputs[0].as<float>(), width, height, options_.map, cancel);
  for (TextBox& box : boxes) {
    for (Point& corner : box.corners) corner = {placement.page_x(corner.x), placement.page_y(corner.y)};
  }
  // The padding is not part of the page: a detection in it has no extent on the page.
  std::erase_if(boxes, [](const TextBox& box) { return width_of(box.corners) < 1 || height_of(box.corners) < 1; });
  return boxes;
}

}  // namespace lectern::vision
