// Weights on their way through rings in shared memory, one for each warp: the device copies pieces of two weight rows by itself, as many as the ring
// has slots for, and on across the warp's units, so that no unit begins with nothing under way. Needs compute capability 9.0.
//
// One lane asks for pieces, a barrier for each slot counts their bytes, and no warp waits for another. A piece is what lies between two stretches of each
// of a row's planes, so that a row of any length goes through slots of one size, and in its slot it looks like a row of its own. Copies of 2 KB are few
// enough to ask for, and two slots a warp have 147 KB a multiprocessor under way, where 4.5 TB/s for a microsecond are 34.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

static_assert(slot_bytes == ring_rows * 128 * 18, "two rows of Q4_K, 128 stretches each");

/// Turns of a warp's lanes in a piece of rows of this type.
constexpr int piece_turns(PlaneShape shape) {
  int turns = slot_bytes / ring_rows / (32 * (shape.low + shape.second + shape.high + shape.scale) + 4 * shape.head);
  // Pieces begin where copies may.
  while (4 * shape.head * turns % 16 != 0) --turns;
  return turns;
}

template <DType type>
inline constexpr int piece_stretches = 32 * piece_turns(plane_shape(type));
/// Where the planes of a piece lie in its slot; `end` is the second row's piece.
template <DType type>
inline constexpr PlaneOffsets piece_offsets = plane_offsets(plane_shape(type), piece_stretches<type>);

/// The slots of a warp, all of them empty at first.
struct WeightRing {
  std::uint8_t* slots;
  CopyBarrier* barriers;  // one for each
  int count;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// By a warp, before anything else.
__device__ __forceinline__ void make_ring(const WeightRing& ring) {
  if (thread_number() % 32 == 0) {
    for (int slot = 0; slot < ring.count; ++slot) init_barrier(ring.barriers + slot, 1);
    show_barriers();
  }
  synchronise_warp();
}

/// Asks for the piece of two rows of `stretches` that begins with stretch `begin`; then that is where the next one begins.
struct AskForPiece {
  const std::uint8_t* rows[ring_rows];
  int stretches;
  int begin;
  std::uint8_t* slot;
  CopyBarrier* barrier;

  template <DType type>
  __device__ __forceinline__ void run() {
    constexpr PlaneShape shape = plane_shape_of<type>;
    constexpr PlaneOffsets to = piece_offsets<type>;
    static_assert(ring_rows * to.end <= slot_bytes && piece_stretches<type> > 0, "pieces go into a slot");
    if (thread_number() % 32 == 0) {
      const PlaneOffsets from = plane_offsets(shape, stretches);
      const PieceBytes bytes = piece_bytes(shape, stretches - begin < piece_stretches<type> ? stretches - begin : piece_stretches<type>);
      arrive_expecting(barrier, ring_rows * bytes.all());
      LECTERN_UNROLL
      for (int i = 0; i < ring_rows; ++i) {
        std::uint8_t* const place = slot + i * to.end;
        copy_bytes(place, rows[i] + shape.low * begin, bytes.low, barrier);
        if constexpr (shape.second > 0) copy_bytes(place + to.second, rows[i] + from.second + shape.second * begin, bytes.second, barrier);
        if constexpr (shape.high > 0) copy_bytes(place + to.high, rows[i] + from.high + shape.high * begin, bytes.high, barrier);
        if constexpr (shape.scale > 0) copy_bytes(place + to.scale, rows[i] + from.scale + shape.scale * begin, bytes.scale, barrier);
        if constexpr (shape.head > 0) copy_bytes(place + to.head, rows[i] + from.head + shape.head * (begin / 8), bytes.head, barrier);
      }
    }
    begin += piece_stretches<type>;
  }
};

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
