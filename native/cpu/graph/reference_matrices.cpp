#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/graph/reference_graph_ops.h"
#include "cpu/graph/walk.h"

namespace lectern::cpu {
namespace {

/// The indices i with 0 <= i * stride + offset < size, among those below count.
struct Span {
  std::int64_t first, last;  // last is exclusive
};

Span inside(std::int64_t offset, std::int64_t stride, std::int64_t size, std::int64_t count) {
  const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const std::int64_t last = offset >= size ? 0 : (size - 1 - offset) / stride + 1;
  return {std::min(first, count), std::max(std::min(first, count), std::min(last, count))};
}

/// Adds the filtered input of one channel to the output of one channel.
void add_filtered(const Convolution& c, const float* in, const float* filter, double* sums) {
  const auto& [kernel, strides, dilations] = std::tie(c.filter.kernel, c.filter.strides, c.filter.dilations);
  for (std::int64_t ky = 0; ky < kernel[0]; ky++) {
    const std::int64_t row_offset = ky * dilations[0] - c.pads[0];
    const Span rows = inside(row_offset, strides[0], c.in[0], c.out[0]);
    for (std::int64_t kx = 0; kx < kernel[1]; kx++) {
      const std::int64_t column_offset = kx * dilations[1] - c.pads[1];
      const Span columns = inside(column_offset, strides[1], c.in[1], c.out[1]);
      const auto weight = static_cast<double>(filter[ky * kernel[1] + kx]);
      for (std::int64_t y = rows.first; y < rows.last; y++) {
        const float* from = in + (y * strides[0] + row_offset) * c.in[1];
        double* to = sums + y * c.out[1];
        for (std::int64_t x = columns.first; x < columns.last; x++) to[x] += weight * static_cast<double>(from[x * strides[1] + column_offset]);
      }
    }
  }
}

/// The transposed form: each input element adds its filter.
void add_spread(const Convolution& c, const float* in, const float* filter, double* sums) {
  const auto& [kernel, strides, dilations] = std::tie(c.filter.kernel, c.filter.strides, c.filter.dilations);
  for (std::int64_t ky = 0; ky < kernel[0]; ky++) {
    const std::int64_t row_offset = ky * dilations[0] - c.pads[0];
    const Span rows = inside(row_offset, strides[0], c.out[0], c.in[0]);
    for (std::int64_t kx = 0; kx < kernel[1]; kx++) {
      const std::int64_t column_offset = kx * dilations[1] - c.pads[1];
      const Span columns = inside(column_offset, strides[1], c.out[1], c.in[1]);
      const auto weight = static_cast<double>(filter[ky * kernel[1] + kx]);
      for (std::int64_t y = rows.first; y < rows.last; y++) {
        double* to = sums + (y * strides[0] + row_offset) * c.out[1];
        for (std::int64_t x = columns.first; x < columns.last; x++) to[x * strides[1] + column_offset] += weight * static_cast<double>(in[y * c.in[1] + x]);
      }
    }
  }
}

}  // namespace

void ReferenceGraphOps::multiply(const Product& p, const float* a, const float* b, const void*, const float* bias, float* out) {
  std::vector<double> sums(static_cast<std::size_t>(p.columns));
  float* to = out;
  each_row<2>(p.batches, {p.a_strides, p.b_strides}, {0, 0}, [&](auto at, std::int64_t length, auto step) {
    for (std::int64_t batch = 0; batch < length; batch++) {
      const float* left = a + at[0] + batch * step[0];
      const float* right = b + at[1] + batch * step[1];
      for (std::int64_t row = 0; row < p.rows; row++) {
        std::fill(sums.begin(), sums.end(), 0.0);
        for (std::int64_t k = 0; k < p.inner; k++) {
          const auto factor = static_cast<double>(p.a_transposed ? left[k * p.rows + row] : left[row * p.inner + k]);
          const float* weights = p.b_transposed ? right + k : right + k * p.columns;
          const std::int64_t stride = p.b_transposed ? p.inner : 1;
          for (std::int64_t column = 0; column < p.columns; column++) sums[static_cast<std::size_t>(column)] += factor * static_cast<double>(weights[column * stride]);
        }
        for (std::int64_t column = 0; column < p.columns; column++) {
          double sum = static_cast<double>(p.alpha) * sums[static_cast<std::size_t>(column)];
          if (bias != nullptr) sum += static_cast<double>(p.beta) * static_cast<double>(bias[row * p.bias_row_stride + column * p.bias_column_stride]);
          *to++ = activate(p.activation, static_cast<float>(sum));
        }
      }
    }
  });
}

namespace {

/// For every channel of every picture: its bias, then add(input plane, plane of the filter, sums) for each of its inputs, then the residual and the
/// activation. plane_of(input, output, group's inputs and outputs) numbers the planes of the filter.
template <class Add, class PlaneOf>
void convolve_planes(const Convolution& c, const float* in, const float* weights, const float* bias, const float* residual, float* out, Add&& add, PlaneOf&& plane_of) {
  const Filter& filter = c.filter;
  const std::int64_t in_plane = c.in[0] * c.in[1];
  const std::int64_t out_plane = c.out[0] * c.out[1];
  const std::int64_t group_inputs = filter.inputs / filter.groups;
  const std::int64_t group_outputs = filter.outputs / filter.groups;
  const std::int64_t kernel = filter.kernel[0] * filter.kernel[1];
  std::vector<double> sums(static_cast<std::size_t>(out_plane));
  for (std::int64_t plane = 0; plane < c.batch * filter.outputs; plane++) {
    const std::int64_t image = plane / filter.outputs;
    const std::int64_t channel = plane % filter.outputs;
    std::fill(sums.begin(), sums.end(), bias != nullptr ? static_cast<double>(bias[channel]) : 0.0);
    for (std::int64_t i = 0; i < group_inputs; i++) {
      const std::int64_t input = channel / group_outputs * group_inputs + i;
      add(c, in + (image * filter.inputs + input) * in_plane, weights + plane_of(input, channel, group_inputs, group_outputs) * kernel, sums.data());
    }
    for (std::int64_t i = 0; i < out_plane; i++) {
      const double added = residual != nullptr ? static_cast<double>(residual[plane * out_plane + i]) : 0;
      out[plane * out_plane + i] = activate(c.activation, static_cast<float>(sums[static_cast<std::size_t>(i)] + added));
    }
  }
}

}  // namespace

void ReferenceGraphOps::convolve(const Convolution& c, const float* in, const float* weights, const void*, const float* bias, const float* residual, float* out) {
  convolve_planes(c, in, weights, bias, residual, out, add_filtered,
                  [](std::int64_t input, std::int64_t output, std::int64_t group_inputs, std::int64_t) { return output * group_inputs + input % group_inputs; });
}

void ReferenceGraphOps::convolve_transposed(const Convolution& c, const float* in, const float* weights, const void*, const float* bias, float* out) {
  convolve_planes(c, in, weights, bias, nullptr, out, add_spread,
                  [](std::int64_t input, std::int64_t output, std::int64_t, std::int64_t group_outputs) { return input * group_outputs + output % group_outputs; });
}

namespace {

/// The part of the window that begins at `start` that lies in 0 .. size - 1, as indices of the kernel.
Span window(std::int64_t start, std::int64_t kernel, std::int64_t dilation, std::int64_t size) { return inside(start, dilation, size, kernel); }

template <class T>
void find_maxima(const Pool& p, const T* in, T* out, std::int64_t* indices) {
  for (std::int64_t plane = 0; plane < p.planes; plane++, in += p.in[0] * p.in[1]) {
    for (std::int64_t y = 0; y < p.out[0]; y++) {
      const std::int64_t top = y * p.strides[0] - p.pads[0];
      const Span rows = window(top, p.kernel[0], p.dilations[0], p.in[0]);
      for (std::int64_t x = 0; x < p.out[1]; x++) {
        const std::int64_t left = x * p.strides[1] - p.pads[1];
        const Span columns = window(left, p.kernel[1], p.dilations[1], p.in[1]);
        T most = std::numeric_limits<T>::lowest();
        if constexpr (std::numeric_limits<T>::has_infinity) most = -std::numeric_limits<T>::infinity();
        std::int64_t best = -1;
        for (std::int64_t ky = rows.first; ky < rows.last; ky++) {
          for (std::int64_t kx = columns.first; kx < columns.last; kx++) {
            const std::int64_t row = top + ky * p.dilations[0];
            const std::int64_t column = left + kx * p.dilations[1];
            const T value = in[row * p.in[1] + column];
            if (best >= 0 && !(value > most)) continue;
            most = value;
            best = p.column_major ? column * p.in[0] + row : row * p.in[1] + column;
          }
        }
        *out++ = most;
        if (indices != nullptr) *indices++ = plane * p.in[0] * p.in[1] + std::max<std::int64_t>(best, 0);
      }
    }
  }
}

void find_means(const Pool& p, const float* in, float* out) {
  for (std::int64_t plane = 0; plane < p.planes; plane++, in += p.in[0] * p.in[1]) {
    for (std::int64_t y = 0; y < p.out[0]; y++) {
      const std::int64_t top = y * p.strides[0] - p.pads[0];
      const Span rows = window(top, p.kernel[0], p.dilations[0], p.in[0]);
      // Elements beyond the padding, as with ceil_mode, do not count.
      const Span padded_rows = window(top + p.pads[0], p.kernel[0], p.dilations[0], p.in[0] + p.pads[0] + p.pads_after[0]);
      for (std::int64_t x = 0; x < p.out[1]; x++) {
        const std::int64_t left = x * p.strides[1] - p.pads[1];
        const Span columns = window(left, p.kernel[1], p.dilations[1], p.in[1]);
        const Span padded_columns = window(left + p.pads[1], p.kernel[1], p.dilations[1], p.in[1] + p.pads[1] + p.pads_after[1]);
        double sum = 0;
        for (std::int64_t ky = rows.first; ky < rows.last; ky++) {
          for (std::int64_t kx = columns.first; kx < columns.last; kx++) sum += static_cast<double>(in[(top + ky * p.dilations[0]) * p.in[1] + left + kx * p.dilations[1]]);
        }
        const std::int64_t count = p.count_padding ? (padded_rows.last - padded_rows.first) * (padded_columns.last - padded_columns.first)
                                                   : (rows.last - rows.first) * (columns.last - columns.first);
        *out++ = count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
      }
    }
  }
}

}  // namespace

void ReferenceGraphOps::pool(const Pool& pool, Element element, const void* in, void* out, std::int64_t* indices) {
  if (pool.average) return find_means(pool, static_cast<const float*>(in), static_cast<float*>(out));
  if (element == Element::f32) return find_maxima(pool, static_cast<const float*>(in), static_cast<float*>(out), indices);
  if (element == Element::i8) return find_maxima(pool, static_cast<const std::int8_t*>(in), static_cast<std::int8_t*>(out), indices);
  find_maxima(pool, static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out), indices);
}

void ReferenceGraphOps::attend(const Attention& a, const float* q, const float* k, const float* v, const float* mask, float* out) {
  std::vector<double> scores(static_cast<std::size_t>(a.keys));
  for (std::int64_t batch = 0; batch < a.batch; batch++) {
    for (std::int64_t head = 0; head < a.heads; head++) {
      const float* keys = k + batch * a.k_batch + head * a.k_head;
      const float* values = v + batch * a.v_batch + head * a.v_head;
      for (std::int64_t row = 0; row < a.queries; row++) {
        const float* query = q + batch * a.q_batch + head * a.q_head + row * a.q_row;
        double most = -std::numeric_limits<double>::infinity();
        for (std::int64_t key = 0; key < a.keys; key++) {
          double score = 0;
          for (std::int64_t i = 0; i < a.size; i++) score += static_cast<double>(query[i]) * static_cast<double>(keys[key * a.k_row + i]);
          score *= static_cast<double>(a.scale);
          if (mask != nullptr) score += static_cast<double>(mask[batch * a.mask_batch + head * a.mask_head + row * a.mask_row + key]);
          scores[static_cast<std::size_t>(key)] = score;
          most = std::max(most, score);
        }
        double sum = 0;
        for (double& score : scores) sum += score = std::exp(score - most);
        float* to = out + batch * a.out_batch + head * a.out_head + row * a.out_row;
        for (std::int64_t i = 0; i < a.value_size; i++) {
          double value = 0;
          for (std::int64_t key = 0; key < a.keys; key++) value += scores[static_cast<std::size_t>(key)] * static_cast<double>(values[key * a.v_row + i]);
          to[i] = static_cast<float>(value / sum);
        }
      }
    }
  }
}

}  // namespace lectern::cpu
