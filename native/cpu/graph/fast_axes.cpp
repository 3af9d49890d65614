// Operations along an axis: sums, softmax, norms, attention.
#include <algorithm>
#include <limits>

#include "cpu/graph/fast_graph_ops.h"
#include "cpu/graph/strided_walk.h"

namespace lectern::cpu {
namespace {

constexpr std::int64_t most_row = std::numeric_limits<int>::max() / 4;

/// One axis with its inner neighbours, after contiguous axes have been merged.
bool is_dense(const Shape& shape, const Strides& strides) {
  std::int64_t expected = 1;
  for (int axis = shape.rank - 1; axis >= 0; axis--) {
    if (shape[axis] == 1) continue;
    if (strides[static_cast<std::size_t>(axis)] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

/// The number of adjacent outputs that justifies a call for each of their inputs.
constexpr std::int64_t least_neighbours = 8;

/// NaN if either is NaN.
float largest_of(const NetworkKernels& kernels, const float* line, int count) {
  alignas(64) float most[64];
  int lanes = std::min(count, 64);
  std::copy(line, line + lanes, most);
  for (int i = lanes; i < count; i += 64) kernels.combine(Combination::maximum, most, 1, line + i, 1, std::min(64, count - i), most);
  for (; lanes > 1; lanes = (lanes + 1) / 2) kernels.combine(Combination::maximum, most, 1, most + (lanes + 1) / 2, 1, lanes / 2, most);
  return most[0];
}

/// The sums or maxima of `count` neighbours, each over the elements of its reduction.
void reduce_side_by_side(const NetworkKernels& kernels, const Reduction& reduction, const float* in, int count, float* out) {
  const Combination combination = reduction.kind == ReductionKind::maximum ? Combination::maximum : Combination::add;
  bool is_begun = false;
  each_row<1>(reduction.reduced, {reduction.reduced_strides}, {0}, [&](const std::array<std::int64_t, 1>& at, std::int64_t length, const std::array<std::int64_t, 1>& step) {
    for (std::int64_t i = 0; i < length; i++) {
      const float* from = in + at[0] + i * step[0];
      if (is_begun) kernels.combine(combination, out, 1, from, 1, count, out);
      else std::copy(from, from + count, out);
      is_begun = true;
    }
  });
}

}  // namespace

void FastGraphOps::reduce(const Reduction& reduction, Element element, const void* in, void* out) {
  const std::int64_t length = reduction.reduced.elements();
  const bool is_mean = reduction.kind == ReductionKind::mean;
  const bool is_known = is_mean || reduction.kind == ReductionKind::sum || reduction.kind == ReductionKind::maximum;
  const Walk<1> walk(reduction.kept, {reduction.kept_strides});
  const bool is_row = is_dense(reduction.reduced, reduction.reduced_strides);
  const bool is_many = walk.inner_steps()[0] == 1 && walk.inner() >= least_neighbours && walk.inner() <= most_row;
  if (element != Element::f32 || !is_known || length < 1 || length > most_row || !(is_row || is_many)) return ReferenceGraphOps::reduce(reduction, element, in, out);
  const auto* from = static_cast<const float*>(in);
  auto* to = static_cast<float*>(out);
  const auto divisor = static_cast<float>(length);
  if (reduction.kept.elements() == 0) return;
  each_piece(walk.rows(), walk.inner() * length / 8 + 4, [&](std::int64_t first, std::int64_t count) {
    walk.each(first, count, [&](std::int64_t row, const std::array<std::int64_t, 1>& at) {
      float* results = to + row * walk.inner();
      if (is_row) {
        for (std::int64_t i = 0; i < walk.inner(); i++) {
          const float* line = from + at[0] + i * walk.inner_steps()[0];
          results[i] = reduction.kind == ReductionKind::maximum ? largest_of(kernels_, line, static_cast<int>(length)) : kernels_.total(line, static_cast<int>(length));
        }
      } else {
        reduce_side_by_side(kernels_, reduction, from + at[0], static_cast<int>(walk.inner()), results);
      }
      if (is_mean) kernels_.combine(Combination::divide, results, 1, &divisor, 0, static_cast<int>(walk.inner()), results);
    });
  });
}

/// `count` neighbours, at most 64, each with its elements along the axis.
void FastGraphOps::softmax_columns(const Axis& axis, int count, const float* in, float* out) const {
  alignas(64) float most[64];
  alignas(64) float sums[64] = {};
  std::copy(in, in + count, most);
  for (std::int64_t i = 1; i < axis.size; i++) kernels_.combine(Combination::maximum, most, 1, in + i * axis.inner, 1, count, most);
  for (std::int64_t i = 0; i < axis.size; i++) {
    float* to = out + i * axis.inner;
    kernels_.combine(Combination::subtract, in + i * axis.inner, 1, most, 1, count, to);
    kernels_.finish({Activation::exponential}, to, 0, nullptr, nullptr, count, to);
    kernels_.combine(Combination::add, sums, 1, to, 1, count, sums);
  }
  for (std::int64_t i = 0; i < axis.size; i++) kernels_.combine(Combination::divide, out + i * axis.inner, 1, sums, 1, count, out + i * axis.inner);
}

void FastGraphOps::softmax(Axis axis, bool logarithm, const float* in, float* out) {
  if (logarithm || axis.size < 1 || axis.size > most_row || axis.inner < 1) return ReferenceGraphOps::softmax(axis, logarithm, in, out);
  if (axis.inner > 1) {
    return each_piece(axis.outer * axis.inner, 4 * axis.size, [&](std::int64_t first, std::int64_t count) {
      // Takes neighbours along the inner axis together, as many as stay in the first cache.
      constexpr std::int64_t most = 64;
      while (count > 0) {
        const std::int64_t inside = first % axis.inner;
        const std::int64_t taken = std::min({count, axis.inner - inside, most});
        const std::int64_t at = first / axis.inner * axis.size * axis.inner + inside;
        softmax_columns(axis, static_cast<int>(taken), in + at, out + at);
        first += taken;
        count -= taken;
      }
    });
  }
  each_piece(axis.outer, 2 * axis.size, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t row = first; row < first + count; row++) kernels_.softmax(in + row * axis.size, static_cast<int>(axis.size), out + row * axis.size);
  });
}

void FastGraphOps::layer_normalise(std::int64_t rows, std::int64_t columns, float epsilon, const float* scale, const float* bias, const float* in, float* out, float* mean,
                                   float* inverse_deviation) {
  if (mean != nullptr || inverse_deviation != nullptr || columns < 1 || columns > most_row) {
    return ReferenceGraphOps::layer_normalise(rows, columns, epsilon, scale, bias, in, out, mean, inverse_deviation);
  }
  each_piece(rows, columns, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t row = first; row < first + count; row++) {
      kernels_.layer_norm(in + row * columns, scale, bias, epsilon, static_cast<int>(columns), out + row * columns);
    }
  });
}

/// One head at a time: transposes its keys, computes tiles of scores, softmax, and tiles of values.
void FastGraphOps::attend(const Attention& a, const float* q, const float* k, const float* v, const float* mask, float* out) {
  constexpr std::int64_t most = 1 << 16;
  if (a.keys > most || a.size > most || a.value_size > most || a.queries > most * 256 || a.keys < 1) return ReferenceGraphOps::attend(a, q, k, v, mask, out);
  const auto keys = static_cast<int>(a.keys);
  const auto size = static_cast<int>(a.size);
  const auto value_size = static_cast<int>(a.value_size);
  const auto turned_floats = static_cast<std::size_t>(a.keys * a.size);
  shop_.workspace.reserve(threads_.count(), turned_floats + static_cast<std::size_t>(a.keys) * tile_height);
  std::vector<std::int32_t> key_offsets;
  std::vector<std::int32_t> value_offsets;
  for (int i = 0; i < size; i++) key_offsets.push_back(i * keys);
  for (int i = 0; i < keys; i++) value_offsets.push_back(static_cast<std::int32_t>(i * a.v_row));
  auto work = [&](int part, int thread) {
    alignas(64) float sums[tile_height * tile_width];
    const std::int64_t batch = part / a.heads;
    const std::int64_t head = part % a.heads;
    float* turned = shop_.workspace.of(thread);
    float* scores = turned + turned_floats;
    const float* from = k + batch * a.k_batch + head * a.k_head;
    for (int key = 0; key < keys; key++) {
      for (int i = 0; i < size; i++) turned[std::ptrdiff_t{i} * keys + key] = from[key * a.k_row + i];
    }
    Finish scaled;
    scaled.scale = a.scale;
    scaled.add_last = true;
    for (std::int64_t row = 0; row < a.queries; row += tile_height) {
      const auto rows = static_cast<int>(std::min<std::int64_t>(tile_height, a.queries - row));
      for (int key = 0; key < keys; key += tile_width) {
        const int columns = std::min(tile_width, keys - key);
        kernels_.product({q + batch * a.q_batch + head * a.q_head + row * a.q_row, a.q_row, 1, turned + key, key_offsets.data(), size, rows, columns, sums});
        for (int r = 0; r < rows; r++) {
          const float* added = mask == nullptr ? nullptr : mask + batch * a.mask_batch + head * a.mask_head + (row + r) * a.mask_row + key;
          kernels_.finish(scaled, sums + r * tile_width, 0, nullptr, added, columns, scores + std::ptrdiff_t{r} * keys + key);
        }
      }
      for (int r = 0; r < rows; r++) kernels_.softmax(scores + std::ptrdiff_t{r} * keys, keys, scores + std::ptrdiff_t{r} * keys);
      for (int column = 0; column < value_size; column += tile_width) {
        const int columns = std::min(tile_width, value_size - column);
        kernels_.product({scores, keys, 1, v + batch * a.v_batch + head * a.v_head + column, value_offsets.data(), keys, rows, columns, sums});
        for (int r = 0; r < rows; r++) {
          std::copy(sums + r * tile_width, sums + r * tile_width + columns, out + batch * a.out_batch + head * a.out_head + (row + r) * a.out_row + column);
        }
      }
    }
  };
  const auto parts = static_cast<int>(a.batch * a.heads);
  const bool few = a.queries * a.keys * a.size * parts < 64 * 1024;
  if (!few) return threads_.each(parts, work);
  for (int part = 0; part < parts; part++) work(part, 0);
}

}  // namespace lectern::cpu
