// Resizes pictures: filters each source row horizontally once, then blends rows.
#include "vision/image.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "vision/filter.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace lectern::vision {
namespace {

// One pixel with its four channels: the widest vector that fits every row length. Twice the width (AVX2) took 1.8 ms
// instead of 2.6 ms a page, which does not justify a second path.
using Pixel = float __attribute__((vector_size(16)));

[[gnu::always_inline]] inline Pixel widen(const std::uint8_t* bytes) {
#if defined(__SSE2__)
  // The compiler's own conversion of four bytes uses scalar registers: 5.7 ms a page instead of 2.6.
  int packed;
  std::memcpy(&packed, bytes, 4);
  const __m128i zero = _mm_setzero_si128();
  return _mm_cvtepi32_ps(_mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(packed), zero), zero));
#elif defined(__aarch64__)
  std::uint32_t packed;
  std::memcpy(&packed, bytes, 4);
  return vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(packed)))));
#else
  return Pixel{static_cast<float>(bytes[0]), static_cast<float>(bytes[1]), static_cast<float>(bytes[2]),
               static_cast<float>(bytes[3])};
#endif
}

void filter_row(const std::uint8_t* row, const Filter& filter, std::vector<Pixel>& out) {
  for (std::size_t target = 0; target < filter.taps.size(); ++target) {
    const Tap& tap = filter.taps[target];
    const float* weight = filter.weights.data() + tap.weights;
    const std::uint8_t* bytes = row + static_cast<std::size_t>(tap.first) * 4;
    Pixel sum = {};
    for (int i = 0; i < tap.count; ++i) sum += weight[i] * widen(bytes + static_cast<std::size_t>(i) * 4);
    out[target] = sum;
  }
}

/// Source rows after the horizontal filter. Neighbouring target rows share at most their border row when the picture shrinks and two
/// rows when it grows. Two rows of cache therefore suffice to filter each source row once.
class FilteredRows {
 public:
  FilteredRows(const Bitmap& bitmap, const Filter& filter) : bitmap_(bitmap), filter_(filter) {
    for (Slot& slot : slots_) slot.pixels.resize(filter.taps.size());
  }

  const std::vector<Pixel>& row(int y) {
    Slot& slot = slots_[y % 2];
    if (slot.y != y) {
      filter_row(bitmap_.row(y), filter_, slot.pixels);
      slot.y = y;
    }
    return slot.pixels;
  }

 private:
  struct Slot {
    int y = -1;
    std::vector<Pixel> pixels;
  };
  const Bitmap& bitmap_;
  const Filter& filter_;
  Slot slots_[2];
};

}  // namespace

void resize(const Bitmap& bitmap, const ResizeOptions& options, std::span<float> out, const Cancel& cancel) {
  const Filter horizontal = make_filter(bitmap.width, options.width);
  const Filter vertical = make_filter(bitmap.height, options.height);
  FilteredRows rows(bitmap, horizontal);
  const std::size_t width = horizontal.taps.size();
  const std::size_t plane = width * vertical.taps.size();

  // (value / 255 - mean) / std as one multiplication and one addition.
  Pixel factor = {};
  Pixel offset = {};
  for (std::size_t channel = 0; channel < 3; ++channel) {
    factor[channel] = 1.0F / (255.0F * options.std[channel]);
    offset[channel] = -options.mean[channel] / options.std[channel];
  }

  std::vector<Pixel> blended(width);
  float* target = out.data();
  for (const Tap& tap : vertical.taps) {
    std::fill(blended.begin(), blended.end(), Pixel{});
    for (int i = 0; i < tap.count; ++i) {
      cancel.check();
      const std::vector<Pixel>& row = rows.row(tap.first + i);
      const float weight = vertical.weights[tap.weights + static_cast<std::size_t>(i)];
      for (std::size_t x = 0; x < width; ++x) blended[x] += weight * row[x];
    }
    for (std::size_t x = 0; x < width; ++x) {
      const Pixel value = blended[x] * factor + offset;
      target[x] = value[0];
      target[plane + x] = value[1];
      target[2 * plane + x] = value[2];
    }
    target += width;
  }
}

}  // namespace lectern::vision
