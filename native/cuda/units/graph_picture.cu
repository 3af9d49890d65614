// Image kernels with a thread for each output: small convolutions, pooling, resizing, sampling.
#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

/// A pair of axes, without std::array, whose operators are not available on the device.
struct Pair {
  Count y, x;
};

Pair pair_of(const std::array<std::int64_t, 2>& pair) { return {pair[0], pair[1]}; }

struct Window {
  Count inputs, outputs;              // channels
  Count group_inputs, group_outputs;  // of each group
  Pair in, out, kernel, strides, dilations, pads;
  Unary activation;
};

Window window_of(const Convolution& c) {
  const Filter& f = c.filter;
  return {f.inputs, f.outputs, f.inputs / f.groups, f.outputs / f.groups, pair_of(c.in), pair_of(c.out), pair_of(f.kernel), pair_of(f.strides), pair_of(f.dilations), pair_of(c.pads), c.activation};
}

/// The position of an output: image, channel, row and column.
struct Place {
  Count picture, channel, y, x;
};

__device__ __forceinline__ Place place_of(Count i, const Window& w) {
  if (i <= 0x7FFFFFFF) {
    const auto at = static_cast<std::uint32_t>(i);
    const std::uint32_t row = at / static_cast<std::uint32_t>(w.out.x);
    const std::uint32_t plane = row / static_cast<std::uint32_t>(w.out.y);
    const std::uint32_t picture = plane / static_cast<std::uint32_t>(w.outputs);
    return {picture, static_cast<Count>(plane) - static_cast<Count>(picture) * w.outputs, static_cast<Count>(row) - static_cast<Count>(plane) * w.out.y,
            static_cast<Count>(at) - static_cast<Count>(row) * w.out.x};
  }
  const Count plane = i / (w.out.x * w.out.y);
  return {plane / w.outputs, plane % w.outputs, i / w.out.x % w.out.y, i % w.out.x};
}

template <class T>
__global__ void filter_elements(Window w, Count count, const T* in, const T* weights, const T* bias, const T* residual, T* out) {
  const Count plane = w.in.y * w.in.x;
  const Count filter = w.kernel.y * w.kernel.x;
  for (Count i = first_element(); i < count; i += element_step()) {
    const Place at = place_of(i, w);
    const Count top = at.y * w.strides.y - w.pads.y;
    const Count left = at.x * w.strides.x - w.pads.x;
    const T* from = in + (at.picture * w.inputs + at.channel / w.group_outputs * w.group_inputs) * plane;
    const T* own = weights + at.channel * w.group_inputs * filter;
    float sum = 0;
    for (Count channel = 0; channel < w.group_inputs; ++channel, from += plane, own += filter) {
      for (Count ky = 0; ky < w.kernel.y; ++ky) {
        const Count y = top + ky * w.dilations.y;
        if (y < 0 || y >= w.in.y) continue;
        for (Count kx = 0; kx < w.kernel.x; ++kx) {
          const Count x = left + kx * w.dilations.x;
          if (x >= 0 && x < w.in.x) sum += value_of(own[ky * w.kernel.x + kx]) * value_of(from[y * w.in.x + x]);
        }
      }
    }
    if (bias != nullptr) sum += value_of(bias[at.channel]);
    if (residual != nullptr) sum += value_of(residual[i]);
    out[i] = element_of<T>(applied<float>(w.activation, sum));
  }
}

/// The inputs that contribute to an output: those under an element of the filter.
template <class T>
__global__ void filter_elements_transposed(Window w, Count count, const T* in, const T* weights, const T* bias, T* out) {
  const Count plane = w.in.y * w.in.x;
  const Count filter = w.kernel.y * w.kernel.x;
  for (Count i = first_element(); i < count; i += element_step()) {
    const Place at = place_of(i, w);
    const Count first = at.channel / w.group_outputs * w.group_inputs;
    float sum = bias != nullptr ? value_of(bias[at.channel]) : 0.0F;
    for (Count ky = 0; ky < w.kernel.y; ++ky) {
      const Count high = at.y + w.pads.y - ky * w.dilations.y;
      if (high < 0 || high % w.strides.y != 0 || high / w.strides.y >= w.in.y) continue;
      for (Count kx = 0; kx < w.kernel.x; ++kx) {
        const Count wide = at.x + w.pads.x - kx * w.dilations.x;
        if (wide < 0 || wide % w.strides.x != 0 || wide / w.strides.x >= w.in.x) continue;
        const T* from = in + (at.picture * w.inputs + first) * plane + high / w.strides.y * w.in.x + wide / w.strides.x;
        const T* own = weights + (first * w.group_outputs + at.channel % w.group_outputs) * filter + ky * w.kernel.x + kx;
        for (Count channel = 0; channel < w.group_inputs; ++channel) sum += value_of(from[channel * plane]) * value_of(own[channel * w.group_outputs * filter]);
      }
    }
    out[i] = element_of<T>(applied<float>(w.activation, sum));
  }
}

struct Pooled {
  bool count_padding, column_major;
  Count planes;
  Pair in, out, kernel, strides, dilations, pads, pads_after;
};

/// The first filter element, and the one behind the last, that lie within 0 .. size - 1 of an axis when the filter begins at `start`.
__device__ __forceinline__ void find_span(Count start, Count kernel, Count dilation, Count size, Count& first, Count& last) {
  first = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
  last = start >= size ? 0 : (size - 1 - start) / dilation + 1;
  if (last > kernel) last = kernel;
  if (first > last) first = last;
}

template <class T>
__global__ void find_maxima(Pooled p, T lowest, const T* in, T* out, std::int64_t* indices) {
  for (Count i = first_element(); i < p.planes * p.out.y * p.out.x; i += element_step()) {
    const Count plane = i / (p.out.y * p.out.x);
    const Count top = i / p.out.x % p.out.y * p.strides.y - p.pads.y;
    const Count left = i % p.out.x * p.strides.x - p.pads.x;
    const T* from = in + plane * p.in.y * p.in.x;
    Count row_first, row_last, first, last;
    find_span(top, p.kernel.y, p.dilations.y, p.in.y, row_first, row_last);
    find_span(left, p.kernel.x, p.dilations.x, p.in.x, first, last);
    T most = lowest;
    Count best = -1;
    for (Count ky = row_first; ky < row_last; ++ky) {
      for (Count kx = first; kx < last; ++kx) {
        const Count row = top + ky * p.dilations.y;
        const Count column = left + kx * p.dilations.x;
        const T value = from[row * p.in.x + column];
        if (best >= 0 && !(value_of(value) > value_of(most))) continue;
        most = value;
        best = p.column_major ? column * p.in.y + row : row * p.in.x + column;
      }
    }
    out[i] = most;
    if (indices != nullptr) indices[i] = plane * p.in.y * p.in.x + (best < 0 ? 0 : best);
  }
}

template <class T>
__global__ void find_means(Pooled p, const T* in, T* out) {
  for (Count i = first_element(); i < p.planes * p.out.y * p.out.x; i += element_step()) {
    const Count top = i / p.out.x % p.out.y * p.strides.y - p.pads.y;
    const Count left = i % p.out.x * p.strides.x - p.pads.x;
    const T* from = in + i / (p.out.y * p.out.x) * p.in.y * p.in.x;
    Count row_first, row_last, first, last;
    find_span(top, p.kernel.y, p.dilations.y, p.in.y, row_first, row_last);
    find_span(left, p.kernel.x, p.dilations.x, p.in.x, first, last);
    float sum = 0;
    for (Count ky = row_first; ky < row_last; ++ky) {
      for (Count kx = first; kx < last; ++kx) sum += value_of(from[(top + ky * p.dilations.y) * p.in.x + left + kx * p.dilations.x]);
    }
    if (p.count_padding) {
      // Elements beyond the padding, which ceil_mode allows, do not count.
      find_span(top + p.pads.y, p.kernel.y, p.dilations.y, p.in.y + p.pads.y + p.pads_after.y, row_first, row_last);
      find_span(left + p.pads.x, p.kernel.x, p.dilations.x, p.in.x + p.pads.x + p.pads_after.x, first, last);
    }
    const Count counted = (row_last - row_first) * (last - first);
    out[i] = element_of<T>(counted == 0 ? 0.0F : sum / static_cast<float>(counted));
  }
}

Pooled pooled_of(const Pool& p) {
  return {p.count_padding, p.column_major, p.planes, pair_of(p.in), pair_of(p.out), pair_of(p.kernel), pair_of(p.strides), pair_of(p.dilations), pair_of(p.pads), pair_of(p.pads_after)};
}

}  // namespace

void DeviceGraphOps::convolve_directly(const Convolution& c, const float* in, const float* weights, const float* bias, const float* residual, float* out) {
  const Count count = c.batch * c.filter.outputs * c.out[0] * c.out[1];
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const auto kept = [](const float* tensor) { return reinterpret_cast<const T*>(tensor); };
    each(filter_elements<T>, count, window_of(c), count, kept(in), kept(weights), kept(bias), kept(residual), reinterpret_cast<T*>(out));
  });
}

void DeviceGraphOps::convolve_transposed(const Convolution& c, const float* in, const float* weights, const void*, const float* bias, float* out) {
  const Count count = c.batch * c.filter.outputs * c.out[0] * c.out[1];
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const auto kept = [](const float* tensor) { return reinterpret_cast<const T*>(tensor); };
    each(filter_elements_transposed<T>, count, window_of(c), count, kept(in), kept(weights), kept(bias), reinterpret_cast<T*>(out));
  });
}

void DeviceGraphOps::pool(const Pool& pool, Element element, const void* in, void* out, std::int64_t* indices) {
  const Pooled pooled = pooled_of(pool);
  const Count count = pool.planes * pool.out[0] * pool.out[1];
  if (element == Element::i8) return each(find_maxima<std::int8_t>, count, pooled, std::int8_t{INT8_MIN}, static_cast<const std::int8_t*>(in), static_cast<std::int8_t*>(out), indices);
  if (element == Element::u8) return each(find_maxima<std::uint8_t>, count, pooled, std::uint8_t{0}, static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out), indices);
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const T* from = static_cast<const T*>(in);
    T* to = static_cast<T*>(out);
    if (pool.average) return each(find_means<T>, count, pooled, from, to);
    T lowest;
    if constexpr (std::is_same<T, Half>::value) lowest = {0xFC00};
    else lowest = -INFINITY;
    each(find_maxima<T>, count, pooled, lowest, from, to, indices);
  });
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
