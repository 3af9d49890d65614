// Resizes pictures along one axis at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lectern::vision {

/// The source positions that make one target position, with their weights.
struct Tap {
  int first;
  int count;
  std::size_t weights;  // index of the first weight in Filter::weights
};

struct Filter {
  std::vector<Tap> taps;       // (target)
  std::vector<float> weights;  // sums to 1 over each tap
};

/// The filter that `resize` (image.h) uses for an axis: means when the axis shrinks, linear interpolation when it grows. Both lengths are at least 1.
Filter make_filter(int source, int target);

/// Resizes grey (height, width) to (rows, columns), rounded. All sides are at least 1.
std::vector<std::uint8_t> resample(const std::vector<std::uint8_t>& pixels, int width, int height, int columns, int rows);

}  // namespace lectern::vision
