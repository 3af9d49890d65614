// Detects whether text lines are upright: a small network that ships with the program classifies the longest lines of a page, and these lines vote.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cancel.h"
#include "onnx/network.h"
#include "vision/image.h"
#include "vision/line_image.h"

namespace lectern {
class Backend;
}

namespace lectern::vision {

/// The sum of the votes. A line votes with its probabilities times its length: a line of n columns of 8 pixels, at 32 rows, has n votes, up to a maximum.
struct LineVotes {
  double upright = 0;
  double turned = 0;   // upside down
  double neither = 0;  // not a line along the picture's rows: the text runs across them
  int lines = 0;       // the lines that were classified

  /// Whether upright has more than half of all votes; false without votes.
  bool stands_upright() const { return upright > turned + neither; }
};

/// The options of a vote.
struct VoteOptions {
  std::string network;  // path of an ONNX file that LineOrientation takes
  int dpi;              // of the bitmap, 70..2400
};

/// One network in memory. Not safe for concurrent use.
class LineOrientation {
 public:
  /// `file` is an ONNX network with one input (n, 1, 32, w), ink 1 and paper 0, and one output (n, 3, 1, w / 8): the logits of upright, upside down and neither. Throws Error
  /// `model_not_found`, and `invalid_model` for another network.
  LineOrientation(const std::filesystem::path& file, Backend& backend, int threads);

  /// Classifies the longest of `lines`. The votes of a line do not depend on the others. Throws Error `cancelled`.
  LineVotes ask(const std::vector<LineImage>& lines, const Cancel& cancel);

  /// Classifies the longest lines of a bitmap whose lines lean by at most a degree. Throws Error `cancelled`.
  LineVotes ask(const Bitmap& bitmap, int dpi, const Cancel& cancel);

 private:
  onnx::Network network_;
};

/// The votes of one line of `columns` columns, from the network's logits (3, steps), of which the first `columns` belong to the line.
LineVotes votes_of(std::span<const float> logits, std::size_t columns);

}  // namespace lectern::vision
