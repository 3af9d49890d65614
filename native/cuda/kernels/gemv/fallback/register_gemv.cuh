// GEMV of quantised weights with one to four decode rows, with the weights loaded into registers. The epilogue is in the same kernel.
//
// The only one of the three GEMV kernels that runs at every compute capability, and the one for all decode products at 8.x (fixed_gemv_kernel() in runtime/runtime.cu). At 9.0 and newer it runs
// where the trial in selection/gemv_selection.cuh finds other bits from ring_gemv.cuh, where shared memory has no room for two stages of that kernel, or where
// LECTERN_DECODE=registers names it (GemvKernel::registers).
//
// One block of 16 warps per multiprocessor; a warp takes four weight rows at a time, and each lane a quant block of 32 weights. The loads of
// the next 32 quant blocks are in flight while these are multiplied: for Q4_K 4 rows x 32 lanes x (16 + 2) bytes, 2.3 KB per warp and 37 KB
// per multiprocessor, and the same in the registers that wait. 4.8 TB/s x 700 ns / 132 needs 26 KB. More warps would
// leave fewer than the 128 registers that four rows and their next loads need.
// Instructions, as compiled for sm_90: Q4_K 2.0 per weight for one row of x and 2.8 for two, Q6_K 2.4 and 3.2; 70B at 4.3 TB/s leaves 4.0.
// The order of a sum depends on its columns alone: lane l adds quant blocks l, l + 32, ... from the left, then the lanes are added by the tree of warp_sum().
// The number of rows and the warp or block that takes them change no bit.
#pragma once

#include "cuda/kernels/gemv/gemv_input.cuh"
#include "cuda/kernels/gemv/gemv_dot.cuh"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Before Hopper the compiler has registers for half as many weight rows and their next loads, which is enough for memories of half the
/// bandwidth.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool has_quick_memory = false;
#else
constexpr bool has_quick_memory = true;
#endif

/// The number of weight rows that a warp multiplies at a time, for `width` rows of x: one row of x leaves registers for more of them.
template <int width>
constexpr int rows_together = (width == 1 ? rows_per_warp : rows_per_warp / 2) / (has_quick_memory || width == 2 ? 1 : 2);

/// In every lane: sums[o][r] = weight row o times row r of x; for r beyond `rows` the last row is used. Every rounding is written out.
template <DType type, int width, int count>
__device__ __forceinline__ void multiply_rows(const std::uint8_t* const* weights, int quant_blocks, const std::uint8_t* x, int rows, float (*sums)[width]) {
  const PlaneOffsets at = plane_offsets(plane_shape_of<type>, quant_blocks);
  const int lane = thread_number() % 32;
  const int last = quant_blocks - 1;
  RawQuantBlock next[count];
  LECTERN_UNROLL
  for (int o = 0; o < count; ++o) next[o] = load_quant_block<type>(weights[o], at, lane < last ? lane : last);
  LECTERN_NO_UNROLL
  for (int begin = 0; begin < quant_blocks; begin += 32) {
    const int quant_block = begin + lane;
    RawQuantBlock now[count];
    LECTERN_UNROLL
    for (int o = 0; o < count; ++o) now[o] = next[o];
    if (begin + 32 < quant_blocks) {
      LECTERN_UNROLL
      for (int o = 0; o < count; ++o) next[o] = load_quant_block<type>(weights[o], at, quant_block + 32 < last ? quant_block + 32 : last);
    }
    if (quant_block > last) continue;
    accumulate_quant_block<type, width, count>(now, quant_block, x, quant_blocks, rows, sums);
  }
}

template <DType type, int width>
__device__ __forceinline__ void multiply_groups(const std::uint8_t* const (&weights)[rows_per_warp], int quant_blocks, const std::uint8_t* x, int rows, float (&sums)[rows_per_warp][width]) {
  constexpr int together = rows_together<width>;
  LECTERN_UNROLL
  for (int first = 0; first < rows_per_warp; first += together) multiply_rows<type, width, together>(weights + first, quant_blocks, x, rows, sums + first);
}

template <int width>
__device__ __forceinline__ void multiply_rows_of(DType type, const std::uint8_t* const (&weights)[rows_per_warp], int quant_blocks, const std::uint8_t* x, int rows, float (&sums)[rows_per_warp][width]) {
  LECTERN_UNROLL
  for (auto& of_row : sums) {
    LECTERN_UNROLL
    for (float& sum : of_row) sum = 0.0F;
  }
  switch (type) {
    case DType::q4_0: multiply_groups<DType::q4_0, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q4_1: multiply_groups<DType::q4_1, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q5_0: multiply_groups<DType::q5_0, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q5_1: multiply_groups<DType::q5_1, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q8_0: multiply_groups<DType::q8_0, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q2_k: multiply_groups<DType::q2_k, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q3_k: multiply_groups<DType::q3_k, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q4_k: multiply_groups<DType::q4_k, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q5_k: multiply_groups<DType::q5_k, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::q6_k: multiply_groups<DType::q6_k, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::iq4_nl: multiply_groups<DType::iq4_nl, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::iq4_xs: multiply_groups<DType::iq4_xs, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::tq1_0: multiply_groups<DType::tq1_0, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::tq2_0: multiply_groups<DType::tq2_0, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::mxfp4: multiply_groups<DType::mxfp4, width>(weights, quant_blocks, x, rows, sums); break;
    case DType::iq2_s: multiply_groups<DType::iq2_s, width>(weights, quant_blocks, x, rows, sums); break;
    default: break;  // floats: multiply_few
  }
  LECTERN_UNROLL
  for (auto& of_row : sums) {
    LECTERN_UNROLL
    for (float& sum : of_row) sum = warp_sum(sum);
  }
}

/// Bytes that a block prefetches to L2 ahead of the loads of its warps: 1 KB of each row of a unit for all of them.
constexpr int prefetch_bytes_per_block = 64 << 10;
__device__ __forceinline__ int prefetch_bytes_of_row(int pitch) {
  constexpr int bytes = prefetch_bytes_per_block / rows_per_warp / gemv_warps;
  static_assert(bytes % plane_alignment == 0, "whole sectors");
  return bytes < pitch ? bytes : pitch;
}

/// Called by a warp: prefetches the first `bytes` of the rows of a unit (or of rows near them, for pairs), so that the memory is busy meanwhile.
__device__ __forceinline__ void prefetch_unit(const GemvParams& params, int unit, int bytes) {
  int which = 0;
  while (which < 2 && unit >= (params.matrices[which].rows + rows_per_warp - 1) / rows_per_warp) unit -= (params.matrices[which++].rows + rows_per_warp - 1) / rows_per_warp;
  const GemvMatrix& matrix = params.matrices[which];
  const int lane = thread_number() % 32;
  if (lane >= rows_per_warp || rows_per_warp * unit + lane >= matrix.rows) return;
  const std::uint8_t* const row = matrix.weights + static_cast<std::size_t>(rows_per_warp * unit + lane) * static_cast<std::size_t>(matrix.pitch);
  prefetch(row, bytes < matrix.pitch ? bytes / plane_alignment * plane_alignment : matrix.pitch);
}

/// The same for a group of a gated product, two rows of each matrix.
__device__ __forceinline__ void prefetch_gated_group(const GemvParams& params, int group) {
  const int row = 32 * group + 2 * (thread_number() / 32);
  if (thread_number() % 32 != 0 || row >= params.matrices[0].rows) return;
  const auto pitch = static_cast<std::size_t>(params.matrices[0].pitch);
  LECTERN_NO_UNROLL
  for (int i = 0; i < rows_per_warp; ++i) prefetch(params.matrices[i / 2].weights + static_cast<std::size_t>(row + i % 2) * pitch, prefetch_bytes_of_row(params.matrices[0].pitch));
}

/// Units begin .. end - 1 of four rows, distributed over the warps of the block.
template <int width>
__device__ __forceinline__ void decode_units(const GemvParams& params, int begin, int end, const std::uint8_t* x) {
  const int quant_blocks = params.columns / 32;
  const int lane = thread_number() % 32;
  const int warp = thread_number() / 32;
  for (int unit = begin + warp; unit < end; unit += gemv_warps) {
    // Where the next iteration has work for few warps, these prefetch all of it now: their own loads alone would leave the memory idle.
    const int left = end - (unit - warp) - gemv_warps;
    if (has_quick_memory && unit + gemv_warps < end) prefetch_unit(params, unit + gemv_warps, prefetch_bytes_per_block / rows_per_warp / (left < gemv_warps ? left : gemv_warps));
    int which = 0;
    int own = unit;
    if (params.epilogue == GemvEpilogue::qkv) {
      while (own >= params.matrices[which].rows / rows_per_warp) own -= params.matrices[which++].rows / rows_per_warp;
    }
    const GemvMatrix& matrix = params.matrices[which];
    const auto group = params.epilogue == GemvEpilogue::qkv ? rope_pair_rows<rows_per_warp>(own, params.cache.head_size, which < 2 ? params.heads.pairs : 0, params.heads.adjacent) : consecutive_rows<rows_per_warp>(own);
    const std::uint8_t* weights[rows_per_warp];
    const auto pitch = static_cast<std::size_t>(matrix.pitch);
    LECTERN_UNROLL
    for (int i = 0; i < rows_per_warp; ++i) weights[i] = matrix.weights + static_cast<std::size_t>(group.rows[i] < matrix.rows ? group.rows[i] : matrix.rows - 1) * pitch;
    float sums[rows_per_warp][width];
    multiply_rows_of<width>(matrix.type, weights, quant_blocks, x, params.rows, sums);
    LECTERN_UNROLL
    for (int r = 0; r < width; ++r) {
      if (lane != r || r >= params.rows) continue;
      const float of_row[rows_per_warp] = {sums[0][r], sums[1][r], sums[2][r], sums[3][r]};
      if (params.epilogue == GemvEpilogue::qkv) {
        store_head_rows(params, which, group, r, of_row);
        continue;
      }
      LECTERN_UNROLL
      for (int i = 0; i < rows_per_warp; ++i) {
        if (group.rows[i] >= matrix.rows) continue;
        float* y = params.y + static_cast<std::size_t>(r) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(group.rows[i]);
        const float value = matrix.bias == nullptr ? of_row[i] : of_row[i] + matrix.bias[group.rows[i]];
        *y = params.epilogue == GemvEpilogue::add ? *y + value : value;
      }
    }
  }
}

/// silu(gate) * up, 32 outputs of a block at a time: a warp takes two rows of each matrix, and the outputs of the 16 warps form one quant block.
template <int width>
__device__ __forceinline__ void decode_gated(const GemvParams& params, const std::uint8_t* x, float* gathered) {
  const int quant_blocks = params.columns / 32;
  const int lane = thread_number() % 32;
  const int warp = thread_number() / 32;
  const int outputs = params.matrices[0].rows;
  const auto pitch = static_cast<std::size_t>(params.matrices[0].pitch);
  for (int group = block_x(); group < outputs / 32; group += grid_x()) {
    const int first = 32 * group + 2 * warp;
    const std::uint8_t* weights[rows_per_warp];
    LECTERN_UNROLL
    for (int i = 0; i < rows_per_warp; ++i) weights[i] = params.matrices[i / 2].weights + static_cast<std::size_t>(first + i % 2) * pitch;
    float sums[rows_per_warp][width];
    multiply_rows_of<width>(params.matrices[0].type, weights, quant_blocks, x, params.rows, sums);
    // All warps stop at the barrier: without this nothing would be in flight.
    if (has_quick_memory) prefetch_gated_group(params, group + grid_x());
    LECTERN_UNROLL
    for (int r = 0; r < width; ++r) {
      if (lane != r || r >= params.rows) continue;
      LECTERN_UNROLL
      for (int i = 0; i < 2; ++i) {
        gathered[32 * r + 2 * warp + i] = silu_gate(sums[i][r], sums[2 + i][r]);
      }
    }
    synchronise_block();
    if (warp == 0) write_gated(params, group, gathered, 32);
    synchronise_block();
  }
}

/// Grid: the multiprocessors. Shared memory: register_gemv_shared_bytes.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(gemv_threads, 1) void register_gemv(GemvParams params) {
  std::uint8_t* planes = dynamic_shared();
  const int row_bytes = activation_row_bytes(params.columns / 32);
  auto* gathered = reinterpret_cast<float*>(planes + params.rows * row_bytes);
  float* sums = gathered + 2 * gemv_warps * params.rows;
  int units = 0;
  for (const GemvMatrix& matrix : params.matrices) units += (matrix.rows + rows_per_warp - 1) / rows_per_warp;
  // Whole units for each block, the numbers of which differ by one at most.
  const int begin = static_cast<int>(static_cast<long long>(units) * block_x() / grid_x());
  const int end = static_cast<int>(static_cast<long long>(units) * (block_x() + 1) / grid_x());
  // The memory is busy while the input is read.
  if (params.epilogue == GemvEpilogue::gated) prefetch_gated_group(params, block_x());
  else prefetch_unit(params, begin + thread_number() / 32, prefetch_bytes_per_block / rows_per_warp / gemv_warps);
  allow_dependent_launch();
  wait_for_previous_kernels();
  read_input_twice<gemv_threads>(params, planes, sums, synchronise_block);
  if (params.epilogue == GemvEpilogue::gated) {
    decode_gated<width>(params, planes, gathered);
  } else {
    decode_units<width>(params, begin, end, planes);
  }
}

template <int width>
void launch_register_gemv(Stream stream, int blocks, const GemvParams& params) {
  launch_dependent(stream, register_gemv<width>, Grid{blocks}, gemv_threads, register_gemv_shared_bytes(params.columns, params.rows), params);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
