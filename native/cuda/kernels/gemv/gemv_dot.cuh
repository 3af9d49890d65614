// The dot product of a quant block and the epilogues of GEMV: one arithmetic for all three kernels, so that the way in which weights are loaded
// changes no bit.
#pragma once

#include "cuda/kernels/gemv/activation_planes.cuh"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The dot product of a quant block without the scale of its activations: `dots` of its two halves of 16, zero_of taken off. Every rounding is written out.
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

/// sums[o][r] += quant block `quant_block` of weight row o times that of row r of x; for r beyond `rows` the last row is used.
template <DType type, int width, int count>
__device__ __forceinline__ void accumulate_quant_block(const RawQuantBlock (&weights)[count], int quant_block, const std::uint8_t* x, int quant_blocks, int rows, float (*sums)[width]) {
  LECTERN_UNROLL
  for (int o = 0; o < count; ++o) {
    int q[8];
    float factor[2];
    float offset[2];
    unpack_quants<type>(weights[o], q);
    unpack_scales<type>(weights[o], quant_block, factor, offset);
    LECTERN_UNROLL
    for (int r = 0; r < width; ++r) {
      // With four rows of registers the last row may be missing.
      const int row = width == 4 && r == 3 ? rows - 1 : r;
      const ActivationBlock input = load_activation_block(x + row * activation_row_bytes(quant_blocks), quant_blocks, quant_block);
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

/// The weight rows that a warp multiplies together: consecutive ones, but in heads with RoPE the two rows of each pair.
template <int count>
struct RowGroup {
  int rows[count];
};

template <int count>
__device__ __forceinline__ RowGroup<count> consecutive_rows(int unit) {
  RowGroup<count> group;
  LECTERN_UNROLL
  for (int i = 0; i < count; ++i) group.rows[i] = count * unit + i;
  return group;
}

/// Pairs of a head in order: (first, second) of each.
template <int count>
__device__ __forceinline__ RowGroup<count> rope_pair_rows(int unit, int head_size, int pairs, bool adjacent) {
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

/// The epilogue of a group of query, key or value rows, for one row of x.
template <int count>
__device__ __forceinline__ void store_head_rows(const GemvParams& params, int which, const RowGroup<count>& group, int row, const float (&sums)[count]) {
  const int size = params.cache.head_size;
  const int batch_row = params.heads.first_row + row;
  const float* bias = params.matrices[which].bias;
  float values[count];
  LECTERN_UNROLL
  for (int i = 0; i < count; ++i) values[i] = bias == nullptr ? sums[i] : sums[i] + bias[group.rows[i]];
  const int head = group.rows[0] / size;
  LECTERN_UNROLL
  for (int i = 0; i < count / 2 && which < 2; ++i) {
    const int in_head = group.rows[2 * i] % size;
    const int pair = params.heads.adjacent ? in_head / 2 : in_head;
    if (pair >= params.heads.pairs) continue;
    const std::size_t at = static_cast<std::size_t>(batch_row) * static_cast<std::size_t>(params.heads.pairs) + static_cast<std::size_t>(pair);
    const float cosine = params.heads.cosines[at];
    const float sine = params.heads.sines[at];
    const float a = values[2 * i];
    const float b = values[2 * i + 1];
    values[2 * i] = fmaf(a, cosine, -(b * sine));
    values[2 * i + 1] = fmaf(a, sine, b * cosine);
  }
  const float scale = 1.0F / sqrtf(static_cast<float>(size));
  LECTERN_UNROLL
  for (int i = 0; i < count; ++i) {
    if (which == 0) {
      params.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(params.matrices[0].rows) + static_cast<std::size_t>(group.rows[i])] = values[i] * scale;
    } else {
      const std::size_t cell = params.cache.at(params.heads.layer, params.heads.slots[batch_row], which - 1, params.heads.cells[batch_row], head);
      const std::size_t at = cell + static_cast<std::size_t>(group.rows[i] % size);
      if (params.cache.type == CacheType::halves) static_cast<std::uint16_t*>(params.cache.data)[at] = float_to_half(values[i]);
      else static_cast<float*>(params.cache.data)[at] = values[i];
    }
  }
}

/// silu(gate) * up.
__device__ __forceinline__ float silu_gate(float gate, float up) { return gate / (1.0F + expf(-gate)) * up; }

/// Called by a warp: stores 32 outputs of a gated product for all rows of x, as floats and quantised for the next product. gathered: the outputs of each row, `pitch` floats from one row
/// to the next.
__device__ __forceinline__ void write_gated(const GemvParams& params, int quant_block, const float* gathered, int pitch) {
  static_assert(max_gemv_rows * 8 == 32, "eight lanes a row");
  const int lane = thread_number() % 32;
  const int row = lane / 8;
  const bool there = row < params.rows;
  const int outputs = params.matrices[0].rows;
  float values[4];
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) values[k] = there ? gathered[row * pitch + 4 * (lane % 8) + k] : 0.0F;
  write_quantised(values, there, outputs / 32, quant_block, params.quantised_out + static_cast<std::size_t>(row) * static_cast<std::size_t>(activation_row_bytes(outputs / 32)));
  if (!there) return;
  Words<4> four;
  LECTERN_UNROLL
  for (int k = 0; k < 4; ++k) four.w[k] = bits_of_float(values[k]);
  *reinterpret_cast<Words<4>*>(params.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(32 * quant_block + 4 * (lane % 8))) = four;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
