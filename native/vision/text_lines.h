// Recognised text of a bitmap: lines of words with their boxes, from any recogniser.
#pragma once

#include <string>
#include <vector>

#include "vision/rulings.h"
#include "vision/fills.h"

namespace lectern::vision {

/// A box in pixels of the bitmap. y grows downwards; right and bottom lie behind the last pixel.
struct PixelBox {
  int left;
  int top;
  int right;
  int bottom;
};

struct ReadWord {
  std::string text;  // UTF-8, not empty
  PixelBox box;      // of its ink
  float confidence;  // 0..1
};

struct ReadLine {
  std::vector<ReadWord> words;  // in reading order
  // Two points of the baseline.
  float baseline_left_x, baseline_left_y;
  float baseline_right_x, baseline_right_y;
};

/// A small square frame, and whether it is ticked.
struct TickBox {
  PixelBox box;
  bool ticked;
};

/// The text and the shapes that were recognised in a page's bitmap.
struct ReadPage {
  std::vector<ReadLine> lines;
  std::vector<Ruling> rulings;
  std::vector<TickBox> tick_boxes = {};
  std::vector<Fill> fills = {};
  bool turned = false;  // the lines are upside down or run down the page: none was recognised, as the caller requested
};

}  // namespace lectern::vision
