// Straight lines that a page's bitmap shows: the rules of tables, between columns, under headings.
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
  // Pixels: the middle across the line, and its two ends along it.
  float position;
  float start;
  float end;
  float thickness;  // mean
};

/// Horizontal and upright lines, thinner than a twentieth of an inch and at least 0.35 inch long, that lean by no more than a degree;
/// strokes of letters and filled boxes are none. `dpi` is the image's resolution, at least 70. Throws Error
/// `cancelled`.
std::vector<Ruling> find_rulings(const GreyImage& image, int dpi, const Cancel& cancel);

/// Paints over with paper the upright ones that part cells or columns: those of one and a half inches, and shorter ones that meet a level one of that length. Text close to them would be read with a stroke more.
void wipe_upright_rulings(GreyImage& image, const std::vector<Ruling>& rulings, int dpi);

}  // namespace lectern::vision
