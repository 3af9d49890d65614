// The bitmap of a page, and its conversion to planar floats at the size that a network takes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cancel.h"

namespace lectern::vision {

/// Bitmaps with a longer side are refused: 32,768 pixels is an A4 page at 2,800 dpi.
inline constexpr int max_side = 32768;
/// The largest picture that a vision network takes: 16 Mi pixels (4096 x 4096) are 192 MiB of floats.
inline constexpr std::int64_t max_resized_pixels = std::int64_t{1} << 24;

/// A view of the caller's pixels: RGBA, 8 bits each, rows from the top. Its creator has checked that both sides are in
/// 1..max_side and that `stride * (height - 1) + 4 * width` bytes are accessible.
struct Bitmap {
  const std::uint8_t* pixels;  // (height, stride)
  int width;
  int height;
  std::size_t stride;  // bytes from one row to the next

  const std::uint8_t* row(int y) const { return pixels + static_cast<std::size_t>(y) * stride; }
};

struct ResizeOptions {
  int width;
  int height;
  // Per channel (R, G, B), on the 0..1 scale.
  std::array<float, 3> mean;
  std::array<float, 3> std;
};

/// Writes `out` (3, options.height, options.width): out = (value / 255 - mean) / std. Alpha is ignored.
///
/// Both axes are resized independently. With s = source length / target length:
/// - s > 1 (shrinking): target i is the mean of the source over [i * s, (i + 1) * s), with the pixels at both ends weighted by
///   the part of them that lies inside;
/// - s <= 1 (growing, or equal, which copies): linear interpolation between the two pixels around p = (i + 0.5) * s - 0.5, with p
///   clamped to [0, source length - 1].
/// Computed in float: within 1e-5 of the result in double, on the 0..1 scale.
///
/// Throws Error `cancelled`; the flag is checked at every row.
void resize(const Bitmap& bitmap, const ResizeOptions& options, std::span<float> out, const Cancel& cancel);

}  // namespace lectern::vision
