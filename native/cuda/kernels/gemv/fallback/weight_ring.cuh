// The ring buffer of weights of a warp: bulk copies fill its stages with parts of two weight rows, across the row pairs of the warp, so that no
// row pair begins with nothing in flight. Needs compute capability 9.0.
//
// One lane issues the copies, an mbarrier of each stage counts their bytes, and no warp waits for another. A part has the same range of quant blocks of each
// bit plane of a row, so that rows of any length go through stages of one size; in its stage it has the layout of a short row. Copies of 2 KB are few
// enough to issue, and two stages per warp have 147 KB per multiprocessor in flight, where 4.5 TB/s need 34 KB per microsecond.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

static_assert(ring_stage_bytes == ring_gemv_rows * 128 * 18, "two rows of Q4_K, 128 stretches each");

/// Iterations of a warp over a stage of rows of this type.
constexpr int stage_turns(PlaneShape shape) {
  int turns = ring_stage_bytes / ring_gemv_rows / (32 * (shape.low + shape.second + shape.high + shape.scale) + 4 * shape.head);
  // A part begins where copies may begin.
  while (4 * shape.head * turns % 16 != 0) --turns;
  return turns;
}

template <DType type>
inline constexpr int warp_stage_quant_blocks = 32 * stage_turns(plane_shape(type));
/// Where the planes of a part lie in its stage; `end` is where the second row begins.
template <DType type>
inline constexpr PlaneOffsets stage_offsets = plane_offsets(plane_shape(type), warp_stage_quant_blocks<type>);

/// The stages of a warp, all empty at first.
struct WeightRing {
  std::uint8_t* stages;
  Mbarrier* barriers;  // one for each stage
  int count;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// Called by a warp, before anything else.
__device__ __forceinline__ void init_ring(const WeightRing& ring) {
  if (thread_number() % 32 == 0) {
    for (int stage = 0; stage < ring.count; ++stage) mbarrier_init(ring.barriers + stage, 1);
    fence_mbarrier_init();
  }
  synchronise_warp();
}

/// Loads the part of two rows of `quant_blocks` that begins with quant block `begin`; then `begin` is that of the next part.
struct LoadStage {
  const std::uint8_t* rows[ring_gemv_rows];
  int quant_blocks;
  int begin;
  std::uint8_t* stage;
  Mbarrier* barrier;

  template <DType type>
  __device__ __forceinline__ void run() {
    constexpr PlaneShape shape = plane_shape_of<type>;
    constexpr PlaneOffsets to = stage_offsets<type>;
    static_assert(ring_gemv_rows * to.end <= ring_stage_bytes && warp_stage_quant_blocks<type> > 0, "pieces go into a slot");
    if (thread_number() % 32 == 0) {
      const PlaneOffsets from = plane_offsets(shape, quant_blocks);
      const PlaneCopyBytes bytes = plane_copy_bytes(shape, quant_blocks - begin < warp_stage_quant_blocks<type> ? quant_blocks - begin : warp_stage_quant_blocks<type>);
      mbarrier_arrive_expect(barrier, ring_gemv_rows * bytes.all());
      LECTERN_UNROLL
      for (int i = 0; i < ring_gemv_rows; ++i) {
        std::uint8_t* const place = stage + i * to.end;
        bulk_copy(place, rows[i] + shape.low * begin, bytes.low, barrier);
        if constexpr (shape.second > 0) bulk_copy(place + to.second, rows[i] + from.second + shape.second * begin, bytes.second, barrier);
        if constexpr (shape.high > 0) bulk_copy(place + to.high, rows[i] + from.high + shape.high * begin, bytes.high, barrier);
        if constexpr (shape.scale > 0) bulk_copy(place + to.scale, rows[i] + from.scale + shape.scale * begin, bytes.scale, barrier);
        if constexpr (shape.head > 0) bulk_copy(place + to.head, rows[i] + from.head + shape.head * (begin / 8), bytes.head, barrier);
      }
    }
    begin += warp_stage_quant_blocks<type>;
  }
};

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
