// Images resized by tables of taps and weights, and sampled between their pixels.
#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

/// The axes that change; the others are traversed.
struct Resampled {
  int rank;
  Count count;              // of the output
  Count sizes[max_rank];    // of the output
  Count strides[max_rank];  // of the input
  int taps[max_rank];       // 0: an axis that does not change
  const std::int32_t* indices[max_rank];
  const float* weights[max_rank];
  float fill;
};

template <class T>
__global__ void resample_elements(Resampled r, const T* in, T* out) {
  for (Count i = first_element(); i < r.count; i += element_step()) {
    Count index[max_rank];
    Count base = 0;
    bool outside = false;
    Count rest = i;
    for (int axis = r.rank - 1; axis >= 0; --axis) {
      index[axis] = rest % r.sizes[axis];
      rest /= r.sizes[axis];
      if (r.taps[axis] == 0) base += index[axis] * r.strides[axis];
      else outside = outside || r.indices[axis][index[axis] * r.taps[axis]] < 0;
    }
    if (outside) {
      out[i] = element_of<T>(r.fill);
      continue;
    }
    // One tap of every axis after the other, the last axis first: a counter whose digits are taps.
    int tap[max_rank] = {};
    float sum = 0;
    for (bool more = true; more;) {
      Count place = base;
      float weight = 1;
      for (int axis = 0; axis < r.rank; ++axis) {
        if (r.taps[axis] == 0) continue;
        const Count at = index[axis] * r.taps[axis] + tap[axis];
        place += r.indices[axis][at] * r.strides[axis];
        weight *= r.weights[axis][at];
      }
      sum += weight * value_of(in[place]);
      more = false;
      for (int axis = r.rank - 1; axis >= 0 && !more; --axis) {
        if (r.taps[axis] == 0) continue;
        more = ++tap[axis] < r.taps[axis];
        if (!more) tap[axis] = 0;
      }
    }
    out[i] = element_of<T>(sum);
  }
}

struct Sampling {
  SampleMode mode;
  SamplePadding padding;
  bool align_corners;
  int axes;
  Count channels, points, plane;
  Count sizes[3];  // the last `axes` are used
};

/// Reflects a coordinate into low .. high. NaN and values that are too large to compute go to the low end.
__device__ float reflected(float x, float low, float high) {
  const float length = high - low;
  if (!(length > 0)) return low;
  const float away = fmodf(fabsf(x - low), 2 * length);
  if (!(fabsf(away) <= FLT_MAX)) return low;
  return away <= length ? low + away : high - (away - length);
}

__device__ float padded(const Sampling& s, float x, int axis) {
  const auto last = static_cast<float>(s.sizes[axis] - 1);
  if (s.padding == SamplePadding::border) return x != x ? 0.0F : clamped(x, 0, last);
  if (s.padding == SamplePadding::reflection) return clamped(s.align_corners ? reflected(x, 0, last) : reflected(x, -0.5F, last + 0.5F), 0, last);
  return x;
}

/// The element at integer coordinates, 0 outside and for NaN.
template <class T>
__device__ float element_at(const Sampling& s, const T* plane, const float (&at)[3]) {
  Count place = 0;
  for (int axis = 3 - s.axes; axis < 3; ++axis) {
    if (!(at[axis] >= 0 && at[axis] < static_cast<float>(s.sizes[axis]))) return 0;
    const auto index = static_cast<Count>(at[axis]);
    if (index >= s.sizes[axis]) return 0;
    place = place * s.sizes[axis] + index;
  }
  return value_of(plane[place]);
}

/// Interpolates between the two neighbours along each axis.
template <class T>
__device__ float linear(const Sampling& s, const T* plane, const float (&place)[3]) {
  float low[3] = {};
  float part[3] = {};
  for (int axis = 3 - s.axes; axis < 3; ++axis) {
    // Outside the image everything is 0, as for NaN.
    if (!(place[axis] > -1 && place[axis] < static_cast<float>(s.sizes[axis]))) return 0;
    low[axis] = floorf(place[axis]);
    part[axis] = place[axis] - low[axis];
  }
  float sum = 0;
  for (int corner = 0; corner < 1 << s.axes; ++corner) {
    float at[3] = {};
    float weight = 1;
    for (int axis = 3 - s.axes; axis < 3; ++axis) {
      const bool next = (corner >> (2 - axis) & 1) != 0;
      at[axis] = next ? low[axis] + 1 : low[axis];
      weight *= next ? part[axis] : 1 - part[axis];
    }
    // A neighbour with weight 0 may be infinite.
    if (weight > 0) sum += weight * element_at(s, plane, at);
  }
  return sum;
}

/// Keys' cubic kernel with a = -0.75 at the four neighbours of a position `part` behind the second.
__device__ void cubic_weights(float part, float (&weights)[4]) {
  constexpr float a = -0.75F;
  const auto near = [](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto wide = [](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  weights[0] = wide(part + 1);
  weights[1] = near(part);
  weights[2] = near(1 - part);
  weights[3] = wide(2 - part);
}

template <class T>
__device__ float cubic(const Sampling& s, const T* plane, const float (&place)[3]) {
  constexpr float far = 1e15F;
  if (!(fabsf(place[1]) < far && fabsf(place[2]) < far)) return 0;
  const float top = floorf(place[1]);
  const float left = floorf(place[2]);
  float rows[4];
  float columns[4];
  cubic_weights(place[1] - top, rows);
  cubic_weights(place[2] - left, columns);
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) {
      const float at[3] = {0, truncf(padded(s, top + static_cast<float>(i - 1), 1)), truncf(padded(s, left + static_cast<float>(k - 1), 2))};
      sum += rows[i] * columns[k] * element_at(s, plane, at);
    }
  }
  return sum;
}

template <class T>
__global__ void sample_elements(Sampling s, Count count, const T* in, const T* grid, T* out) {
  for (Count i = first_element(); i < count; i += element_step()) {
    const Count channel = i / s.points;
    const T* point = grid + (channel / s.channels * s.points + i % s.points) * s.axes;
    const T* plane = in + channel * s.plane;
    float place[3] = {};
    for (int k = 0; k < s.axes; ++k) {
      const auto size = static_cast<float>(s.sizes[2 - k]);
      const float x = value_of(point[k]);
      place[2 - k] = s.align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2;
      if (s.mode == SampleMode::nearest) place[2 - k] = rintf(place[2 - k]);
    }
    float value;
    if (s.mode == SampleMode::cubic) {
      value = cubic(s, plane, place);
    } else {
      for (int axis = 3 - s.axes; axis < 3; ++axis) place[axis] = padded(s, place[axis], axis);
      value = linear(s, plane, place);
    }
    out[i] = element_of<T>(value);
  }
}

}  // namespace

void DeviceGraphOps::resample(const Resample& resample, const float* in, float* out) {
  Resampled r{resample.out.rank, resample.out.elements(), {}, {}, {}, {}, {}, resample.fill};
  if (r.count == 0) return;
  const Strides strides = strides_of(resample.in);
  tables_.begin();
  for (int axis = 0; axis < r.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const Taps& taps = resample.axes[at];
    r.sizes[axis] = resample.out[axis];
    r.strides[axis] = strides[at];
    r.taps[axis] = taps.count;
    if (taps.count == 0) continue;
    r.indices[axis] = tables_.find(taps.indices, resample.out[axis] * taps.count);
    r.weights[axis] = tables_.find(taps.weights, resample.out[axis] * taps.count);
  }
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    each(resample_elements<T>, r.count, r, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out));
  });
}

void DeviceGraphOps::grid_sample(const GridSample& sample, const float* in, const float* grid, float* out) {
  Sampling s{sample.mode, sample.padding, sample.align_corners, sample.axes, sample.channels, 1, 1, {}};
  for (int axis = 3 - sample.axes; axis < 3; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    s.sizes[axis] = sample.in[at];
    s.plane *= sample.in[at];
    s.points *= sample.out[at];
  }
  const Count count = sample.batch * sample.channels * s.points;
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    each(sample_elements<T>, count, s, count, reinterpret_cast<const T*>(in), reinterpret_cast<const T*>(grid), reinterpret_cast<T*>(out));
  });
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
