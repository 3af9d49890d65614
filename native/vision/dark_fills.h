// White text on dark bars, boxes and table headers: the page with its dark fills inverted.
#pragma once

#include <optional>

#include "vision/ink.h"

namespace lectern::vision {

/// Returns `page` with the greys of its dark fills inverted and everything else white; empty if no dark fill measures at least a third by a sixth of an inch.
/// A pixel is dark if it is below half of the paper's grey, which is the 90th percentile of the page. A fill needs dark pixels in nearly half of the surroundings.
std::optional<Gray> invert_dark_fills(const Gray& page, int dpi);

}  // namespace lectern::vision
