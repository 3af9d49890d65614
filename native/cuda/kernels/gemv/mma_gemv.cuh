// GEMV of quantised weights with one to four decode rows, by the tensor cores (mma.sync): three quarters of the instructions of register_gemv.cuh for two
// rows, with other last bits.
//
// Runs at compute capability 9.0 and newer where the trial in selection/gemv_selection.cuh finds it right, or where LECTERN_DECODE=tiles names it
// (GemvKernel::tiles). Within such a model, products that its tiles do not divide go to ring_gemv.cuh: DecodeOps::by_tiles() in ops/decode_ops.cuh decides.
//
// The consumer warps of a thread block multiply 16 weight rows together (mma_tiles.cuh), a stage at a time (weight_stages.cuh), each warp four quant blocks of it. Lane
// 4 g + t of a warp unpacks quant block t of two rows, as every kernel does. Its quants become the A fragment, in which four quant blocks with
// scales of their own stand side by side. In each column of the B fragment all but one quant block of the row of x are zeros. So column 2 t + r
// of the accumulator has the sum of quant block t alone, for row r of x, and lies in the lane that has the scales of that block. With one row of x both columns are equal.
//
// One producer warp loads the weights, and one warp runs the epilogue (mma_epilogue.cuh): consumer warps wait only for weights. The order of a sum
// depends on the columns alone.
#pragma once

#include "cuda/kernels/gemv/gemv_input.cuh"
#include "cuda/kernels/gemv/gemv_dot.cuh"
#include "cuda/kernels/gemv/weight_stages.cuh"
#include "cuda/kernels/gemv/mma_epilogue.cuh"
#include "cuda/simt/tensor_cores.h"
#include "cuda/simt/warpgroups.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// The shared memory of a thread block, as mma_gemv_shared_bytes() counts it.
struct MmaSharedStorage {
  StageRing ring;
  std::uint8_t* input;
  PartialSums sums;
  float* norm;
  std::uint8_t* zeros;
  Mbarrier* input_ready;
};

__device__ __forceinline__ MmaSharedStorage mma_shared_storage(const MmaGemvShape& shape) {
  MmaSharedStorage at;
  std::uint8_t* const stages = dynamic_shared() + (stage_alignment - shared_address(dynamic_shared()) % stage_alignment) % stage_alignment;
  at.input = stages + shape.stages * shape.stage_bytes;
  at.sums.values = reinterpret_cast<float*>(at.input + shape.input_bytes);
  at.sums.gathered = at.sums.values + 2 * consumer_warps * partial_sums_count;
  at.norm = at.sums.gathered + 32 * max_gemv_rows;
  at.zeros = reinterpret_cast<std::uint8_t*>(at.norm + 32 * max_gemv_rows);
  at.sums.full = reinterpret_cast<Mbarrier*>(at.zeros + zero_bytes);
  at.sums.free = at.sums.full + 2;
  at.input_ready = at.sums.free + 2;
  at.ring = {stages, reinterpret_cast<StageBarriers*>(at.input_ready + 1), shape.stages, shape.stage_bytes, shape.prefetch_stages};
  return at;
}

/// Called by the producer warp, before its first load and before the barrier of the block.
__device__ __forceinline__ void init_ring(const StageRing& ring) {
  static_assert(max_mma_stages <= 32, "a lane for each slot");
  const int lane = thread_number() % 32;
  if (lane < ring.count) {
    mbarrier_init(&ring.barriers[lane].full, 1);
    mbarrier_init(&ring.barriers[lane].free, consumer_warps);
  }
  fence_mbarrier_init();
  synchronise_warp();
}

/// The remaining initialisation of a thread block, by one other warp.
__device__ __forceinline__ void init_shared_storage(const GemvParams& params, const WeightTensorMaps& maps, const MmaSharedStorage& at) {
  const int lane = thread_number() % 32;
  if (lane < plane_count) prefetch_tensor_map(maps.maps[0][lane]);
  if (lane < zero_bytes / 4) reinterpret_cast<std::uint32_t*>(at.zeros)[lane] = 0;
  if (lane < 2) {
    mbarrier_init(at.sums.full + lane, consumer_warps);
    mbarrier_init(at.sums.free + lane, 1);
  }
  if (lane == 2) mbarrier_init(at.input_ready, params.quantised != nullptr ? 1 : input_threads / 32);
  fence_mbarrier_init();
}

/// The barrier of the warps that quantise the input.
struct InputBarrier {
  Mbarrier* barrier;
  int phase;

  __device__ __forceinline__ void operator()() {
    synchronise_warp();
    if (thread_number() % 32 == 0) mbarrier_arrive(barrier);
    mbarrier_wait(barrier, phase++);
  }
};

/// Where a lane finds its part of the rows of x for its quant block of a stage.
template <int width>
class TileInput {
 public:
  static constexpr int groups = (width + columns_together - 1) / columns_together;

  /// `planes`: `rows` rows of `quant_blocks`; `quant_block`: the lane's block of the first stage.
  __device__ __forceinline__ TileInput(const std::uint8_t* planes, const std::uint8_t* zeros, int quant_blocks, int rows, int lane, int quant_block) : rows_(rows) {
    const bool own = lane / 8 == lane % 4;
    row_bytes_ = activation_row_bytes(quant_blocks);
    LECTERN_UNROLL
    for (int i = 0; i < groups; ++i) {
      // One row of x goes to both columns of a quant block.
      const int row = width == 1 ? 0 : columns_together * i + lane / 4 % 2;
      quants_[i] = own ? shared_address_of(planes) + skipped(row) + 16 * quant_block : shared_address_of(zeros);
    }
    tail_ = shared_address_of(planes) + 32 * quant_blocks + 8 * quant_block;
    second_ = own ? 16 * quant_blocks : 0;
    own_ = own;
  }

  /// The lane's part of each half of 16 elements, for the columns of rows columns_together * group and the next.
  __device__ __forceinline__ Words<4> first(int group) const { return load_constant<Words<4>, CachePolicy::in_shared>(quants_[group]); }
  __device__ __forceinline__ Words<4> second(int group) const { return load_constant<Words<4>, CachePolicy::in_shared>(quants_[group] + second_); }
  __device__ __forceinline__ ActivationTail tail(int row) const { return tail_of(load_constant<Words<2>, CachePolicy::in_shared>(tail_ + skipped(row))); }

  __device__ __forceinline__ void advance() {
    LECTERN_UNROLL
    for (SharedAddress& quants : quants_) quants += own_ ? 16 * stage_quant_blocks : 0;
    tail_ += 8 * stage_quant_blocks;
  }

 private:
  /// With four rows of registers the last row may be missing.
  __device__ __forceinline__ int skipped(int row) const { return (width == 4 && row == 3 ? rows_ - 1 : row) * row_bytes_; }

  SharedAddress quants_[groups];
  SharedAddress tail_;
  int row_bytes_;
  int rows_;
  int second_;
  bool own_;
};

/// sums[h][r] = the sum of the warp's quant blocks of a tile, of its rows lane_row() + 8 h, with row r of x.
template <int width>
struct MultiplyTile {
  const GemvParams& params;
  const MmaSharedStorage& at;
  PipelineState ring;
  float sums[2][width];

  template <DType type>
  __device__ __forceinline__ void run() {
    constexpr int half = stage_layout(plane_shape_of<type>).half;
    const int thread = thread_number_again();
    const int lane = thread % 32;
    const int quant_blocks = params.columns / 32;
    const int first = 4 * (thread / 32);
    const QuantBlockAddresses<int> offsets = quant_block_offsets<type>(lane_row(lane), first + lane % 4);
    TileInput<width> input(at.input, at.zeros, quant_blocks, params.rows, lane, first + lane % 4);
    LECTERN_UNROLL
    for (auto& of_half : sums) {
      LECTERN_UNROLL
      for (float& sum : of_half) sum = 0.0F;
    }
    int left = quant_blocks - first;
    // A loop of few instructions: fetching many instructions, each once, costs more than running them.
    LECTERN_NO_UNROLL
    for (; left > 0; left -= stage_quant_blocks) {
      mbarrier_wait_at(ring.full(), ring.phase);
      RawQuantBlock raw[2];
      LECTERN_UNROLL
      for (int h = 0; h < 2; ++h) raw[h] = load_quant_block<type, CachePolicy::in_shared, CachePolicy::in_shared>(addresses_in(ring.stage + h * half, offsets));
      release_stage();
      // Types with blocks of 256 have all eight quant blocks.
      take<type>(raw, first + lane % 4, has_superblock_head<type> || lane % 4 < left, input);
      input.advance();
    }
    // The last stage had no quant block for this warp.
    if (left + first <= 0) return;
    mbarrier_wait_at(ring.full(), ring.phase);
    release_stage();
  }

 private:
  __device__ __forceinline__ void release_stage() {
    synchronise_warp();
    if (thread_number() % 32 == 0) mbarrier_arrive_at(ring.free());
    ring.advance();
  }

  /// Quant block `quant_block` of a stage, of both weight rows.
  template <DType type>
  __device__ __forceinline__ void take(const RawQuantBlock (&raw)[2], int quant_block, bool there, const TileInput<width>& input) {
    int q[2][8];
    float factor[2][2];
    float offset[2][2];
    LECTERN_UNROLL
    for (int h = 0; h < 2; ++h) {
      unpack_quants<type>(raw[h], q[h]);
      unpack_scales<type>(raw[h], quant_block, factor[h], offset[h]);
    }
    LECTERN_UNROLL
    for (int r = 0; r < width; r += columns_together) {
      const Words<4> first = input.first(r / columns_together);
      const Words<4> second = input.second(r / columns_together);
      int dots[2][4] = {};
      LECTERN_UNROLL
      for (int k = 0; k < 8; k += 2) {
        const Word a[4] = {static_cast<Word>(q[0][k]), static_cast<Word>(q[1][k]), static_cast<Word>(q[0][k + 1]), static_cast<Word>(q[1][k + 1])};
        const Words<4>& half = k < 4 ? first : second;
        const Word b[2] = {half.w[k % 4], half.w[k % 4 + 1]};
        mma_s8(dots[scales_by_sixteen<type> ? k / 4 : 0], a, b);
      }
      LECTERN_UNROLL
      for (int c = 0; c < (width == 1 ? 1 : columns_together); ++c) {
        const ActivationTail tail = input.tail(r + c);
        LECTERN_UNROLL
        for (int h = 0; h < 2; ++h) {
          const int dot[2] = {dots[0][2 * h + c] - zero_of<type> * tail.sums[0], dots[1][2 * h + c] - zero_of<type> * tail.sums[1]};
          const float sum = fmaf(tail.scale, scaled_dots<type>(dot, tail.sums, factor[h], offset[h]), sums[h][r + c]);
          if (there) sums[h][r + c] = sum;
        }
      }
    }
  }
};

/// The loop of a consumer warp.
template <int width>
__device__ __forceinline__ void run_consumer_warp(const GemvParams& params, const MmaSharedStorage& at, const TileRange& tiles) {
  MultiplyTile<width> tile{params, at, PipelineState(at.ring), {}};
  LECTERN_NO_UNROLL
  for (int number = 0; number < tiles.end - tiles.begin; ++number) {
    dispatch_quantised(params.matrices[tile_coord(params, tiles.begin + number).which].type, tile);
    const int buffer = number % 2;
    if (number >= 2) mbarrier_wait(at.sums.free + buffer, number / 2 + 1);
    leave_sums<width>(tile.sums, at.sums.values + buffer * consumer_warps * partial_sums_count);
    synchronise_warp();
    if (thread_number() % 32 == 0) mbarrier_arrive(at.sums.full + buffer);
  }
}

#endif

/// Grid: the multiprocessors. Shared memory: mma_gemv_shared_bytes.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(mma_gemv_threads, 1) void mma_gemv(const LECTERN_GRID_CONSTANT GemvParams params, const LECTERN_GRID_CONSTANT WeightTensorMaps maps, MmaGemvShape shape) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const MmaSharedStorage at = mma_shared_storage(shape);
  const TileRange tiles = block_tiles(params, shape);
  WeightProducer producer(params, maps, at.ring, tiles);
  const bool is_producer = thread_number() >= input_threads;
  if (is_producer) {
    // The first loads before anything else: until they arrive the memory is idle.
    init_ring(at.ring);
    producer.begin();
    producer.fill(2);
  } else if (thread_number() / 32 == consumer_warps) {
    init_shared_storage(params, maps, at);
  }
  // One barrier for all warps: the manual does not define one that is split over two branches.
  synchronise_block();
  allow_dependent_launch();
  if (is_producer) {
    producer.fill(at.ring.count);
    wait_for_previous_kernels();
    if (params.quantised != nullptr && thread_number() == input_threads) {
      fence_proxy_async_global();
      mbarrier_arrive_expect(at.input_ready, shape.input_bytes);
      bulk_copy(at.input, params.quantised, shape.input_bytes, at.input_ready);
    }
    synchronise_warp();
    producer.refill();
    return;
  }
  if (params.quantised != nullptr) {
    wait_for_previous_kernels();
    mbarrier_wait(at.input_ready, 0);
  } else {
    InputBarrier meet{at.input_ready, 0};
    read_floats<width, input_threads>(params, at.input, at.norm, wait_for_previous_kernels, meet);
  }
  if (thread_number() / 32 < consumer_warps) run_consumer_warp<width>(params, at, tiles);
  else run_epilogue_warp<width>(params, at.sums, tiles);
#else
  static_cast<void>(params);
  static_cast<void>(maps);
  static_cast<void>(shape);
#endif
}

template <int width>
void launch_mma_gemv(Stream stream, int blocks, const MmaGemvShape& shape, const GemvParams& params) {
  launch_dependent(stream, mma_gemv<width>, Grid{blocks}, mma_gemv_threads, mma_gemv_shared_bytes(shape), params, make_weight_tensor_maps(params), shape);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
