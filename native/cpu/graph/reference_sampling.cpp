#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cpu/graph/reference_graph_ops.h"

namespace lectern::cpu {
namespace {

/// Position i of row `row` after its axis has been resized from `in` to `out` elements.
void resample_axis(const Taps& taps, std::int64_t outer, std::int64_t size, std::int64_t wanted, std::int64_t inner, float fill, const std::vector<double>& in, std::vector<double>& out) {
  out.assign(static_cast<std::size_t>(outer * wanted * inner), 0);
  for (std::int64_t o = 0; o < outer; o++) {
    for (std::int64_t j = 0; j < wanted; j++) {
      double* to = out.data() + (o * wanted + j) * inner;
      if (taps.indices[j * taps.count] < 0) {
        std::fill_n(to, inner, static_cast<double>(fill));
        continue;
      }
      for (int t = 0; t < taps.count; t++) {
        const auto weight = static_cast<double>(taps.weights[j * taps.count + t]);
        const double* from = in.data() + (o * size + taps.indices[j * taps.count + t]) * inner;
        for (std::int64_t i = 0; i < inner; i++) to[i] += weight * from[i];
      }
    }
  }
}

/// Reflects a coordinate into low .. high at both ends. NaN and coordinates too far away go to the low end.
double reflected(double x, double low, double high) {
  const double length = high - low;
  if (!(length > 0)) return low;
  const double away = std::fmod(std::abs(x - low), 2 * length);
  if (!std::isfinite(away)) return low;
  return away <= length ? low + away : high - (away - length);
}

class Sampler {
 public:
  Sampler(const GridSample& sample, const float* plane) : s_(sample), plane_(plane) {}

  /// point: x, y (, z) in -1 .. 1.
  float at(const float* point) const {
    std::array<double, 3> place{};  // in elements of `in`; the last is x
    for (int k = 0; k < s_.axes; k++) {
      const int axis = 2 - k;
      const auto size = static_cast<double>(s_.in[static_cast<std::size_t>(axis)]);
      const auto x = static_cast<double>(point[k]);
      double p = s_.align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
      if (s_.mode == SampleMode::nearest) p = std::nearbyint(p);
      place[static_cast<std::size_t>(axis)] = p;
    }
    if (s_.mode == SampleMode::cubic) return static_cast<float>(cubic(place));
    for (int axis = 3 - s_.axes; axis < 3; axis++) place[static_cast<std::size_t>(axis)] = padded(place[static_cast<std::size_t>(axis)], axis);
    std::array<std::int64_t, 3> at{};
    return static_cast<float>(linear(place, 3 - s_.axes, at));
  }

 private:
  double padded(double x, int axis) const {
    const auto size = static_cast<double>(s_.in[static_cast<std::size_t>(axis)]);
    if (s_.padding == SamplePadding::border) return std::isnan(x) ? 0 : std::clamp(x, 0.0, size - 1);
    if (s_.padding == SamplePadding::reflection) {
      const double back = s_.align_corners ? reflected(x, 0, size - 1) : reflected(x, -0.5, size - 0.5);
      return std::clamp(back, 0.0, size - 1);
    }
    return x;
  }

  /// The element at this place, 0 outside.
  double element(const std::array<std::int64_t, 3>& at) const {
    std::int64_t place = 0;
    for (int axis = 3 - s_.axes; axis < 3; axis++) {
      const std::int64_t index = at[static_cast<std::size_t>(axis)];
      const std::int64_t size = s_.in[static_cast<std::size_t>(axis)];
      if (index < 0 || index >= size) return 0;
      place = place * size + index;
    }
    return static_cast<double>(plane_[place]);
  }

  /// Interpolates between the two neighbours along each axis from `axis` on; `at` holds the lower ones.
  double linear(const std::array<double, 3>& place, int axis, std::array<std::int64_t, 3>& at) const {
    if (axis >= 3) return element(at);
    const auto now = static_cast<std::size_t>(axis);
    const double x = place[now];
    // Points beyond the picture's neighbours are 0, and NaN is too.
    if (!(x > -1 && x < static_cast<double>(s_.in[now]))) return 0;
    const double low = std::floor(x);
    const double part = x - low;
    at[now] = static_cast<std::int64_t>(low);
    double sum = 0;
    if (part < 1) sum += (1 - part) * linear(place, axis + 1, at);
    if (part > 0) {
      at[now] = static_cast<std::int64_t>(low) + 1;
      sum += part * linear(place, axis + 1, at);
    }
    return sum;
  }

  /// The cubic kernel (Keys 1981) with a = -0.75, over 4 x 4 neighbours that are padded one by one.
  double cubic(const std::array<double, 3>& place) const {
    const double y = place[1];
    const double x = place[2];
    constexpr double far = 1e15;
    if (!(std::abs(x) < far && std::abs(y) < far)) return 0;
    const auto weights = [](double part) {
      constexpr double a = -0.75;
      const auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
      const auto wide = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
      return std::array<double, 4>{wide(part + 1), near(part), near(1 - part), wide(2 - part)};
    };
    const auto rows = weights(y - std::floor(y));
    const auto columns = weights(x - std::floor(x));
    double sum = 0;
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 4; k++) {
        const double row = padded(std::floor(y) + i - 1, 1);
        const double column = padded(std::floor(x) + k - 1, 2);
        sum += rows[static_cast<std::size_t>(i)] * columns[static_cast<std::size_t>(k)] * element({0, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)});
      }
    }
    return sum;
  }

  const GridSample& s_;
  const float* plane_;
};

}  // namespace

void ReferenceGraphOps::resample(const Resample& resample, const float* in, float* out) {
  Shape shape = resample.in;
  std::vector<double> now(in, in + shape.elements());
  std::vector<double> next;
  for (int axis = 0; axis < shape.rank; axis++) {
    const Taps& taps = resample.axes[static_cast<std::size_t>(axis)];
    if (taps.count == 0) continue;
    resample_axis(taps, shape.product(0, axis), shape[axis], resample.out[axis], shape.product(axis + 1, shape.rank), resample.fill, now, next);
    shape[axis] = resample.out[axis];
    now.swap(next);
  }
  // A place outside along one axis is filled, whatever the other axes give.
  std::array<std::int64_t, max_rank> index{};
  for (std::int64_t i = 0; i < shape.elements(); i++) {
    bool outside = false;
    for (int axis = 0; axis < shape.rank; axis++) {
      const auto at = static_cast<std::size_t>(axis);
      const Taps& taps = resample.axes[at];
      outside = outside || (taps.count > 0 && taps.indices[index[at] * taps.count] < 0);
    }
    out[i] = outside ? resample.fill : static_cast<float>(now[static_cast<std::size_t>(i)]);
    for (int axis = shape.rank - 1; axis >= 0 && ++index[static_cast<std::size_t>(axis)] == shape[axis]; axis--) index[static_cast<std::size_t>(axis)] = 0;
  }
}

void ReferenceGraphOps::grid_sample(const GridSample& sample, const float* in, const float* grid, float* out) {
  std::int64_t plane = 1;
  std::int64_t points = 1;
  for (int axis = 3 - sample.axes; axis < 3; axis++) {
    plane *= sample.in[static_cast<std::size_t>(axis)];
    points *= sample.out[static_cast<std::size_t>(axis)];
  }
  for (std::int64_t channel = 0; channel < sample.batch * sample.channels; channel++) {
    const Sampler sampler(sample, in + channel * plane);
    const float* point = grid + channel / sample.channels * points * sample.axes;
    for (std::int64_t i = 0; i < points; i++, point += sample.axes) *out++ = sampler.at(point);
  }
}

}  // namespace lectern::cpu
