// Detects text lines on a page by a network that maps the probability of text for each pixel (PP-OCR's detection).
#pragma once

#include <filesystem>
#include <vector>

#include "vision/preparation.h"
#include "vision/text_map.h"
#include "vision/vision_network.h"

namespace lectern::vision {

struct DetectorOptions {
  std::filesystem::path file;
  Preparation preparation;
  // The page is enlarged until its shorter side has this many pixels, then reduced until its longer side has at most that many; both are rounded to multiples of 32.
  int shortest_side = 736;
  int longest_side = 1920;
  TextMapOptions map;
  Precision precision = Precision::f16x3;
};

/// Not safe for concurrent use.
class TextDetector {
 public:
  /// Throws as VisionNetwork, and Error `invalid_model` if the network declares another output than (n, 1, h, w).
  TextDetector(const DetectorOptions& options, const Place& place);

  /// Boxes in pixels of the bitmap, from the top. Throws Error `cancelled`, and as VisionNetwork::run().
  std::vector<TextBox> find(const Bitmap& bitmap, const Cancel& cancel);

  std::size_t weight_bytes() const { return network_.weight_bytes(); }

 private:
  DetectorOptions options_;
  VisionNetwork network_;
};

/// Width and height of the picture for a bitmap, by the rule of DetectorOptions.
std::array<int, 2> detection_size(int width, int height, int shortest_side, int longest_side);

}  // namespace lectern::vision
