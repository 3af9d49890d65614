#include "cpu/graph/pooling.h"

#include <algorithm>
#include <limits>

#include "cpu/graph/bands.h"

namespace lectern::cpu {
namespace {

constexpr int plane_floats = 4 * 1024;

/// The number of places of window `at` that count along one side.
int counted(const Side& side, bool padding, int in, int at) {
  int count = 0;
  for (int tap = 0; tap < side.kernel; tap++) {
    const int place = at * side.stride + tap * side.dilation - side.pad_before;
    if (padding ? place < in + side.pad_after : place >= 0 && place < in) count++;
  }
  return count;
}

}  // namespace

void pool(GraphContext& shop, const Pooling& pooling, int planes, int in_height, int in_width, int out_height, int out_width, const float* in, float* out) {
  const Bands bands(pooling.vertical, pooling.horizontal, out_width, in_height, in_width);
  int rows = out_height;
  while (rows > 1 && bands.floats(rows) > plane_floats) rows = (rows + 1) / 2;
  const int bands_each = (out_height + rows - 1) / rows;
  const int copied_floats = bands.floats(rows);
  const int taps = pooling.vertical.kernel * pooling.horizontal.kernel;
  const std::vector<float> ones(static_cast<std::size_t>(taps), 1.0F);
  std::vector<std::int32_t> offsets;
  bands.append_offsets(rows, 0, offsets);
  std::vector<int> across;
  for (int x = 0; x < out_width; x++) across.push_back(counted(pooling.horizontal, pooling.count_padding, in_width, x));
  shop.workspace.reserve(shop.threads.count(), static_cast<std::size_t>(copied_floats) + static_cast<std::size_t>(bands.columns(rows)));

  const int units = planes * bands_each;
  const int parts = std::int64_t{planes} * out_height * out_width * taps < 16 * 1024 ? 1 : std::min(units, 4 * shop.threads.count());
  auto work = [&](int part, int thread) {
    float* copied = shop.workspace.of(thread);
    float* results = copied + copied_floats;
    const auto end = static_cast<int>(std::int64_t{units} * (part + 1) / parts);
    for (auto unit = static_cast<int>(std::int64_t{units} * part / parts); unit < end; unit++) {
      const int plane = unit / bands_each;
      const int first = unit % bands_each * rows;
      const int taken = std::min(rows, out_height - first);
      const Window window{copied, offsets.data(), ones.data(), taps, bands.columns(taken), results};
      bands.copy(shop.kernels, in + std::ptrdiff_t{plane} * in_height * in_width, first, rows, pooling.average ? 0.0F : -std::numeric_limits<float>::infinity(), copied);
      (pooling.average ? shop.kernels.weigh : shop.kernels.take_largest)(window);
      for (int y = 0; y < taken; y++) {
        const float* from = results + y * bands.pitch();
        float* to = out + (std::ptrdiff_t{plane} * out_height + first + y) * out_width;
        if (!pooling.average) {
          std::copy(from, from + out_width, to);
          continue;
        }
        const int down = counted(pooling.vertical, pooling.count_padding, in_height, first + y);
        for (int x = 0; x < out_width; x++) {
          const int count = down * across[static_cast<std::size_t>(x)];
          to[x] = count == 0 ? 0.0F : from[x] / static_cast<float>(count);
        }
      }
    }
  };
  shop.threads.each(parts, work);
}

}  // namespace lectern::cpu
