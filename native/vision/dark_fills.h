// White text on dark bars, boxes and table headers: the page with its dark fills inverted.
#pragma once

#include <optional>

#include "vision/ink.h"

namespace lectern::vision {

/// `page` with the greys of its dark fills inverted and everything else white; empty where no fill of at least a third by a sixth of an inch is dark.
/// Dark is below half of the paper, the page's 90th percentile, in nearly half of the pixels around.
std::optional<Gray> invert_dark_fills(const Gray& page, int dpi);

}  // namespace lectern::vision
