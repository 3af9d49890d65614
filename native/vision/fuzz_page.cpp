// The fuzz target: takes any bytes as the pixels of a page, finds and cuts its lines, measures its skew, removes its tick boxes, finds its fills and inverts its dark ones. native/test/fuzz.sh builds and starts it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "error.h"
#include "vision/dark_fills.h"
#include "vision/skew_angle.h"
#include "vision/line_finder.h"
#include "vision/line_image.h"
#include "vision/rulings.h"
#include "vision/fills.h"
#include "vision/tick_boxes.h"

namespace lectern::vision {
namespace {

/// Ends the process, so that the fuzzer keeps the input.
void demand(bool holds) {
  if (!holds) std::abort();
}

void look(const Gray& page, int dpi) {
  const Cancel never;
  const auto lines = find_lines(find_ink(page, ink_reach(dpi), never), page.width, page.height, dpi, never);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const FoundLine& line = lines[i];
    demand(!line.marks.empty() && line.above >= 0 && line.below >= 0 && (i == 0 || lines[i - 1].box.top <= line.box.top));
    demand(line.box.left >= 0 && line.box.top >= 0 && line.box.right <= page.width && line.box.bottom <= page.height && line.box.left < line.box.right);
    const LineImage image = cut_line(page, line);
    demand(image.width >= 0 && image.width <= max_line_columns && image.pixels.size() == static_cast<std::size_t>(image.width) * line_rows);
  }
}

}  // namespace
}  // namespace lectern::vision

/// Byte 0: the width; byte 1: the resolution and the use of the remaining bytes, which are the pixels, one bit or one byte each, row by row; they repeat to fill the last row.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lectern;
  using namespace lectern::vision;
  if (size < 3) return 0;
  const int width = 1 + data[0] * 2;
  constexpr std::array<int, 4> resolutions{70, 100, 200, 300};
  const int dpi = resolutions[data[1] & 3U];
  const bool bits = (data[1] & 4U) != 0;
  const std::size_t given = (size - 2) * (bits ? 8 : 1);
  const int height = static_cast<int>(std::clamp<std::size_t>((given + static_cast<std::size_t>(width) - 1) / static_cast<std::size_t>(width), 1, 600));
  std::vector<std::uint8_t> rgba(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4, 255);
  for (std::size_t i = 0; i < rgba.size() / 4; ++i) {
    const std::size_t at = i % given;
    const std::uint8_t value = bits ? static_cast<std::uint8_t>((data[2 + at / 8] >> (at % 8) & 1U) * 255U) : data[2 + at];
    std::fill_n(rgba.begin() + static_cast<std::ptrdiff_t>(i * 4), 3, value);
  }
  const Bitmap bitmap{rgba.data(), width, height, static_cast<std::size_t>(width) * 4};
  const Cancel never;
  Gray page = shrink_to_gray(bitmap, 1, never);
  const double lean = deskew_angle(bitmap, never);
  demand(lean >= -max_deskew_degrees - 0.2 && lean <= max_deskew_degrees + 0.2);
  look(page, dpi);
  const Ink ink = find_ink(page, ink_reach(dpi), never);
  for (const FoundTickBox& one : find_tick_boxes(ink, height, dpi, never)) {
    const PixelBox& box = one.box.box;
    demand(box.left >= 0 && box.top >= 0 && box.right <= width && box.bottom <= height && box.left < box.right && box.top < box.bottom);
    const Gray inside = inside_of(page, one.box);
    demand(inside.pixels.size() == static_cast<std::size_t>(inside.width) * static_cast<std::size_t>(inside.height));
    Gray wiped = page;
    wipe_out(wiped, ink, one);
  }
  if (const auto turned = invert_dark_fills(page, dpi)) {
    demand(turned->width == width && turned->height == height && turned->pixels.size() == page.pixels.size());
    look(*turned, dpi);
  }
  GreyImage grey{width, height, std::move(page.pixels)};
  for (const Fill& fill : find_fills(grey, dpi, never)) {
    demand(fill.left >= 0 && fill.top >= 0 && fill.right <= static_cast<float>(width) && fill.bottom <= static_cast<float>(height) && fill.left < fill.right && fill.top < fill.bottom);
  }
  wipe_upright_rulings(grey, find_rulings(grey, dpi, never), dpi);
  return 0;
}
