// Products of quantised weights with one to four rows, the weights through rings of shared memory (weight_ring.cuh): register_gemv.cuh for chips
// that copy by themselves, with the same bits.
//
// One block of 16 warps a multiprocessor, for the whole chip; a warp takes two weight rows at a time, its lanes a stretch of 32 weights each. The rings
// are filled before the input is read and never run empty between units: what waits for the memory are slots, not registers.
#pragma once

#include "cuda/kernels/gemv/gemv_input.cuh"
#include "cuda/kernels/gemv/gemv_dot.cuh"
#include "cuda/kernels/gemv/weight_ring.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// A block's shared memory, as ring_shared_bytes() counts it: the slots of all warps, the input, what gated products gather, sums of the norm,
/// barriers, and how much of each gathered stretch is there.
struct RingPlaces {
  WeightRing ring;  // the warp's own
  std::uint8_t* input;
  float* gathered;
  float* sums;
  int* arrived;
};

__device__ __forceinline__ RingPlaces ring_places(const RingShape& shape) {
  const int warp = thread_number() / 32;
  std::uint8_t* const slots = dynamic_shared();
  RingPlaces at;
  at.input = slots + decode_warps * shape.slots * slot_bytes;
  at.gathered = reinterpret_cast<float*>(at.input + shape.input_bytes);
  at.sums = at.gathered + 32 * shape.gathered * most_decode_rows;
  auto* const barriers = reinterpret_cast<CopyBarrier*>(at.sums + 32 * most_decode_rows);
  at.arrived = reinterpret_cast<int*>(barriers + decode_warps * shape.slots);
  at.ring = {slots + warp * shape.slots * slot_bytes, barriers + warp * shape.slots, shape.slots};
  return at;
}

/// Two weight rows, and the first's matrix; of a gated product the second is of the next.
struct RingUnit {
  int which;
  RowGroup<ring_rows> group;
};

__device__ __forceinline__ RingUnit ring_unit(const DecodeWork& work, int unit) {
  if (work.then == Then::gated) return {0, {{unit, unit}}};
  int which = 0;
  while (which < 2 && unit >= (work.matrices[which].rows + 1) / ring_rows) unit -= (work.matrices[which++].rows + 1) / ring_rows;
  if (work.then != Then::heads) return {which, neighbours<ring_rows>(unit)};
  return {which, pairs_of_head<ring_rows>(unit, work.cache.head_size, which < 2 ? work.heads.pairs : 0, work.heads.adjacent)};
}

/// The block's units, no two blocks further apart than one; of gated products whole stretches of outputs.
struct UnitRange {
  int begin;
  int end;
};

__device__ __forceinline__ UnitRange block_units(const DecodeWork& work) {
  int units = 0;
  LECTERN_UNROLL
  for (const DecodeMatrix& matrix : work.matrices) units += (matrix.rows + 1) / ring_rows;
  const int together = work.then == Then::gated ? 32 : 1;
  if (work.then == Then::gated) units = work.matrices[0].rows / together;
  return {together * static_cast<int>(static_cast<long long>(units) * block_x() / grid_x()), together * static_cast<int>(static_cast<long long>(units) * (block_x() + 1) / grid_x())};
}

/// What a warp asks for next, of all its units.
struct AskedPlace {
  UnitRange units;
  DType type;
  AskForPiece piece;
};

__device__ __forceinline__ void ask_for_rows(const DecodeWork& work, AskedPlace& asked) {
  if (asked.units.begin >= asked.units.end) return;
  const RingUnit unit = ring_unit(work, asked.units.begin);
  asked.type = work.matrices[unit.which].type;
  asked.piece.begin = 0;
  LECTERN_UNROLL
  for (int i = 0; i < ring_rows; ++i) {
    const DecodeMatrix& matrix = work.matrices[work.then == Then::gated ? i : unit.which];
    asked.piece.rows[i] = matrix.weights + static_cast<std::size_t>(min_of(unit.group.rows[i], matrix.rows - 1)) * static_cast<std::size_t>(matrix.pitch);
  }
}

/// By a warp: the next piece into slot `slot`, if there is one.
__device__ __forceinline__ void ask_for_next(const DecodeWork& work, AskedPlace& asked, const WeightRing& ring, int slot) {
  if (asked.units.begin >= asked.units.end) return;
  asked.piece.slot = ring.slots + slot * slot_bytes;
  asked.piece.barrier = ring.barriers + slot;
  with_quantised(asked.type, asked.piece);
  if (asked.piece.begin < asked.piece.stretches) return;
  asked.units.begin += decode_warps;
  ask_for_rows(work, asked);
}

/// sums[o][r] += what the piece in a slot gives with the rows of x; then `begin` is the next one's stretch.
template <int width>
struct MultiplyPiece {
  const std::uint8_t* slot;
  const std::uint8_t* x;
  int stretches;
  int begin;
  int rows;
  float sums[ring_rows][width];

  template <DType type>
  __device__ __forceinline__ void run() {
    // Whole pieces, which most are, ask nothing in between: the chains of additions of several turns go on side by side.
    if (begin + piece_stretches<type> <= stretches) {
      [[maybe_unused]] constexpr int together = width <= 2 ? 4 : 2;
      LECTERN_UNROLL_BY(together)
      for (int turn = 0; turn < piece_stretches<type>; turn += 32) take<type>(turn + thread_number() % 32);
    } else {
      LECTERN_NO_UNROLL
      for (int at = thread_number() % 32; begin + at < stretches; at += 32) take<type>(at);
    }
    begin += piece_stretches<type>;
  }

 private:
  /// Stretch `at` of the piece.
  template <DType type>
  __device__ __forceinline__ void take(int at) {
    constexpr PlaneOffsets planes = piece_offsets<type>;
    RawStretch weights[ring_rows];
    LECTERN_UNROLL
    for (int o = 0; o < ring_rows; ++o) weights[o] = load_stretch<type, Kept::in_shared, Kept::in_shared>(slot + o * planes.end, planes, at);
    add_products<type, width, ring_rows>(weights, begin + at, x, stretches, rows, sums);
  }
};

/// By a warp: lane r gets the sum of row r of x over all lanes, by warp_sum()'s tree.
template <int width>
__device__ __forceinline__ float sum_of_lanes(const float (&rows)[width]) {
  const int lane = thread_number() % 32;
  if constexpr (width == 2) {
    // From the second step on each half of the warp has one row's: half as many steps for both.
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

/// By a warp: output `output` of the block's gated product is there, for every row of x. Who makes the last of a stretch writes all of it.
__device__ __forceinline__ void gather(const DecodeWork& work, const RingPlaces& at, int most, int first, int output, float value) {
  const int lane = thread_number() % 32;
  const int stretch = (output - first) / 32;
  if (lane < work.rows) at.gathered[32 * (lane * most + stretch) + output % 32] = value;
  synchronise_warp();
  int last = 0;
  if (lane == 0) {
    order_shared();
    last = atomic_add(at.arrived + stretch, 1) == 31 ? 1 : 0;
    order_shared();
  }
  for (int mask = 16; mask > 0; mask >>= 1) last |= shuffle_xor(last, mask);
  if (last == 0) return;
  // What the lane that counted may read, the others may.
  synchronise_warp();
  write_gated(work, output / 32, at.gathered + 32 * stretch, 32 * most);
}

/// The end of a unit; lane r has the sums of row r of x, and what stood where they are added.
__device__ __forceinline__ void finish_unit(const DecodeWork& work, const RingUnit& unit, const float (&sums)[ring_rows], const float (&before)[ring_rows]) {
  const int row = thread_number() % 32;
  if (row >= work.rows) return;
  if (work.then == Then::heads) return finish_head_rows(work, unit.which, unit.group, row, sums);
  const DecodeMatrix& matrix = work.matrices[0];
  LECTERN_UNROLL
  for (int i = 0; i < ring_rows; ++i) {
    if (unit.group.rows[i] >= matrix.rows) continue;
    const float value = matrix.bias == nullptr ? sums[i] : sums[i] + matrix.bias[unit.group.rows[i]];
    work.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(unit.group.rows[i])] = work.then == Then::add ? before[i] + value : value;
  }
}

/// What a unit's sums are added to, asked for before they are made.
__device__ __forceinline__ void read_before(const DecodeWork& work, const RingUnit& unit, float (&before)[ring_rows]) {
  const int row = thread_number() % 32;
  LECTERN_UNROLL
  for (int i = 0; i < ring_rows; ++i) {
    before[i] = 0.0F;
    if (work.then != Then::add || row >= work.rows || unit.group.rows[i] >= work.matrices[0].rows) continue;
    before[i] = load_one_of_others(work.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(work.matrices[0].rows) + static_cast<std::size_t>(unit.group.rows[i]));
  }
}

#endif

/// Grid: the multiprocessors. Shared memory: ring_shared_bytes.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(decode_threads, 1) void ring_product(const LECTERN_IN_PLACE DecodeWork work, RingShape shape) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const RingPlaces at = ring_places(shape);
  make_ring(at.ring);
  const UnitRange units = block_units(work);
  AskedPlace asked{};
  asked.units = {units.begin + thread_number() / 32, units.end};
  asked.piece.stretches = work.columns / 32;
  ask_for_rows(work, asked);
  for (int slot = 0; slot < shape.slots; ++slot) ask_for_next(work, asked, at.ring, slot);
  for (int i = thread_number(); i < shape.gathered; i += decode_threads) at.arrived[i] = 0;
  let_next_begin();
  read_input<width, decode_threads>(work, at.input, at.sums, wait_for_kernels_before, synchronise_block);
  MultiplyPiece<width> piece;
  piece.x = at.input;
  piece.stretches = work.columns / 32;
  piece.rows = work.rows;
  int slot = 0;
  int phase = 0;
  LECTERN_NO_UNROLL
  for (int number = units.begin + thread_number() / 32; number < units.end; number += decode_warps) {
    const RingUnit unit = ring_unit(work, number);
    float before[ring_rows];
    read_before(work, unit, before);
    LECTERN_UNROLL
    for (auto& of_row : piece.sums) {
      LECTERN_UNROLL
      for (float& sum : of_row) sum = 0.0F;
    }
    piece.begin = 0;
    LECTERN_NO_UNROLL
    while (piece.begin < piece.stretches) {
      piece.slot = at.ring.slots + slot * slot_bytes;
      wait_for(at.ring.barriers + slot, phase);
      with_quantised(work.matrices[unit.which].type, piece);
      // All lanes are done with the slot.
      synchronise_warp();
      ask_for_next(work, asked, at.ring, slot);
      if (++slot < shape.slots) continue;
      slot = 0;
      phase ^= 1;
    }
    float own[ring_rows];
    LECTERN_UNROLL
    for (int o = 0; o < ring_rows; ++o) own[o] = sum_of_lanes(piece.sums[o]);
    if (work.then == Then::gated) gather(work, at, shape.gathered, units.begin, number, gated_value(own[0], own[1]));
    else finish_unit(work, unit, own, before);
  }
#else
  static_cast<void>(work);
  static_cast<void>(shape);
#endif
}

template <int width>
void launch_ring_decode(Stream stream, int blocks, const RingShape& shape, const DecodeWork& work) {
  launch_early(stream, ring_product<width>, Grid{blocks}, decode_threads, ring_shared_bytes(shape), work, shape);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
