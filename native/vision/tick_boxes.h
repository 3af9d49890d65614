// Boxes to tick on a page's bitmap: small square frames, empty or with a mark in them.
#pragma once

#include <cstddef>
#include <vector>

#include "cancel.h"
#include "vision/ink.h"
#include "vision/text_lines.h"

namespace lectern::vision {

/// A frame that was found, and the marks of ink that it and what ticks it are made of.
struct FoundTickBox {
  TickBox box;
  bool full;               // all ink, but for a light mark on it
  std::vector<int> marks;  // indices into Ink::marks
};

/// Square frames with sides of 0.085 to 0.26 inches that stand alone on an upright page whose lines lean by at most a degree; round corners and strokes that run out of the frame are allowed. Cells of
/// tables and frames that touch each other are none. `dpi` of the page, at least 70. Throws Error `cancelled`.
std::vector<FoundTickBox> find_tick_boxes(const Ink& ink, int height, int dpi, const Cancel& cancel);

/// What is drawn within the frame, as a picture of its own; width 0 where the frame leaves no room.
Gray inside_of(const Gray& page, const TickBox& box);

/// Paints the frame and what ticks it over with paper.
void wipe_out(Gray& page, const Ink& ink, const FoundTickBox& found);

}  // namespace lectern::vision
