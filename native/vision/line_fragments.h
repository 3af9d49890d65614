// Fragments of lines: makes one from its marks, and joins those of one line.
#pragma once

#include <cstddef>
#include <vector>

#include "cancel.h"
#include "vision/line_finder.h"

namespace lectern::vision {

/// The line of `marks`, which is not empty: its box, the baseline of most of the marks, and how far they reach above and below it.
FoundLine line_of(std::vector<PixelBox> marks);

/// Refines `line`, which was detected without marks and has inexact edges: takes the page's marks that stand on it and measures them. Returns the line unchanged if these marks do not
/// make up most of it or have another size.
FoundLine with_marks(FoundLine line, const std::vector<Mark>& marks);

/// Measures again how far the line's marks reach above and below its baseline.
void measure(FoundLine& line);

void add(PixelBox& box, const PixelBox& other);

double middle_of(const PixelBox& mark);

/// Joins fragments that a dash, a row of dots or an odd letter separated. The lines are then sorted by their left side. Returns the number of compared pairs: a few for each line,
/// however many lines the page has. Throws Error `cancelled`.
std::size_t join_pieces(std::vector<FoundLine>& lines, int height, const Cancel& cancel);

}  // namespace lectern::vision
