// Straight lines in the bitmap of a page: rulings of tables, between columns, under headings.
#pragma once

#include <cstdint>
#include <vector>

#include "cancel.h"

namespace lectern::vision {

/// Luminance, 8 bits, rows without padding.
struct GreyImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;  // (height, width)
};

struct Ruling {
  bool horizontal;
  // Pixels: the middle across the line, and both ends along it.
  float position;
  float start;
  float end;
  float thickness;  // mean
};

/// Finds horizontal and vertical lines that are thinner than a twentieth of an inch, at least 0.35 inch long, and lean by no more than a degree.
/// Strokes of letters and filled boxes are left out. `dpi` is the image's resolution, at least 70. Throws Error
/// `cancelled`.
std::vector<Ruling> find_rulings(const GreyImage& image, int dpi, const Cancel& cancel);

/// Paints the vertical rulings that separate cells or columns over with paper: those of at least one and a half inches, and shorter ones that meet a horizontal ruling of that length. Otherwise text close to them would be recognised with an additional stroke.
void wipe_upright_rulings(GreyImage& image, const std::vector<Ruling>& rulings, int dpi);

}  // namespace lectern::vision
