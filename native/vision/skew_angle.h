// Measures by how many degrees the text lines of a scanned page skew. The page is rotated by its caller (src/convert/ocr/read-picture.ts).
#pragma once

#include "cancel.h"
#include "vision/image.h"

namespace lectern::vision {

/// Pages that skew further are not recognised as text.
inline constexpr double max_deskew_degrees = 15.0;

/// Degrees, counter-clockwise positive, by which the text lines of a page skew, within ±15; 0 for a page without text.
/// The result is within 0.1 of the truth on clean pages and within 0.2 on noisy ones. Throws Error `cancelled`.
double deskew_angle(const Bitmap& bitmap, const Cancel& cancel);

}  // namespace lectern::vision
