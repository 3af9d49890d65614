// How one axis of a picture is made longer or shorter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lectern::vision {

/// Which source positions make one target position, and how much of each.
struct Tap {
  int first;
  int count;
  std::size_t weights;  // index of the first weight in Filter::weights
};

struct Filter {
  std::vector<Tap> taps;       // (target)
  std::vector<float> weights;  // sums to 1 over each tap
};

/// As `resize` (image.h) treats an axis: means when it shrinks, linear when it grows. Both lengths are at least 1.
Filter make_filter(int source, int target);

/// Grey (height, width) to (rows, columns), rounded. All sides are at least 1.
std::vector<std::uint8_t> resample(const std::vector<std::uint8_t>& pixels, int width, int height, int columns, int rows);

}  // namespace lectern::vision
