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

#include "cuda/kernels/gemv/gemv_input.cuh"
#include "cuda/kernels/gemv/gemv_dot.cuh"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

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
    add_products<type, width, count>(now, stretch, x, stretches, rows, sums);
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
    const auto group = work.then == Then::heads ? pairs_of_head<rows_per_warp>(own, work.cache.head_size, which < 2 ? work.heads.pairs : 0, work.heads.adjacent) : neighbours<rows_per_warp>(own);
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
        gathered[32 * r + 2 * warp + i] = gated_value(sums[i][r], sums[2 + i][r]);
      }
    }
    synchronise_block();
    if (warp == 0) write_gated(work, group, gathered, 32);
    synchronise_block();
  }
}

/// Grid: the multiprocessors. Shared memory: decode_shared_bytes.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(decode_threads, 1) void decode_product(DecodeWork work) {
  std::uint8_t* planes = dynamic_shared();
  const int row_bytes = activation_row_bytes(work.columns / 32);
  auto* gathered = reinterpret_cast<float*>(planes + work.rows * row_bytes);
  float* sums = gathered + 2 * decode_warps * work.rows;
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
  read_input_twice<decode_threads>(work, planes, sums, synchronise_block);
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
