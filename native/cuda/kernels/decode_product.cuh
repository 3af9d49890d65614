// Products of quantised weights with one to four rows: what decoding reads the memory with, and what follows each product, in one kernel.
//
// One block of 16 warps a multiprocessor, for the whole chip; a warp takes four weight rows at a time and its lanes a stretch of 32 weights
// each. The loads of the next 32 stretches are under way while these are multiplied: of Q4_K 4 rows x 32 lanes x (16 + 2) bytes, 2.3 KB a
// warp and 37 KB a multiprocessor, and as much again in the registers that wait; 4.8 TB/s x 700 ns / 132 asks for 26 KB. More warps would
// leave less than the 128 registers that four rows and their next loads take.
// Instructions, as compiled for sm_90: Q4_K 2.0 a weight for one row of x and 2.8 for two, Q6_K 2.4 and 3.2; 70B at 4.3 TB/s leaves 4.0.
// The order of a sum is its columns' alone: lane l adds stretches l, l + 32, ... from the left, then the lanes are added by warp_sum's tree.
// Neither the number of rows nor the warp or block that comes to take them changes a bit.
#pragma once

#include "cuda/kernels/activations.cuh"
#include "cuda/kernels/planes.cuh"
#include "cuda/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// By all threads of a block: the rows of x as bytes in shared memory. Every block does it for itself: 8,192 columns are 32 KB from the
/// second-level cache, which costs less than a kernel of its own and runs while the first weights are on their way.
__device__ __forceinline__ void read_input(const DecodeWork& work, std::uint8_t* planes, float* shared) {
  const int stretches = work.columns / 32;
  const int row_bytes = activation_row_bytes(stretches);
  if (work.quantised != nullptr) {
    const auto* from = reinterpret_cast<const Words<4>*>(work.quantised);
    auto* to = reinterpret_cast<Words<4>*>(planes);
    for (int i = thread_number(); i < work.rows * row_bytes / 16; i += decode_threads) to[i] = from[i];
    synchronise_block();
    return;
  }
  const int fours = work.columns / 4;
  for (int row = 0; row < work.rows; ++row) {
    const float* x = work.x + static_cast<std::size_t>(work.chosen == nullptr ? row : work.chosen[row]) * static_cast<std::size_t>(work.columns);
    float scale = 1.0F;
    if (work.norm.weight != nullptr) {
      float squares = 0.0F;
      for (int i = thread_number(); i < fours; i += decode_threads) {
        const auto four = *reinterpret_cast<const Words<4>*>(x + 4 * i);
        for (const std::uint32_t word : four.w) squares = fmaf(float_of_bits(word), float_of_bits(word), squares);
      }
      scale = 1.0F / sqrtf(block_sum(squares, shared) / static_cast<float>(work.columns) + work.norm.epsilon);
    }
    // All lanes of a warp take part in every turn, also in the last.
    for (int begin = 0; begin < fours; begin += decode_threads) {
      const int i = begin + thread_number();
      float values[4] = {0.0F, 0.0F, 0.0F, 0.0F};
      if (i < fours) {
        const auto four = *reinterpret_cast<const Words<4>*>(x + 4 * i);
        for (int k = 0; k < 4; ++k) {
          values[k] = float_of_bits(four.w[k]);
          if (work.norm.weight != nullptr) values[k] = values[k] * scale * work.norm.weight[4 * i + k];
        }
      }
      write_activations(values, i < fours, stretches, i / 8, planes + row * row_bytes);
    }
  }
  synchronise_block();
}

/// Before Hopper the compiler has registers for half as many weight rows at a time and their next loads, which are bytes enough for memories half
/// as quick.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool has_quick_memory = false;
#else
constexpr bool has_quick_memory = true;
#endif

/// Weight rows at a time for so many rows of x: one leaves registers for more.
template <int width>
constexpr int rows_together = (width == 1 ? rows_per_warp : rows_per_warp / 2) / (has_quick_memory || width == 2 ? 1 : 2);

/// Into every lane: sums[o][r] = weight row o times row r of x, for r beyond `rows` the last row's. Every rounding is written out.
template <DType type, int width, int count>
__device__ __forceinline__ void multiply_rows(const std::uint8_t* const* weights, int stretches, const std::uint8_t* x, int rows, float (*sums)[width]) {
  const PlaneOffsets at = plane_offsets(plane_shape_of<type>, stretches);
  const int lane = thread_number() % 32;
  const int last = stretches - 1;
  RawStretch next[count];
  LECTERN_UNROLL
  for (int o = 0; o < count; ++o) next[o] = load_stretch<type>(weights[o], at, lane < last ? lane : last);
  LECTERN_NO_UNROLL
  for (int begin = 0; begin < stretches; begin += 32) {
    const int stretch = begin + lane;
    RawStretch now[count];
    LECTERN_UNROLL
    for (int o = 0; o < count; ++o) now[o] = next[o];
    if (begin + 32 < stretches) {
      LECTERN_UNROLL
      for (int o = 0; o < count; ++o) next[o] = load_stretch<type>(weights[o], at, stretch + 32 < last ? stretch + 32 : last);
    }
    if (stretch > last) continue;
    LECTERN_UNROLL
    for (int o = 0; o < count; ++o) {
      int q[8];
      float factor[2];
      float offset[2];
      unpack_quants<type>(now[o], q);
      unpack_scales<type>(now[o], stretch, factor, offset);
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
        float part;
        if constexpr (scales_by_sixteen<type>) {
          part = fmaf(factor[1], static_cast<float>(dots[1]), factor[0] * static_cast<float>(dots[0]));
          if constexpr (has_offset<type>) part = fmaf(offset[1], static_cast<float>(input.sums[1]), fmaf(offset[0], static_cast<float>(input.sums[0]), part));
        } else if constexpr (has_offset<type>) {
          part = fmaf(factor[0], static_cast<float>(dots[0] + dots[1]), offset[0] * static_cast<float>(input.sums[0] + input.sums[1]));
        } else {
          part = factor[0] * static_cast<float>(dots[0] + dots[1]);
        }
        sums[o][r] = fmaf(input.scale, part, sums[o][r]);
      }
    }
  }
}

template <DType type, int width>
__device__ __forceinline__ void multiply_groups(const std::uint8_t* const (&weights)[rows_per_warp], int stretches, const std::uint8_t* x, int rows, float (&sums)[rows_per_warp][width]) {
  constexpr int together = rows_together<width>;
  LECTERN_UNROLL
  for (int first = 0; first < rows_per_warp; first += together) multiply_rows<type, width, together>(weights + first, stretches, x, rows, sums + first);
}

template <int width>
__device__ __forceinline__ void multiply_rows_of(DType type, const std::uint8_t* const (&weights)[rows_per_warp], int stretches, const std::uint8_t* x, int rows, float (&sums)[rows_per_warp][width]) {
  LECTERN_UNROLL
  for (auto& of_row : sums) {
    LECTERN_UNROLL
    for (float& sum : of_row) sum = 0.0F;
  }
  switch (type) {
    case DType::q4_0: multiply_groups<DType::q4_0, width>(weights, stretches, x, rows, sums); break;
    case DType::q4_1: multiply_groups<DType::q4_1, width>(weights, stretches, x, rows, sums); break;
    case DType::q5_0: multiply_groups<DType::q5_0, width>(weights, stretches, x, rows, sums); break;
    case DType::q5_1: multiply_groups<DType::q5_1, width>(weights, stretches, x, rows, sums); break;
    case DType::q8_0: multiply_groups<DType::q8_0, width>(weights, stretches, x, rows, sums); break;
    case DType::q2_k: multiply_groups<DType::q2_k, width>(weights, stretches, x, rows, sums); break;
    case DType::q3_k: multiply_groups<DType::q3_k, width>(weights, stretches, x, rows, sums); break;
    case DType::q4_k: multiply_groups<DType::q4_k, width>(weights, stretches, x, rows, sums); break;
    case DType::q5_k: multiply_groups<DType::q5_k, width>(weights, stretches, x, rows, sums); break;
    case DType::q6_k: multiply_groups<DType::q6_k, width>(weights, stretches, x, rows, sums); break;
    case DType::iq4_nl: multiply_groups<DType::iq4_nl, width>(weights, stretches, x, rows, sums); break;
    case DType::iq4_xs: multiply_groups<DType::iq4_xs, width>(weights, stretches, x, rows, sums); break;
    default: break;  // floats: multiply_few
  }
  LECTERN_UNROLL
  for (auto& of_row : sums) {
    LECTERN_UNROLL
    for (float& sum : of_row) sum = warp_sum(sum);
  }
}

/// The weight rows whose products a warp takes together: neighbours, but of heads that turn the two of a pair.
struct RowGroup {
  int rows[rows_per_warp];
};

__device__ __forceinline__ RowGroup neighbours(int unit) {
  RowGroup group;
  LECTERN_UNROLL
  for (int i = 0; i < rows_per_warp; ++i) group.rows[i] = rows_per_warp * unit + i;
  return group;
}

/// Pairs p and p + 1 of a head: (first, second) of the one, then of the other.
__device__ __forceinline__ RowGroup pairs_of_head(int unit, int head_size, int pairs, bool adjacent) {
  const int units = head_size / rows_per_warp;
  const int head = unit / units;
  RowGroup group;
  LECTERN_UNROLL
  for (int i = 0; i < 2; ++i) {
    const int pair = 2 * (unit % units) + i;
    const bool apart = pair < pairs && !adjacent;
    group.rows[2 * i] = head * head_size + (apart ? pair : 2 * pair);
    group.rows[2 * i + 1] = head * head_size + (apart ? pair + pairs : 2 * pair + 1);
  }
  return group;
}

/// The end of one group of query, key or value rows for one row of x.
__device__ __forceinline__ void finish_head_rows(const DecodeWork& work, int which, const RowGroup& group, int row, const float (&sums)[rows_per_warp]) {
  const int size = work.cache.head_size;
  const int batch_row = work.heads.first_row + row;
  const float* bias = work.matrices[which].bias;
  float values[rows_per_warp];
  LECTERN_UNROLL
  for (int i = 0; i < rows_per_warp; ++i) values[i] = bias == nullptr ? sums[i] : sums[i] + bias[group.rows[i]];
  const int head = group.rows[0] / size;
  LECTERN_UNROLL
  for (int i = 0; i < 2 && which < 2; ++i) {
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
  for (int i = 0; i < rows_per_warp; ++i) {
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

/// Of a block, ahead of what its warps load: 1 KB of each row of a unit for all of them.
constexpr int asked_ahead_bytes = 64 << 10;
__device__ __forceinline__ int asked_of_row(int pitch) {
  constexpr int bytes = asked_ahead_bytes / rows_per_warp / decode_warps;
  static_assert(bytes % plane_alignment == 0, "whole sectors");
  return bytes < pitch ? bytes : pitch;
}

/// By a warp: asks for the first `bytes` of the rows of a unit (of paired rows near them), so that the memory is busy meanwhile.
__device__ __forceinline__ void ask_for_unit(const DecodeWork& work, int unit, int bytes) {
  int which = 0;
  while (which < 2 && unit >= (work.matrices[which].rows + rows_per_warp - 1) / rows_per_warp) unit -= (work.matrices[which++].rows + rows_per_warp - 1) / rows_per_warp;
  const DecodeMatrix& matrix = work.matrices[which];
  const int lane = thread_number() % 32;
  if (lane >= rows_per_warp || rows_per_warp * unit + lane >= matrix.rows) return;
  const std::uint8_t* const row = matrix.weights + static_cast<std::size_t>(rows_per_warp * unit + lane) * static_cast<std::size_t>(matrix.pitch);
  prefetch(row, bytes < matrix.pitch ? bytes / plane_alignment * plane_alignment : matrix.pitch);
}

/// The same of a group of a gated product, two rows of each matrix.
__device__ __forceinline__ void ask_for_group(const DecodeWork& work, int group) {
  const int row = 32 * group + 2 * (thread_number() / 32);
  if (thread_number() % 32 != 0 || row >= work.matrices[0].rows) return;
  const auto pitch = static_cast<std::size_t>(work.matrices[0].pitch);
  LECTERN_NO_UNROLL
  for (int i = 0; i < rows_per_warp; ++i) prefetch(work.matrices[i / 2].weights + static_cast<std::size_t>(row + i % 2) * pitch, asked_of_row(work.matrices[0].pitch));
}

/// Units begin .. end - 1 of four rows, striped over the block's warps.
template <int width>
__device__ __forceinline__ void decode_units(const DecodeWork& work, int begin, int end, const std::uint8_t* x) {
  const int stretches = work.columns / 32;
  const int lane = thread_number() % 32;
  const int warp = thread_number() / 32;
  for (int unit = begin + warp; unit < end; unit += decode_warps) {
    // Where the next turn has work for few warps, these ask for all of it now: their own loads alone would leave the memory idle.
    const int left = end - (unit - warp) - decode_warps;
    if (has_quick_memory && unit + decode_warps < end) ask_for_unit(work, unit + decode_warps, asked_ahead_bytes / rows_per_warp / (left < decode_warps ? left : decode_warps));
    int which = 0;
    int own = unit;
    if (work.then == Then::heads) {
      while (own >= work.matrices[which].rows / rows_per_warp) own -= work.matrices[which++].rows / rows_per_warp;
    }
    const DecodeMatrix& matrix = work.matrices[which];
    const RowGroup group = work.then == Then::heads ? pairs_of_head(own, work.cache.head_size, which < 2 ? work.heads.pairs : 0, work.heads.adjacent) : neighbours(own);
    const std::uint8_t* weights[rows_per_warp];
    const auto pitch = static_cast<std::size_t>(matrix.pitch);
    LECTERN_UNROLL
    for (int i = 0; i < rows_per_warp; ++i) weights[i] = matrix.weights + static_cast<std::size_t>(group.rows[i] < matrix.rows ? group.rows[i] : matrix.rows - 1) * pitch;
    float sums[rows_per_warp][width];
    multiply_rows_of<width>(matrix.type, weights, stretches, x, work.rows, sums);
    LECTERN_UNROLL
    for (int r = 0; r < width; ++r) {
      if (lane != r || r >= work.rows) continue;
      const float of_row[rows_per_warp] = {sums[0][r], sums[1][r], sums[2][r], sums[3][r]};
      if (work.then == Then::heads) {
        finish_head_rows(work, which, group, r, of_row);
        continue;
      }
      LECTERN_UNROLL
      for (int i = 0; i < rows_per_warp; ++i) {
        if (group.rows[i] >= matrix.rows) continue;
        float* y = work.y + static_cast<std::size_t>(r) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(group.rows[i]);
        const float value = matrix.bias == nullptr ? of_row[i] : of_row[i] + matrix.bias[group.rows[i]];
        *y = work.then == Then::add ? *y + value : value;
      }
    }
  }
}

/// silu(gate) * up, 32 outputs of a block at a time: a warp takes two of each matrix, and what the 16 warps made becomes one stretch.
template <int width>
__device__ __forceinline__ void decode_gated(const DecodeWork& work, const std::uint8_t* x, float* gathered) {
  const int stretches = work.columns / 32;
  const int lane = thread_number() % 32;
  const int warp = thread_number() / 32;
  const int outputs = work.matrices[0].rows;
  const auto pitch = static_cast<std::size_t>(work.matrices[0].pitch);
  for (int group = block_x(); group < outputs / 32; group += grid_x()) {
    const int first = 32 * group + 2 * warp;
    const std::uint8_t* weights[rows_per_warp];
    LECTERN_UNROLL
    for (int i = 0; i < rows_per_warp; ++i) weights[i] = work.matrices[i / 2].weights + static_cast<std::size_t>(first + i % 2) * pitch;
    float sums[rows_per_warp][width];
    multiply_rows_of<width>(work.matrices[0].type, weights, stretches, x, work.rows, sums);
    // All warps stop at the barrier: without it none would have anything under way.
    if (has_quick_memory) ask_for_group(work, group + grid_x());
    LECTERN_UNROLL
    for (int r = 0; r < width; ++r) {
      if (lane != r || r >= work.rows) continue;
      LECTERN_UNROLL
      for (int i = 0; i < 2; ++i) {
        const float z = sums[i][r];
        gathered[32 * r + 2 * warp + i] = z / (1.0F + expf(-z)) * sums[2 + i][r];
      }
    }
    synchronise_block();
    if (warp < work.rows) {
      float* y = work.y + static_cast<std::size_t>(warp) * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(32 * group);
      y[lane] = gathered[32 * warp + lane];
      // Lanes beyond the first eight repeat their work and write nothing.
      float values[4];
      LECTERN_UNROLL
      for (int k = 0; k < 4; ++k) values[k] = gathered[32 * warp + 4 * (lane % 8) + k];
      write_activations(values, lane < 8, outputs / 32, group, work.quantised_out + static_cast<std::size_t>(warp) * static_cast<std::size_t>(activation_row_bytes(outputs / 32)));
    }
    synchronise_block();
  }
}

/// Grid: the multiprocessors. Shared memory: decode_shared_bytes.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(decode_threads, 1) void decode_product(DecodeWork work) {
  std::uint8_t* planes = dynamic_shared();
  const int row_bytes = activation_row_bytes(work.columns / 32);
  auto* gathered = reinterpret_cast<float*>(planes + work.rows * row_bytes);
  float* shared = gathered + 2 * decode_warps * work.rows;
  int units = 0;
  for (const DecodeMatrix& matrix : work.matrices) units += (matrix.rows + rows_per_warp - 1) / rows_per_warp;
  // Whole units a block, no two blocks further apart than one.
  const int begin = static_cast<int>(static_cast<long long>(units) * block_x() / grid_x());
  const int end = static_cast<int>(static_cast<long long>(units) * (block_x() + 1) / grid_x());
  // The memory shall be busy while the input is read.
  if (work.then == Then::gated) ask_for_group(work, block_x());
  else ask_for_unit(work, begin + thread_number() / 32, asked_ahead_bytes / rows_per_warp / decode_warps);
  let_next_begin();
  wait_for_kernels_before();
  read_input(work, planes, shared);
  if (work.then == Then::gated) {
    decode_gated<width>(work, planes, gathered);
  } else {
    decode_units<width>(work, begin, end, planes);
  }
}

template <int width>
void launch_decode(Stream stream, int blocks, const DecodeWork& work) {
  launch_early(stream, decode_product<width>, Grid{blocks}, decode_threads, decode_shared_bytes(work.columns, work.rows), work);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
