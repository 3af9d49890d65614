// GEMV of quantised weights with one to four decode rows, with a ring buffer of weights in shared memory for each warp (weight_ring.cuh). Its bits are those of register_gemv.cuh.
//
// The fallback of mma_gemv.cuh at compute capability 9.0 and newer. It runs for products that the tiles of that kernel do not divide, and for all products where the trial in
// selection/gemv_selection.cuh finds that kernel wrong or has no memory, or LECTERN_DECODE=rings names this one (GemvKernel::rings). DecodeOps::start_of() in ops/decode_ops.cuh launches it.
//
// One block of 16 warps per multiprocessor; a warp takes two weight rows at a time, and each lane a quant block of 32 weights. The ring buffers are
// filled before the input is read and do not run empty between units: stages wait for the memory, not registers.
#pragma once

#include "cuda/kernels/gemv/gemv_input.cuh"
#include "cuda/kernels/gemv/gemv_dot.cuh"
#include "cuda/kernels/gemv/fallback/weight_ring.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// The shared memory of a thread block, as ring_gemv_shared_bytes() counts it: the stages of all warps, the input, the outputs that a gated product collects, the sums of the norm,
/// mbarriers, and the number of outputs that each collected quant block has.
struct RingSharedStorage {
  WeightRing ring;  // of this warp
  std::uint8_t* input;
  float* gathered;
  float* sums;
  int* arrived;
};

__device__ __forceinline__ RingSharedStorage ring_shared_storage(const RingGemvShape& shape) {
  const int warp = thread_number() / 32;
  std::uint8_t* const stages = dynamic_shared();
  RingSharedStorage at;
  at.input = stages + gemv_warps * shape.stages * ring_stage_bytes;
  at.gathered = reinterpret_cast<float*>(at.input + shape.input_bytes);
  at.sums = at.gathered + 32 * shape.gathered * max_gemv_rows;
  auto* const barriers = reinterpret_cast<Mbarrier*>(at.sums + 32 * max_gemv_rows);
  at.arrived = reinterpret_cast<int*>(barriers + gemv_warps * shape.stages);
  at.ring = {stages + warp * shape.stages * ring_stage_bytes, barriers + warp * shape.stages, shape.stages};
  return at;
}

/// Two weight rows and the matrix of the first; in a gated product the second is of the next matrix.
struct RowPair {
  int which;
  RowGroup<ring_gemv_rows> group;
};

__device__ __forceinline__ RowPair row_pair(const GemvParams& params, int unit) {
  if (params.epilogue == GemvEpilogue::gated) return {0, {{unit, unit}}};
  int which = 0;
  while (which < 2 && unit >= (params.matrices[which].rows + 1) / ring_gemv_rows) unit -= (params.matrices[which++].rows + 1) / ring_gemv_rows;
  if (params.epilogue != GemvEpilogue::qkv) return {which, consecutive_rows<ring_gemv_rows>(unit)};
  return {which, rope_pair_rows<ring_gemv_rows>(unit, params.cache.head_size, which < 2 ? params.heads.pairs : 0, params.heads.adjacent)};
}

/// The row pairs of the block, the numbers of which differ by one at most; in gated products whole quant blocks of outputs.
struct UnitRange {
  int begin;
  int end;
};

__device__ __forceinline__ UnitRange block_units(const GemvParams& params) {
  int units = 0;
  LECTERN_UNROLL
  for (const GemvMatrix& matrix : params.matrices) units += (matrix.rows + 1) / ring_gemv_rows;
  const int together = params.epilogue == GemvEpilogue::gated ? 32 : 1;
  if (params.epilogue == GemvEpilogue::gated) units = params.matrices[0].rows / together;
  return {together * static_cast<int>(static_cast<long long>(units) * block_x() / grid_x()), together * static_cast<int>(static_cast<long long>(units) * (block_x() + 1) / grid_x())};
}

/// The next load of a warp, over all its row pairs.
struct LoadCursor {
  UnitRange units;
  DType type;
  LoadStage part;
};

__device__ __forceinline__ void begin_row_pair(const GemvParams& params, LoadCursor& cursor) {
  if (cursor.units.begin >= cursor.units.end) return;
  const RowPair unit = row_pair(params, cursor.units.begin);
  cursor.type = params.matrices[unit.which].type;
  cursor.part.begin = 0;
  LECTERN_UNROLL
  for (int i = 0; i < ring_gemv_rows; ++i) {
    const GemvMatrix& matrix = params.matrices[params.epilogue == GemvEpilogue::gated ? i : unit.which];
    cursor.part.rows[i] = matrix.weights + static_cast<std::size_t>(min_of(unit.group.rows[i], matrix.rows - 1)) * static_cast<std::size_t>(matrix.pitch);
  }
}

/// Called by a warp: loads the next part into stage `stage`, if there is one.
__device__ __forceinline__ void issue_next_load(const GemvParams& params, LoadCursor& cursor, const WeightRing& ring, int stage) {
  if (cursor.units.begin >= cursor.units.end) return;
  cursor.part.stage = ring.stages + stage * ring_stage_bytes;
  cursor.part.barrier = ring.barriers + stage;
  dispatch_quantised(cursor.type, cursor.part);
  if (cursor.part.begin < cursor.part.quant_blocks) return;
  cursor.units.begin += gemv_warps;
  begin_row_pair(params, cursor);
}

/// sums[o][r] += the product of a stage with the rows of x; then `begin` is the first quant block of the next stage.
template <int width>
struct MultiplyStage {
  const std::uint8_t* stage;
  const std::uint8_t* x;
  int quant_blocks;
  int begin;
  int rows;
  float sums[ring_gemv_rows][width];

  template <DType type>
  __device__ __forceinline__ void run() {
    // Whole stages, which most are, need no checks: the chains of additions of several iterations overlap.
    if (begin + warp_stage_quant_blocks<type> <= quant_blocks) {
      [[maybe_unused]] constexpr int together = width <= 2 ? 4 : 2;
      LECTERN_UNROLL_BY(together)
      for (int turn = 0; turn < warp_stage_quant_blocks<type>; turn += 32) take<type>(turn + thread_number() % 32);
    } else {
      LECTERN_NO_UNROLL
      for (int at = thread_number() % 32; begin + at < quant_blocks; at += 32) take<type>(at);
    }
    begin += warp_stage_quant_blocks<type>;
  }

 private:
  /// Quant block `at` of the stage.
  template <DType type>
  __device__ __forceinline__ void take(int at) {
    constexpr PlaneOffsets planes = stage_offsets<type>;
    RawQuantBlock weights[ring_gemv_rows];
    LECTERN_UNROLL
    for (int o = 0; o < ring_gemv_rows; ++o) weights[o] = load_quant_block<type, CachePolicy::in_shared, CachePolicy::in_shared>(stage + o * planes.end, planes, at);
    accumulate_quant_block<type, width, ring_gemv_rows>(weights, begin + at, x, quant_blocks, rows, sums);
  }
};

/// Called by a warp: lane r gets the sum of row r of x over all lanes, by the tree of warp_sum().
template <int width>
__device__ __forceinline__ float reduce_lanes(const float (&rows)[width]) {
  const int lane = thread_number() % 32;
  if constexpr (width == 2) {
    // From the second step on each half of the warp has one row: half as many steps for both.
    const bool second = lane >= 16;
    float sum = (second ? rows[1] : rows[0]) + shuffle_xor(second ? rows[0] : rows[1], 16);
    for (int mask = 8; mask > 0; mask >>= 1) sum += shuffle_xor(sum, mask);
    const float other = shuffle_xor(sum, 16);
    return lane == 1 ? other : sum;
  } else {
    float own = 0.0F;
    LECTERN_UNROLL
    for (int r = 0; r < width; ++r) {
      const float sum = warp_sum(rows[r]);
      if (r == 0 || lane == r) own = sum;
    }
    return own;
  }
}

/// Called by a warp: adds output `output` of a gated product of the block, for every row of x. The warp that adds the last output of a quant block writes the block.
__device__ __forceinline__ void collect_gated(const GemvParams& params, const RingSharedStorage& at, int most, int first, int output, float value) {
  const int lane = thread_number() % 32;
  const int quant_block = (output - first) / 32;
  if (lane < params.rows) at.gathered[32 * (lane * most + quant_block) + output % 32] = value;
  synchronise_warp();
  int last = 0;
  if (lane == 0) {
    fence_block();
    last = atomic_add(at.arrived + quant_block, 1) == 31 ? 1 : 0;
    fence_block();
  }
  for (int mask = 16; mask > 0; mask >>= 1) last |= shuffle_xor(last, mask);
  if (last == 0) return;
  // What the counting lane may read, the other lanes may read now.
  synchronise_warp();
  write_gated(params, output / 32, at.gathered + 32 * quant_block, 32 * most);
}

/// The epilogue of a row pair; lane r has the sums of row r of x, and the residual that they are added to.
__device__ __forceinline__ void store_row_pair(const GemvParams& params, const RowPair& unit, const float (&sums)[ring_gemv_rows], const float (&residual)[ring_gemv_rows]) {
  const int row = thread_number() % 32;
  if (row >= params.rows) return;
  if (params.epilogue == GemvEpilogue::qkv) return store_head_rows(params, unit.which, unit.group, row, sums);
  const GemvMatrix& matrix = params.matrices[0];
  LECTERN_UNROLL
  for (int i = 0; i < ring_gemv_rows; ++i) {
    if (unit.group.rows[i] >= matrix.rows) continue;
    const float value = matrix.bias == nullptr ? sums[i] : sums[i] + matrix.bias[unit.group.rows[i]];
    params.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(unit.group.rows[i])] = params.epilogue == GemvEpilogue::add ? residual[i] + value : value;
  }
}

/// The residual of a row pair, loaded before the sums are computed.
__device__ __forceinline__ void load_residual(const GemvParams& params, const RowPair& unit, float (&residual)[ring_gemv_rows]) {
  const int row = thread_number() % 32;
  LECTERN_UNROLL
  for (int i = 0; i < ring_gemv_rows; ++i) {
    residual[i] = 0.0F;
    if (params.epilogue != GemvEpilogue::add || row >= params.rows || unit.group.rows[i] >= params.matrices[0].rows) continue;
    residual[i] = load_coherent_one(params.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(params.matrices[0].rows) + static_cast<std::size_t>(unit.group.rows[i]));
  }
}

#endif

/// Grid: the multiprocessors. Shared memory: ring_gemv_shared_bytes.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(gemv_threads, 1) void ring_gemv(const LECTERN_GRID_CONSTANT GemvParams params, RingGemvShape shape) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const RingSharedStorage at = ring_shared_storage(shape);
  init_ring(at.ring);
  const UnitRange units = block_units(params);
  LoadCursor cursor{};
  cursor.units = {units.begin + thread_number() / 32, units.end};
  cursor.part.quant_blocks = params.columns / 32;
  begin_row_pair(params, cursor);
  for (int stage = 0; stage < shape.stages; ++stage) issue_next_load(params, cursor, at.ring, stage);
  for (int i = thread_number(); i < shape.gathered; i += gemv_threads) at.arrived[i] = 0;
  allow_dependent_launch();
  read_input<width, gemv_threads>(params, at.input, at.sums, wait_for_previous_kernels, synchronise_block);
  MultiplyStage<width> part;
  part.x = at.input;
  part.quant_blocks = params.columns / 32;
  part.rows = params.rows;
  int stage = 0;
  int phase = 0;
  LECTERN_NO_UNROLL
  for (int number = units.begin + thread_number() / 32; number < units.end; number += gemv_warps) {
    const RowPair unit = row_pair(params, number);
    float residual[ring_gemv_rows];
    load_residual(params, unit, residual);
    LECTERN_UNROLL
    for (auto& of_row : part.sums) {
      LECTERN_UNROLL
      for (float& sum : of_row) sum = 0.0F;
    }
    part.begin = 0;
    LECTERN_NO_UNROLL
    while (part.begin < part.quant_blocks) {
      part.stage = at.ring.stages + stage * ring_stage_bytes;
      mbarrier_wait(at.ring.barriers + stage, phase);
      dispatch_quantised(params.matrices[unit.which].type, part);
      // All lanes have read the stage.
      synchronise_warp();
      issue_next_load(params, cursor, at.ring, stage);
      if (++stage < shape.stages) continue;
      stage = 0;
      phase ^= 1;
    }
    float own[ring_gemv_rows];
    LECTERN_UNROLL
    for (int o = 0; o < ring_gemv_rows; ++o) own[o] = reduce_lanes(part.sums[o]);
    if (params.epilogue == GemvEpilogue::gated) collect_gated(params, at, shape.gathered, units.begin, number, silu_gate(own[0], own[1]));
    else store_row_pair(params, unit, own, residual);
  }
#else
  static_cast<void>(params);
  static_cast<void>(shape);
#endif
}

template <int width>
void launch_ring_gemv(Stream stream, int blocks, const RingGemvShape& shape, const GemvParams& params) {
  launch_dependent(stream, ring_gemv<width>, Grid{blocks}, gemv_threads, ring_gemv_shared_bytes(shape), params, shape);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
