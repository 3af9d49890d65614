// The source elements of each element of a resized axis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lectern::onnx {

enum class Coordinates { half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, tf_crop_and_resize };
enum class Nearest { round_prefer_floor, round_prefer_ceil, floor, ceil, simple };  // simple: opset 10
enum class Interpolation { nearest, linear, cubic };

struct ResizeMode {
  Interpolation interpolation = Interpolation::nearest;
  Coordinates coordinates = Coordinates::half_pixel;
  Nearest nearest = Nearest::round_prefer_floor;
  bool antialias = false;
  bool exclude_outside = false;
  float cubic_a = -0.75F;
};

struct ResizeAxis {
  std::int64_t in, out;
  float scale;
  float start = 0, end = 1;  // tf_crop_and_resize
};

struct TapList {
  int count = 0;  // per output
  std::vector<std::int32_t> indices;
  std::vector<float> weights;
};

/// Follows ONNX's definition of Resize. Coordinates are f32, as in the usual runtimes, so that ties are rounded in the same way. in and out are at least 1.
TapList resize_taps(const ResizeMode& mode, const ResizeAxis& axis);

}  // namespace lectern::onnx
