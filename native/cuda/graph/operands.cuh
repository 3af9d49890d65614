// The operands of tiled products, loaded in chunks of eight elements, and their epilogues.
#pragma once

#include "cuda/graph/elements.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Eight elements on their way to shared memory.
template <class T>
struct Chunk;

template <>
struct Chunk<Half> {
  Word w[4] = {0, 0, 0, 0};
  __device__ __forceinline__ void set(int i, Half value) { w[i / 2] |= static_cast<Word>(value.bits) << (16 * (i % 2)); }
  __device__ __forceinline__ Half get(int i) const { return {static_cast<std::uint16_t>(w[i / 2] >> (16 * (i % 2)))}; }
  /// Eight elements at an address aligned to 16 bytes.
  __device__ __forceinline__ void load(const Half* from) {
    const auto words = *reinterpret_cast<const Words<4>*>(from);
    for (int i = 0; i < 4; ++i) w[i] = words.w[i];
  }
};

template <>
struct Chunk<float> {
  float v[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  __device__ __forceinline__ void set(int i, float value) { v[i] = value; }
  __device__ __forceinline__ float get(int i) const { return v[i]; }
  __device__ __forceinline__ void load(const float* from) {
    for (int half = 0; half < 2; ++half) {
      const auto words = reinterpret_cast<const Words<4>*>(from)[half];
      for (int i = 0; i < 4; ++i) v[4 * half + i] = float_of_bits(words.w[i]);
    }
  }
};

/// An operand (rows, depth), dense along k.
template <class T>
struct DenseLines {
  using Element = T;
  static constexpr bool along_depth = true;
  const T* data;
  int lines, depth;
  bool vectors;  // chunks are aligned and whole

  __device__ __forceinline__ void chunk(int line, int k, Chunk<T>& chunk) const {
    if (line >= lines || k >= depth) return;
    const T* from = data + static_cast<Count>(line) * depth + k;
    if (vectors) return chunk.load(from);
    LECTERN_UNROLL
    for (int i = 0; i < 8; ++i) {
      if (k + i < depth) chunk.set(i, from[i]);
    }
  }
};

/// The transposed operand in memory: (depth, rows).
template <class T>
struct TurnedLines {
  using Element = T;
  static constexpr bool along_depth = false;
  const T* data;
  int lines, depth;
  bool vectors;

  __device__ __forceinline__ void chunk(int line, int k, Chunk<T>& chunk) const {
    if (line >= lines || k >= depth) return;
    const T* from = data + static_cast<Count>(k) * lines + line;
    if (vectors) return chunk.load(from);
    LECTERN_UNROLL
    for (int i = 0; i < 8; ++i) {
      if (line + i < lines) chunk.set(i, from[i]);
    }
  }
};

/// The images of a convolution: a row for every output pixel of every image; k counts channels, rows and columns of the filter.
template <class T>
struct PixelLines {
  using Element = T;
  static constexpr bool along_depth = false;
  const T* data;
  int lines, depth;
  bool vectors;  // pixels as they are: no filter, no padding, whole chunks
  int out_y, out_x, in_y, in_x, kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, pad_y, pad_x;
  Count picture;  // elements from one to the next

  __device__ __forceinline__ void chunk(int line, int k, Chunk<T>& chunk) const {
    if (line >= lines || k >= depth) return;
    const int plane = out_y * out_x;
    int number = line / plane;
    const int pixel = line - number * plane;
    const int filter = kernel_y * kernel_x;
    const int channel = k / filter;
    const T* from = data + number * picture + static_cast<Count>(channel) * in_y * in_x;
    if (vectors) return chunk.load(from + pixel);
    const int tap = k - channel * filter;
    const int tap_y = tap / kernel_x;
    const int row_offset = tap_y * dilation_y - pad_y;
    const int column_offset = (tap - tap_y * kernel_x) * dilation_x - pad_x;
    int y = pixel / out_x;
    int x = pixel - y * out_x;
    int row = y * stride_y + row_offset;
    int column = x * stride_x + column_offset;
    // From pixel to pixel, row to row, image to image, without a branch.
    LECTERN_UNROLL
    for (int i = 0; i < 8; ++i) {
      if (line + i < lines && row >= 0 && row < in_y && column >= 0 && column < in_x) chunk.set(i, from[row * in_x + column]);
      ++x;
      const bool row_ends = x == out_x;
      x = row_ends ? 0 : x;
      column = row_ends ? column_offset : column + stride_x;
      y += row_ends ? 1 : 0;
      const bool picture_ends = y == out_y;
      y = picture_ends ? 0 : y;
      row = picture_ends ? row_offset : row + (row_ends ? stride_y : 0);
      from += picture_ends ? picture : 0;
    }
  }
};

/// Whether the epilogue of a product applies such a function. It is inlined for every accumulator of a tile, so only short functions are; others
/// are an operation of their own.
inline bool ends_products(UnaryKind kind) {
  switch (kind) {
    case UnaryKind::identity:
    case UnaryKind::relu:
    case UnaryKind::leaky_relu:
    case UnaryKind::clip:
    case UnaryKind::hard_sigmoid:
    case UnaryKind::hard_swish:
    case UnaryKind::sigmoid:
    case UnaryKind::silu: return true;
    default: return false;
  }
}

/// scale f(x) + shift of those.
__device__ __forceinline__ float apply_epilogue(const Unary& op, float x) {
  float y = x;
  if (op.kind == UnaryKind::relu || op.kind == UnaryKind::leaky_relu) {
    y = x < 0 ? (op.kind == UnaryKind::relu ? 0.0F : op.a * x) : x;
  } else if (op.kind == UnaryKind::clip) {
    y = clamped(x, op.a, op.b);
  } else if (op.kind == UnaryKind::hard_sigmoid || op.kind == UnaryKind::hard_swish) {
    y = clamped(op.a * x + op.b, 0, 1);
    if (op.kind == UnaryKind::hard_swish) y *= x;
  } else if (op.kind != UnaryKind::identity) {
    const bool silu = op.kind == UnaryKind::silu;
    y = (silu ? x : 1.0F) / (1.0F + expf(silu ? -op.a * x : -x));
  }
  return op.scale * y + op.shift;
}

/// The epilogue of a matrix product: C is dense.
template <class T>
struct MatrixEnd {
  using Element = T;
  T* out;
  const T* bias;
  int rows, columns;
  float alpha, beta;
  Count bias_row, bias_column;
  Unary activation;
  bool pairs;  // two neighbouring outputs are one aligned word

  __device__ __forceinline__ float value(int row, int column, float sum) const {
    sum *= alpha;
    if (bias != nullptr) sum += beta * value_of(bias[row * bias_row + column * bias_column]);
    return apply_epilogue(activation, sum);
  }
  __device__ __forceinline__ Count place(int batch, int row, int column) const { return (static_cast<Count>(batch) * rows + row) * columns + column; }
};

/// The epilogue of a convolution: row is an output channel of the group, column a pixel.
template <class T>
struct PictureEnd {
  using Element = T;
  T* out;
  const T* bias;
  const T* residual;
  int rows, columns;
  int outputs, plane;
  Unary activation;
  bool pairs;

  __device__ __forceinline__ Count place(int group, int row, int column) const {
    const int picture = column / plane;
    return (static_cast<Count>(picture) * outputs + group * rows + row) * plane + (column - picture * plane);
  }
};

template <class T>
__device__ __forceinline__ float ended(const MatrixEnd<T>& end, int, int row, int column, Count, float sum) {
  return end.value(row, column, sum);
}
template <class T>
__device__ __forceinline__ float ended(const PictureEnd<T>& end, int group, int row, int, Count place, float sum) {
  if (end.bias != nullptr) sum += value_of(end.bias[group * end.rows + row]);
  if (end.residual != nullptr) sum += value_of(end.residual[place]);
  return apply_epilogue(end.activation, sum);
}

/// Two neighbouring outputs in one aligned word.
__device__ __forceinline__ void put_both(Half* to, float first, float second) {
  *reinterpret_cast<Word*>(to) = half_of(first).bits | static_cast<Word>(half_of(second).bits) << 16;
}
__device__ __forceinline__ void put_both(float* to, float first, float second) { *reinterpret_cast<Words<2>*>(to) = {{bits_of_float(first), bits_of_float(second)}}; }

/// The outputs at (row, column) and at its right neighbour.
template <class End>
__device__ __forceinline__ void put_pair(const End& end, int batch, int row, int column, float first, float second) {
  using T = typename End::Element;
  if (row >= end.rows || column >= end.columns) return;
  const Count at = end.place(batch, row, column);
  const float left = ended(end, batch, row, column, at, first);
  if (end.pairs) return put_both(end.out + at, left, ended(end, batch, row, column + 1, at + 1, second));
  end.out[at] = element_of<T>(left);
  if (column + 1 >= end.columns) return;
  const Count next = end.place(batch, row, column + 1);
  end.out[next] = element_of<T>(ended(end, batch, row, column + 1, next, second));
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
