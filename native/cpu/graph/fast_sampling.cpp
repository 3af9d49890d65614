// Resizes pictures and samples them at given points.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/graph/fast_graph_ops.h"

namespace lectern::cpu {
namespace {

/// The inputs of one point: four neighbours, -1 for one outside, and their weights.
struct Corners {
  std::array<std::int32_t, 4> at{-1, -1, -1, -1};
  std::array<float, 4> weights{};
};

/// Linear between the neighbours of (x, y), counted from the middle of the first element; as Sampler of the reference.
Corners corners_of(double x, double y, std::int64_t height, std::int64_t width) {
  Corners corners;
  // Points beyond the picture's neighbours are 0, and NaN is too.
  if (!(x > -1 && x < static_cast<double>(width) && y > -1 && y < static_cast<double>(height))) return corners;
  const double left = std::floor(x);
  const double top = std::floor(y);
  for (int corner = 0; corner < 4; corner++) {
    const auto column = static_cast<std::int64_t>(left) + corner % 2;
    const auto row = static_cast<std::int64_t>(top) + corner / 2;
    const double weight = (corner % 2 == 0 ? 1 - (x - left) : x - left) * (corner / 2 == 0 ? 1 - (y - top) : y - top);
    if (weight == 0 || column < 0 || column >= width || row < 0 || row >= height) continue;
    corners.at[static_cast<std::size_t>(corner)] = static_cast<std::int32_t>(row * width + column);
    corners.weights[static_cast<std::size_t>(corner)] = static_cast<float>(weight);
  }
  return corners;
}

/// Resizes one row of a picture to another width.
void stretch(const Taps& taps, float fill, const float* in, std::int64_t width, float* out) {
  if (taps.count == 0) {
    std::copy(in, in + width, out);
    return;
  }
  for (std::int64_t x = 0; x < width; x++) {
    const std::int32_t* indices = taps.indices + x * taps.count;
    const float* weights = taps.weights + x * taps.count;
    float sum = 0;
    for (int t = 0; t < taps.count; t++) sum += weights[t] * in[std::max(indices[t], 0)];
    out[x] = indices[0] < 0 ? fill : sum;
  }
}

}  // namespace

void FastGraphOps::resample(const Resample& resample, const float* in, float* out) {
  const int rank = resample.in.rank;
  bool picture = rank >= 2 && resample.out.elements() > 0;
  for (int axis = 0; axis < rank - 2; axis++) picture = picture && resample.axes[static_cast<std::size_t>(axis)].count == 0;
  if (!picture) return ReferenceGraphOps::resample(resample, in, out);
  const Taps& down = resample.axes[static_cast<std::size_t>(rank - 2)];
  const Taps& across = resample.axes[static_cast<std::size_t>(rank - 1)];
  const std::int64_t in_height = resample.in[rank - 2];
  const std::int64_t in_width = resample.in[rank - 1];
  const std::int64_t height = resample.out[rank - 2];
  const std::int64_t width = resample.out[rank - 1];
  each_piece(resample.out.product(0, rank - 2), 4 * height * width, [&](std::int64_t first, std::int64_t count) {
    std::vector<float> mixed(static_cast<std::size_t>(in_width));
    for (std::int64_t plane = first; plane < first + count; plane++) {
      const float* from = in + plane * in_height * in_width;
      float* to = out + plane * height * width;
      for (std::int64_t y = 0; y < height; y++, to += width) {
        if (down.count == 0) {
          stretch(across, resample.fill, from + y * in_width, width, to);
          continue;
        }
        const std::int32_t* rows = down.indices + y * down.count;
        if (rows[0] < 0) {
          std::fill(to, to + width, resample.fill);
          continue;
        }
        std::fill(mixed.begin(), mixed.end(), 0.0F);
        for (int t = 0; t < down.count; t++) {
          const float weight = down.weights[y * down.count + t];
          const float* row = from + rows[t] * in_width;
          for (std::int64_t x = 0; x < in_width; x++) mixed[static_cast<std::size_t>(x)] += weight * row[x];
        }
        stretch(across, resample.fill, mixed.data(), width, to);
      }
    }
  });
}

/// Computes the place of a point and the weights of its neighbours once for all channels.
void FastGraphOps::grid_sample(const GridSample& s, const float* in, const float* grid, float* out) {
  const std::int64_t height = s.in[1];
  const std::int64_t width = s.in[2];
  const std::int64_t plane = height * width;
  if (s.mode != SampleMode::linear || s.axes != 2 || s.padding == SamplePadding::reflection || plane < 1 || plane > (std::int64_t{1} << 30)) {
    return ReferenceGraphOps::grid_sample(s, in, grid, out);
  }
  const std::int64_t points = s.out[1] * s.out[2];
  const auto place = [&](float at, std::int64_t size) {
    const auto x = static_cast<double>(at);
    const double p = s.align_corners ? (x + 1) / 2 * static_cast<double>(size - 1) : ((x + 1) * static_cast<double>(size) - 1) / 2;
    if (s.padding == SamplePadding::zeros) return p;
    return std::isnan(p) ? 0 : std::clamp(p, 0.0, static_cast<double>(size - 1));
  };
  each_piece(s.batch * points, 8 * s.channels + 16, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; i++) {
      const Corners corners = corners_of(place(grid[2 * i], width), place(grid[2 * i + 1], height), height, width);
      const std::int64_t picture = i / points;
      const float* from = in + picture * s.channels * plane;
      float* to = out + picture * s.channels * points + i % points;
      for (std::int64_t channel = 0; channel < s.channels; channel++, from += plane, to += points) {
        float sum = 0;
        for (std::size_t corner = 0; corner < 4; corner++) {
          if (corners.at[corner] >= 0) sum += corners.weights[corner] * from[corners.at[corner]];
        }
        *to = sum;
      }
    }
  });
}

}  // namespace lectern::cpu
