// The detector that ships with the program: it finds the cores of text lines, which reach from the baseline to the x-height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "cancel.h"
#include "onnx/network.h"
#include "vision/ink.h"
#include "vision/line_finder.h"

namespace lectern {
class Backend;
}

namespace lectern::vision {

/// The output of the detector for a page, cell by cell.
struct CoreMap {
  int width = 0;
  int height = 0;
  std::vector<float> cores;           // (height, width): 0..1, of text that is upright or upside down; 0 where text runs down the page
  double cell = 1;                    // pixels of the page that a cell covers, along both axes

  float at(int x, int y) const { return cores[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)]; }
};

/// One network in memory. Not safe for concurrent use.
class PageDetector {
 public:
  /// `file` is an ONNX network with one input (n, 1, h, w), ink 1 and paper 0, sides multiples of 16, and one output (n, 6, h / 4, w / 4): the logit of a core, four logits of the
  /// orientation (upright, then turned clockwise by 90, 180, 270 degrees) and the lean. Its metadata holds `dpi`, the resolution that it was trained on. Throws Error
  /// `model_not_found`, and `invalid_model` for another network.
  PageDetector(const std::filesystem::path& file, Backend& backend, int threads);

  /// `dpi` of the page, 70..2400. Throws Error `cancelled`.
  CoreMap look(const Gray& page, int dpi, const Cancel& cancel);

 private:
  onnx::Network network_;
  double dpi_ = 0;
};

/// Lines along the map's cores, without marks, sorted by their top. Their boxes, baselines and heights are those of a face whose core is 0.46 em high.
std::vector<FoundLine> lines_along(const CoreMap& map);

/// Share of the line's length, 0..1, along which the map has a core between the baseline and the top of the line.
double core_share(const CoreMap& map, const FoundLine& line);

}  // namespace lectern::vision
