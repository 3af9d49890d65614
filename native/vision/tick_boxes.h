// Tick boxes in a page's bitmap: small square frames, empty or with a mark in them.
#pragma once

#include <cstddef>
#include <vector>

#include "cancel.h"
#include "vision/ink.h"
#include "vision/text_lines.h"

namespace lectern::vision {

/// A frame with the marks of ink that form it and its tick.
struct FoundTickBox {
  TickBox box;
  bool full;               // filled with ink, except for a light mark on it
  std::vector<int> marks;  // indices into Ink::marks
};

/// Finds square frames with sides of 0.085 to 0.26 inches that stand alone on an upright page whose lines lean by at most a degree. Round corners and strokes that leave the frame are allowed. Cells of
/// tables and frames that touch each other are left out. `dpi` of the page, at least 70. Throws Error `cancelled`.
std::vector<FoundTickBox> find_tick_boxes(const Ink& ink, int height, int dpi, const Cancel& cancel);

/// The inside of the frame as a picture; its width is 0 if the frame has no inside.
Gray inside_of(const Gray& page, const TickBox& box);

/// Paints the frame and its tick over with paper.
void wipe_out(Gray& page, const Ink& ink, const FoundTickBox& found);

}  // namespace lectern::vision
