// Softmax, layer normalisation and group normalisation of ONNX networks. One thread block computes a row (a group of channels), and adds its sums by a tree.
#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

constexpr int norm_threads = 128;

/// Softmax, or its logarithm, along an axis whose elements are `axis.inner` apart. One thread computes a line; neighbouring threads take neighbouring lines, so that their loads are contiguous.
template <class T>
__global__ void softmax_columns(Axis axis, bool logarithm, const T* in, T* out) {
  for (Count i = first_element(); i < axis.outer * axis.inner; i += element_step()) {
    const Count begin = i / axis.inner * axis.size * axis.inner + i % axis.inner;
    float most = -INFINITY;
    for (Count k = 0; k < axis.size; ++k) most = fmaxf(most, value_of(in[begin + k * axis.inner]));
    float sum = 0;
    for (Count k = 0; k < axis.size; ++k) sum += expf(value_of(in[begin + k * axis.inner]) - most);
    const float shift = logarithm ? logf(sum) : 0;
    for (Count k = 0; k < axis.size; ++k) {
      const Count at = begin + k * axis.inner;
      const float x = value_of(in[at]) - most;
      out[at] = element_of<T>(logarithm ? x - shift : expf(x) / sum);
    }
  }
}

/// Softmax, or its logarithm, of contiguous rows. One thread block computes a row.
template <class T>
__global__ void LECTERN_LAUNCH_BOUNDS(norm_threads, 8) softmax_rows(Count rows, Count columns, bool logarithm, const T* in, T* out) {
  LECTERN_SHARED float shared[32];
  for (Count row = block_x(); row < rows; row += grid_x()) {
    const T* from = in + row * columns;
    T* to = out + row * columns;
    float most = -INFINITY;
    for (Count k = thread_number(); k < columns; k += norm_threads) most = fmaxf(most, value_of(from[k]));
    most = block_max(most, shared);
    float sum = 0;
    for (Count k = thread_number(); k < columns; k += norm_threads) sum += expf(value_of(from[k]) - most);
    sum = block_sum(sum, shared);
    const float shift = logarithm ? logf(sum) : 0;
    for (Count k = thread_number(); k < columns; k += norm_threads) {
      const float x = value_of(from[k]) - most;
      to[k] = element_of<T>(logarithm ? x - shift : expf(x) / sum);
    }
  }
}

struct Moments {
  float mean;
  float inverse_deviation;  // 1 / sqrt(variance + epsilon), the inverse standard deviation
};

/// Mean and inverse standard deviation of `count` contiguous elements, in every thread of the block. The variance has a pass of its own, so that a large mean does not cancel a small variance.
template <class T>
__device__ Moments moments_of(const T* x, Count count, float epsilon, float* shared) {
  float sum = 0;
  for (Count k = thread_number(); k < count; k += norm_threads) sum += value_of(x[k]);
  const float mean = block_sum(sum, shared) / static_cast<float>(count);
  float squares = 0;
  for (Count k = thread_number(); k < count; k += norm_threads) {
    const float away = value_of(x[k]) - mean;
    squares += away * away;
  }
  return {mean, 1.0F / sqrtf(block_sum(squares, shared) / static_cast<float>(count) + epsilon)};
}

template <class T>
__global__ void LECTERN_LAUNCH_BOUNDS(norm_threads, 8)
    normalise_layers(Count rows, Count columns, float epsilon, const T* scale, const T* bias, const T* in, T* out, T* mean, T* inverse_deviation) {
  LECTERN_SHARED float shared[32];
  for (Count row = block_x(); row < rows; row += grid_x()) {
    const T* from = in + row * columns;
    T* to = out + row * columns;
    const Moments moments = moments_of(from, columns, epsilon, shared);
    for (Count k = thread_number(); k < columns; k += norm_threads) {
      to[k] = element_of<T>((value_of(from[k]) - moments.mean) * moments.inverse_deviation * value_of(scale[k]) + (bias != nullptr ? value_of(bias[k]) : 0.0F));
    }
    if (thread_number() == 0 && mean != nullptr) mean[row] = element_of<T>(moments.mean);
    if (thread_number() == 0 && inverse_deviation != nullptr) inverse_deviation[row] = element_of<T>(moments.inverse_deviation);
  }
}

template <class T>
__global__ void LECTERN_LAUNCH_BOUNDS(norm_threads, 8)
    normalise_groups(Count all, Count groups, Count channels, Count inner, float epsilon, const T* scale, const T* bias, const T* in, T* out) {
  LECTERN_SHARED float shared[32];
  const Count count = channels * inner;
  for (Count group = block_x(); group < all; group += grid_x()) {
    const T* from = in + group * count;
    T* to = out + group * count;
    const Moments moments = moments_of(from, count, epsilon, shared);
    for (Count k = thread_number(); k < count; k += norm_threads) {
      const Count channel = group % groups * channels + k / inner;
      to[k] = element_of<T>((value_of(from[k]) - moments.mean) * moments.inverse_deviation * value_of(scale[channel]) + value_of(bias[channel]));
    }
  }
}

/// Thread blocks of a launch: one for each row, at most 32 per multiprocessor.
int row_blocks(Count rows, int multiprocessors) {
  const Count most = Count{32} * multiprocessors;
  return static_cast<int>(rows < most ? rows : most);
}

}  // namespace

void DeviceGraphOps::softmax(Axis axis, bool logarithm, const float* in, float* out) {
  if (axis.size == 0) return;
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const T* from = reinterpret_cast<const T*>(in);
    T* to = reinterpret_cast<T*>(out);
    if (axis.inner > 1) return each(softmax_columns<T>, axis.outer * axis.inner, axis, logarithm, from, to);
    blocks(softmax_rows<T>, Grid{row_blocks(axis.outer * axis.inner, multiprocessors_)}, norm_threads, 0, axis.outer, axis.size, logarithm, from, to);
  });
}

void DeviceGraphOps::layer_normalise(std::int64_t rows, std::int64_t columns, float epsilon, const float* scale, const float* bias, const float* in, float* out, float* mean,
                                     float* inverse_deviation) {
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const auto input = [](const float* tensor) { return reinterpret_cast<const T*>(tensor); };
    const auto output = [](float* tensor) { return reinterpret_cast<T*>(tensor); };
    blocks(normalise_layers<T>, Grid{row_blocks(rows, multiprocessors_)}, norm_threads, 0, rows, columns, epsilon, input(scale), input(bias), input(in), output(out), output(mean), output(inverse_deviation));
  });
}

void DeviceGraphOps::group_normalise(Axis axis, std::int64_t groups, float epsilon, const float* scale, const float* bias, const float* in, float* out) {
  with_floats(halves_, [&](auto type) {
    using T = decltype(type);
    const auto input = [](const float* tensor) { return reinterpret_cast<const T*>(tensor); };
    const Count all = axis.outer * groups;
    blocks(normalise_groups<T>, Grid{row_blocks(all, multiprocessors_)}, norm_threads, 0, all, groups, axis.size / groups, axis.inner, epsilon, input(scale), input(bias), input(in),
           reinterpret_cast<T*>(out));
  });
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
