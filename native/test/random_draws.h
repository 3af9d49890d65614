// Draws that are the same with every standard library, whose own distributions differ.
#pragma once

#include <cstddef>
#include <random>

namespace lectern::test {

using Random = std::mt19937_64;

/// 0 to `count` - 1; `count` is above 0.
inline std::size_t below(Random& random, std::size_t count) { return static_cast<std::size_t>(random() % count); }

/// From `low` on, below `high` but for the rounding to float.
inline float uniform(Random& random, double low, double high) { return static_cast<float>(low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53); }

}  // namespace lectern::test
