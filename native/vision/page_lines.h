// The lines of a page from several finders with their recognised letters, and the selection among lines at one place.
#pragma once

#include <cstddef>
#include <vector>

#include "cancel.h"
#include "vision/ctc.h"
#include "vision/ink.h"
#include "vision/line_finder.h"
#include "vision/line_image.h"

namespace lectern::vision {

/// All lists have one entry for each line. A dropped line stays in the lists, without picture and letters.
struct PageLines {
  std::vector<FoundLine> lines;
  std::vector<LineImage> images;
  std::vector<std::vector<ReadLetter>> letters;  // empty: not recognised, or without result
  std::size_t on_paper = 0;  // from here to `detected`, lines are light on a dark fill
  std::size_t detected = 0;  // from here on, lines come from the detector

  /// Adds lines and their pictures, cut out of `page`. Throws Error `cancelled`.
  void add(std::vector<FoundLine> found, const Gray& page, const Cancel& cancel);
  void drop(std::size_t line);
};

/// The mean confidence of letters, 0..1; 0 for none.
double sureness(const std::vector<ReadLetter>& letters);

/// The mean confidence of the letters of all lines.
double sureness(const std::vector<std::vector<ReadLetter>>& lines);

/// Whether `line` lies in another one that was recognised with a confidence of at least `least`.
bool is_read(const PageLines& page, const FoundLine& line, double least);

/// The lines that are kept, sorted by their top. Of two at one place the one with the larger value stays: the number of its letters times their mean confidence above 0.5.
/// A line that geometry found on paper stays unless a line of another finder replaces it.
std::vector<std::size_t> surest(const PageLines& page);

}  // namespace lectern::vision
