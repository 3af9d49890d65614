// Which way up lines of text stand: a small network that ships with the program classifies the longest lines of a page, and all of them vote.
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

/// What lines vote for, each with its probabilities times its length: a line of n columns of 8 pixels, at 32 rows, has n votes, a long one no more than some.
struct LineVotes {
  double upright = 0;
  double turned = 0;   // on its head
  double neither = 0;  // no line along the picture's rows: text that runs across them
  int lines = 0;       // that were classified

  /// More than half of all votes are for it; false without any.
  bool stands_upright() const { return upright > turned + neither; }
};

/// The options of a vote.
struct VoteOptions {
  std::string network;  // path of an ONNX file that LineOrientation takes
  int dpi;              // of the bitmap, 70..2400
};

/// One network in memory. One thread at a time.
class LineOrientation {
 public:
  /// `file` is an ONNX network with one input (n, 1, 32, w), ink 1 and paper 0, and one output (n, 3, 1, w / 8), logits of upright, on its head, neither. Throws Error
  /// `model_not_found`, and `invalid_model` for another network.
  LineOrientation(const std::filesystem::path& file, Backend& backend, int threads);

  /// Asks the longest of `lines`; a line's votes do not depend on the others. Throws Error `cancelled`.
  LineVotes ask(const std::vector<LineImage>& lines, const Cancel& cancel);

  /// Asks the longest lines of a bitmap whose lines lean by at most a degree. Throws Error `cancelled`.
  LineVotes ask(const Bitmap& bitmap, int dpi, const Cancel& cancel);

 private:
  onnx::Network network_;
};

/// The votes of one line of `columns` columns, from the network's logits (3, steps), of which the first `columns` count.
LineVotes votes_of(std::span<const float> logits, std::size_t columns);

}  // namespace lectern::vision
