// The ring buffer of weights of a thread block: a stage holds the same range of quant blocks of 16 weight rows, so that rows of any length go through stages of
// one size. The copy engine fills it by tensor maps, a box of eight rows of a bit plane at a time (async_copies.h, compute capability 9.0), so that one lane of the producer warp
// issues a box with a handful of instructions. A stage has the first eight rows of a tile, plane by plane, then the other eight.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/kernels/gemv/mma_tiles.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// A bit plane of eight rows in a stage: lines of 128 bytes, or shorter ones where a row has less.
struct PlaneLayout {
  int line;   // bytes
  int lines;  // of a row; 0: no such plane
  int at;     // bytes from the beginning of the eight rows
};

constexpr int plane_count = 5;

/// Bytes in flight per thread block that keep the memory busy: 4.5 TB/s are 34 KB per microsecond for each of 132 blocks.
constexpr int max_bytes_in_flight = 48 << 10;

struct StageLayout {
  PlaneLayout planes[plane_count];  // in the order of PlaneShape
  int half;                       // bytes of eight rows, padded
  int copied;                     // bytes of eight rows that are copied
};

/// Planes of whole lines come first: only heads have shorter ones.
__host__ __device__ constexpr StageLayout stage_layout(PlaneShape shape) {
  StageLayout layout{};
  const PlaneCopyBytes all = plane_copy_bytes(shape, stage_quant_blocks);
  const int bytes[plane_count] = {all.low, all.second, all.high, all.scale, all.head};
  for (int i = 0; i < plane_count; ++i) {
    const int line = bytes[i] < line_bytes ? bytes[i] : line_bytes;
    layout.planes[i] = {line, line == 0 ? 0 : bytes[i] / line, layout.copied};
    layout.copied += bytes[i] * map_box_rows;
  }
  layout.half = (layout.copied + stage_alignment - 1) / stage_alignment * stage_alignment;
  return layout;
}

/// Bytes of a stage for rows of this type.
constexpr int weight_stage_bytes(DType type) { return 2 * stage_layout(plane_shape(type)).half; }

/// The tensor maps of the matrices of a product, in the order of their planes.
struct WeightTensorMaps {
  TensorMap3d maps[3][plane_count];
  StageLayout layouts[3];
};

/// Throws what make_tensor_map_3d() throws.
inline WeightTensorMaps make_weight_tensor_maps(const GemvParams& params) {
  WeightTensorMaps maps{};
  for (int which = 0; which < 3; ++which) {
    const GemvMatrix& matrix = params.matrices[which];
    if (matrix.rows == 0) continue;
    const PlaneShape shape = plane_shape(matrix.type);
    const int quant_blocks = params.columns / 32;
    const PlaneOffsets offsets = plane_offsets(shape, quant_blocks);
    const int at[plane_count] = {0, offsets.second, offsets.high, offsets.scale, offsets.head};
    const PlaneCopyBytes all = plane_copy_bytes(shape, quant_blocks);
    const int bytes[plane_count] = {all.low, all.second, all.high, all.scale, all.head};
    maps.layouts[which] = stage_layout(shape);
    for (int i = 0; i < plane_count; ++i) {
      const PlaneLayout& plane = maps.layouts[which].planes[i];
      // A missing plane repeats the first map, so that all maps are valid.
      maps.maps[which][i] = maps.maps[which][0];
      if (plane.lines > 0) maps.maps[which][i] = make_tensor_map_3d(matrix.weights + at[i], static_cast<std::size_t>(matrix.pitch), matrix.rows, plane.line, (bytes[i] + plane.line - 1) / plane.line, plane.lines);
    }
  }
  return maps;
}

/// Of a stage. `full`: its bytes have arrived; `free`: every consumer warp has read its part.
struct StageBarriers {
  Mbarrier full;
  Mbarrier free;
};

/// The stages of a thread block.
struct StageRing {
  std::uint8_t* stages;
  StageBarriers* barriers;  // of each stage
  int count;
  int stage_bytes;
  int prefetch_stages;  // stages that are filled at once at the beginning
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// The next stage of a ring buffer, and the phase of its mbarriers.
class PipelineState {
 public:
  __device__ __forceinline__ explicit PipelineState(const StageRing& ring) : stage(shared_address_of(ring.stages)), barriers_(shared_address_of(ring.barriers)), bytes_(ring.stage_bytes), count_(ring.count), left_(ring.count) {}

  __device__ __forceinline__ SharedAddress full() const { return barriers_; }
  __device__ __forceinline__ SharedAddress free() const { return barriers_ + sizeof(Mbarrier); }

  __device__ __forceinline__ void advance() {
    stage += bytes_;
    barriers_ += sizeof(StageBarriers);
    if (--left_ > 0) return;
    left_ = count_;
    stage -= count_ * bytes_;
    barriers_ -= count_ * static_cast<int>(sizeof(StageBarriers));
    phase ^= 1;
  }

  SharedAddress stage;
  int phase = 0;

 private:
  SharedAddress barriers_;
  int bytes_;
  int count_;
  int left_;
};

/// Offsets of the parts of quant block `quant_block` of row `row` of the first half, from the beginning of the stage.
template <DType type>
__device__ __forceinline__ QuantBlockAddresses<int> quant_block_offsets(int row, int quant_block) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  constexpr StageLayout layout = stage_layout(shape);
  const int bytes[plane_count] = {shape.low * quant_block, shape.second * quant_block, shape.high * quant_block, shape.scale * quant_block, shape.head * (quant_block / 8)};
  int at[plane_count];
  LECTERN_UNROLL
  for (int i = 0; i < plane_count; ++i) {
    const PlaneLayout plane = layout.planes[i];
    const bool whole = plane.line == line_bytes;
    at[i] = plane.at + (whole ? bytes[i] / line_bytes * map_box_rows * line_bytes + row * line_bytes + (bytes[i] % line_bytes ^ row << 4) : row * plane.line + bytes[i]);
  }
  return {at[0], at[1], at[2], at[3], at[4]};
}

__device__ __forceinline__ QuantBlockAddresses<SharedAddress> addresses_in(SharedAddress stage, const QuantBlockAddresses<int>& offsets) {
  return {stage + offsets.low, stage + offsets.second, stage + offsets.high, stage + offsets.scale, stage + offsets.head};
}

/// The producer: loads the stages of a block's tiles, in order. Called by one warp, each lane for one plane of one half. What a lane needs for its loads stays in registers: to read it again
/// would take longer than the copies.
class WeightProducer {
 public:
  __device__ __forceinline__ WeightProducer(const GemvParams& params, const WeightTensorMaps& maps, const StageRing& ring, const TileRange& tiles) : params_(params), maps_(maps), ring_(ring), tiles_(tiles) {}

  /// Before fill() and refill().
  __device__ __forceinline__ void begin() { begin_tile(); }

  /// Fills the first `stages`, as far as there is work. Not faster than the memory: the rows of x, which the other warps wait for, would queue behind these loads.
  __device__ __forceinline__ void fill(int stages) {
    LECTERN_NO_UNROLL
    while (issued_ < stages && tiles_.begin < tiles_.end) {
      if (issued_ >= ring_.prefetch_stages) mbarrier_wait(&ring_.barriers[issued_ - ring_.prefetch_stages].full, 0);
      issue();
      ++issued_;
    }
  }

  /// Then fills each stage again when it is free.
  __device__ __forceinline__ void refill() {
    LECTERN_NO_UNROLL
    while (tiles_.begin < tiles_.end) {
      mbarrier_wait(&ring_.barriers[stage_].free, phase_ ^ 1);
      issue();
    }
  }

 private:
  __device__ __forceinline__ void begin_tile() {
    if (tiles_.begin >= tiles_.end) return;
    const int lane = thread_number() % 32;
    const int half = lane / plane_count;
    const TileCoord tile = tile_coord(params_, tiles_.begin);
    const StageLayout& layout = maps_.layouts[tile.which];
    const PlaneLayout& plane = layout.planes[lane % plane_count];
    active_ = half < 2 && plane.lines > 0;
    if (!active_) return;
    lines_ = plane.lines;
    at_ = half * layout.half + plane.at;
    copied_ = 2 * layout.copied;
    map_ = &maps_.maps[params_.epilogue == GemvEpilogue::gated ? half : tile.which][lane % plane_count];
    line_ = 0;
    row_ = tile_row(params_, tile, map_box_rows * half);
  }

  __device__ __forceinline__ void issue() {
    Mbarrier* const full = &ring_.barriers[stage_].full;
    // Every type has a first plane.
    if (thread_number() % 32 == 0) mbarrier_arrive_expect(full, copied_);
    synchronise_warp();
    if (active_) bulk_copy_3d(ring_.stages + stage_ * ring_.stage_bytes + at_, *map_, line_, row_, full);
    line_ += lines_;
    if (++stage_ == ring_.count) {
      stage_ = 0;
      phase_ ^= 1;
    }
    begin_ += stage_quant_blocks;
    if (begin_ < params_.columns / 32) return;
    begin_ = 0;
    ++tiles_.begin;
    begin_tile();
  }

  const GemvParams& params_;
  const WeightTensorMaps& maps_;
  const StageRing& ring_;
  TileRange tiles_;  // the remaining tiles
  int begin_ = 0;    // the first quant block of the next stage
  int issued_ = 0;    // stages filled so far by fill()
  int stage_ = 0;
  int phase_ = 0;
  // Of the lane:
  bool active_ = false;
  const TensorMap3d* map_ = nullptr;
  int at_ = 0;
  int lines_ = 0;
  int line_ = 0;
  int row_ = 0;
  int copied_ = 0;
};

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
