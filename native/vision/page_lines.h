// A page's lines from several finders, what is read on them, and which of those at one place count.
#pragma once

#include <cstddef>
#include <vector>

#include "cancel.h"
#include "vision/ctc.h"
#include "vision/ink.h"
#include "vision/line_finder.h"
#include "vision/line_image.h"

namespace lectern::vision {

/// One entry a line in each list. A line that is dropped stays, without picture and letters.
struct PageLines {
  std::vector<FoundLine> lines;
  std::vector<LineImage> images;
  std::vector<std::vector<ReadLetter>> letters;  // empty: not read, or nothing is there
  std::size_t on_paper = 0;  // lines from here on are light on a dark ground, as far as `detected`
  std::size_t detected = 0;  // lines from here on are the detector's

  /// Adds lines and their pictures, cut out of `page`. Throws Error `cancelled`.
  void add(std::vector<FoundLine> found, const Gray& page, const Cancel& cancel);
  void drop(std::size_t line);
};

/// The mean confidence of letters, 0..1; 0 without any.
double sureness(const std::vector<ReadLetter>& letters);

/// The same of all lines' letters.
double sureness(const std::vector<std::vector<ReadLetter>>& lines);

/// Whether `line` lies in one that is read with at least `least` of sureness.
bool is_read(const PageLines& page, const FoundLine& line, double least);

/// Which lines count, sorted by their top: of two at one place the one whose letters are worth more: their number times the mean confidence beyond 0.5.
/// What geometry found on paper stays unless another finder's line takes its place.
std::vector<std::size_t> surest(const PageLines& page);

}  // namespace lectern::vision
