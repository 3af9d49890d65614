// Computes the weights of one axis, in double.
#include "vision/filter.h"

#include <algorithm>
#include <cmath>

namespace lectern::vision {
namespace {

void append_mean(Filter& filter, double begin, double end, int source) {
  const int first = static_cast<int>(begin);
  const int last = std::min(static_cast<int>(std::ceil(end)), source);
  filter.taps.push_back({first, last - first, filter.weights.size()});
  for (int position = first; position < last; ++position) {
    const double inside = std::min(end, position + 1.0) - std::max(begin, static_cast<double>(position));
    filter.weights.push_back(static_cast<float>(inside / (end - begin)));
  }
}

void append_linear(Filter& filter, double position, int source) {
  const double clamped = std::clamp(position, 0.0, source - 1.0);
  const int first = std::min(static_cast<int>(clamped), std::max(source - 2, 0));
  const double second = clamped - first;
  filter.taps.push_back({first, source > 1 ? 2 : 1, filter.weights.size()});
  filter.weights.push_back(static_cast<float>(1.0 - second));
  if (source > 1) filter.weights.push_back(static_cast<float>(second));
}

}  // namespace

Filter make_filter(int source, int target) {
  const double scale = static_cast<double>(source) / target;
  Filter filter;
  filter.taps.reserve(static_cast<std::size_t>(target));
  for (int i = 0; i < target; ++i) {
    // Multiplies before it divides: a border that falls on a pixel then does so exactly.
    const double begin = static_cast<double>(source) * i / target;
    const double end = static_cast<double>(source) * (i + 1.0) / target;
    if (source > target) append_mean(filter, begin, end, source);
    else append_linear(filter, (i + 0.5) * scale - 0.5, source);
  }
  return filter;
}

std::vector<std::uint8_t> resample(const std::vector<std::uint8_t>& pixels, int width, int height, int columns, int rows) {
  const Filter across = make_filter(width, columns);
  const Filter down = make_filter(height, rows);
  const auto wide = static_cast<std::size_t>(columns);
  std::vector<float> narrow(static_cast<std::size_t>(height) * wide);
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    const std::uint8_t* row = pixels.data() + y * static_cast<std::size_t>(width);
    for (std::size_t x = 0; x < wide; ++x) {
      const Tap& tap = across.taps[x];
      float sum = 0;
      for (int i = 0; i < tap.count; ++i) sum += across.weights[tap.weights + static_cast<std::size_t>(i)] * row[tap.first + i];
      narrow[y * wide + x] = sum;
    }
  }
  std::vector<std::uint8_t> out;
  out.reserve(static_cast<std::size_t>(rows) * wide);
  std::vector<float> sums(wide);
  for (const Tap& tap : down.taps) {
    std::fill(sums.begin(), sums.end(), 0.5F);
    for (int i = 0; i < tap.count; ++i) {
      const float weight = down.weights[tap.weights + static_cast<std::size_t>(i)];
      const float* row = narrow.data() + static_cast<std::size_t>(tap.first + i) * wide;
      for (std::size_t x = 0; x < wide; ++x) sums[x] += weight * row[x];
    }
    for (const float sum : sums) out.push_back(static_cast<std::uint8_t>(std::min(255.0F, sum)));
  }
  return out;
}

}  // namespace lectern::vision
