// Pieces of lines: one made of its marks, and those joined that belong together.
#pragma once

#include <cstddef>
#include <vector>

#include "cancel.h"
#include "vision/line_finder.h"

namespace lectern::vision {

/// The line of `marks`, of which there is at least one: its box, the baseline on which most of them stand, and how far they reach from it.
FoundLine line_of(std::vector<PixelBox> marks);

/// `line`, which was seen without its marks and so with rough edges, with the marks of a page that stand on it and its measures from them; as it is where they do not
/// make up most of it, or another size.
FoundLine with_marks(FoundLine line, const std::vector<Mark>& marks);

/// Measures anew how far the line's marks reach above and below its baseline.
void measure(FoundLine& line);

void add(PixelBox& box, const PixelBox& other);

double middle_of(const PixelBox& mark);

/// Joins pieces that a dash, a row of dots or an odd letter kept apart; lines come back sorted by their left side. Returns how many pairs were compared: of lines
/// that are everywhere on the page a handful each, however many there are. Throws Error `cancelled`.
std::size_t join_pieces(std::vector<FoundLine>& lines, int height, const Cancel& cancel);

}  // namespace lectern::vision
