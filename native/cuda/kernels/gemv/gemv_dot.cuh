// What products of answers make of a stretch of weights, and what becomes of their sums: the same arithmetic however the weights come, so that
// no bit depends on it.
#pragma once

#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// What a stretch gives, but for the scale of its activations: `dots` of its two sixteens, zero_of taken off. Every rounding is written out.
template <DType type>
__device__ __forceinline__ float scaled_dots(const int (&dots)[2], const int (&sums)[2], const float (&factor)[2], const float (&offset)[2]) {
  if constexpr (scales_by_sixteen<type>) {
    const float part = fmaf(factor[1], static_cast<float>(dots[1]), factor[0] * static_cast<float>(dots[0]));
    return has_offset<type> ? fmaf(offset[1], static_cast<float>(sums[1]), fmaf(offset[0], static_cast<float>(sums[0]), part)) : part;
  } else {
    const auto dot = static_cast<float>(dots[0] + dots[1]);
    return has_offset<type> ? fmaf(factor[0], dot, offset[0] * static_cast<float>(sums[0] + sums[1])) : factor[0] * dot;
  }
}

/// sums[o][r] += stretch `stretch` of weight row o times that of row r of x, for r beyond `rows` the last row's.
template <DType type, int width, int count>
__device__ __forceinline__ void add_products(const RawStretch (&weights)[count], int stretch, const std::uint8_t* x, int stretches, int rows, float (*sums)[width]) {
  LECTERN_UNROLL
  for (int o = 0; o < count; ++o) {
    int q[8];
    float factor[2];
    float offset[2];
    unpack_quants<type>(weights[o], q);
    unpack_scales<type>(weights[o], stretch, factor, offset);
    LECTERN_UNROLL
    for (int r = 0; r < width; ++r) {
      // Only of four rows the last may not be there.
      const int row = width == 4 && r == 3 ? rows - 1 : r;
      const ActivationStretch input = activation_stretch(x + row * activation_row_bytes(stretches), stretches, stretch);
      int dots[2] = {-zero_of<type> * input.sums[0], -zero_of<type> * input.sums[1]};
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) {
        dots[0] = dot4(q[k], static_cast<int>(input.first.w[k]), dots[0]);
        dots[1] = dot4(q[k + 4], static_cast<int>(input.second.w[k]), dots[1]);
      }
      sums[o][r] = fmaf(input.scale, scaled_dots<type>(dots, input.sums, factor, offset), sums[o][r]);
    }
  }
}

/// The weight rows whose products a warp takes together: neighbours, but of heads that turn the two of a pair.
template <int count>
struct RowGroup {
  int rows[count];
};

template <int count>
__device__ __forceinline__ RowGroup<count> neighbours(int unit) {
  RowGroup<count> group;
  LECTERN_UNROLL
  for (int i = 0; i < count; ++i) group.rows[i] = count * unit + i;
  return group;
}

/// Pairs of a head that follow one another: (first, second) of each.
template <int count>
__device__ __forceinline__ RowGroup<count> pairs_of_head(int unit, int head_size, int pairs, bool adjacent) {
  const int units = head_size / count;
  const int head = unit / units;
  RowGroup<count> group;
  LECTERN_UNROLL
  for (int i = 0; i < count / 2; ++i) {
    const int pair = count / 2 * (unit % units) + i;
    const bool apart = pair < pairs && !adjacent;
    group.rows[2 * i] = head * head_size + (apart ? pair : 2 * pair);
    group.rows[2 * i + 1] = head * head_size + (apart ? pair + pairs : 2 * pair + 1);
  }
  return group;
}

/// The end of one group of query, key or value rows for one row of x.
template <int count>
__device__ __forceinline__ void finish_head_rows(const DecodeWork& work, int which, const RowGroup<count>& group, int row, const float (&sums)[count]) {
  const int size = work.cache.head_size;
  const int batch_row = work.heads.first_row + row;
  const float* bias = work.matrices[which].bias;
  float values[count];
  LECTERN_UNROLL
  for (int i = 0; i < count; ++i) values[i] = bias == nullptr ? sums[i] : sums[i] + bias[group.rows[i]];
  const int head = group.rows[0] / size;
  LECTERN_UNROLL
  for (int i = 0; i < count / 2 && which < 2; ++i) {
    const int in_head = group.rows[2 * i] % size;
    const int pair = work.heads.adjacent ? in_head / 2 : in_head;
    if (pair >= work.heads.pairs) continue;
    const std::size_t at = static_cast<std::size_t>(batch_row) * static_cast<std::size_t>(work.heads.pairs) + static_cast<std::size_t>(pair);
    const float cosine = work.heads.cosines[at];
    const float sine = work.heads.sines[at];
    const float a = values[2 * i];
    const float b = values[2 * i + 1];
    values[2 * i] = fmaf(a, cosine, -(b * sine));
    values[2 * i + 1] = fmaf(a, sine, b * cosine);
  }
  const float scale = 1.0F / sqrtf(static_cast<float>(size));
  LECTERN_UNROLL
  for (int i = 0; i < count; ++i) {
    if (which == 0) {
      work.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(work.matrices[0].rows) + static_cast<std::size_t>(group.rows[i])] = values[i] * scale;
    } else {
      const std::size_t cell = work.cache.at(work.heads.layer, work.heads.slots[batch_row], which - 1, work.heads.cells[batch_row], head);
      const std::size_t at = cell + static_cast<std::size_t>(group.rows[i] % size);
      if (work.cache.type == CacheType::halves) static_cast<std::uint16_t*>(work.cache.data)[at] = float_to_half(values[i]);
      else static_cast<float*>(work.cache.data)[at] = values[i];
    }
  }
}

/// What gated products make of a pair's sums.
__device__ __forceinline__ float gated_value(float gate, float up) { return gate / (1.0F + expf(-gate)) * up; }

/// By a warp: 32 outputs of a gated product for all rows of x, as floats and as the next product's bytes. gathered: those of each row, `pitch` floats from one
/// to the next.
__device__ __forceinline__ void write_gated(const DecodeWork& work, int stretch, const float* gathered, int pitch) {
  static_assert(most_decode_rows * 8 == 32, "eight lanes a row");
  const int lane = thread_number() % 32;
  const int row = lane / 8;
  const bool there = row < work.rows;
  const int outputs = work.matrices[0].rows;
  float values[4];
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) values[k] = there ? gathered[row * pitch + 4 * (lane % 8) + k] : 0.0F;
  write_activations(values, there, outputs / 32, stretch, work.quantised_out + static_cast<std::size_t>(row) * static_cast<std::size_t>(activation_row_bytes(outputs / 32)));
  if (!there) return;
  Words<4> four;
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) four.w[k] = bits_of_float(values[k]);
  *reinterpret_cast<Words<4>*>(work.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(32 * stretch + 4 * (lane % 8))) = four;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
