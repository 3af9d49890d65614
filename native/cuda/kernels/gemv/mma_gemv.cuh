// Products of quantised weights with one to four rows by the tensor cores: register_gemv.cuh for chips that copy by themselves, with three quarters of its
// instructions for two rows. The last bits are others.
//
// A block's warps multiply 16 weight rows together (mma_tiles.cuh), a piece of them at a time (weight_stages.cuh), each warp four stretches of it. In a warp lane
// 4 g + t unpacks stretch t of two rows, as every kernel does, and gives them to the tensor cores as they are, although four stretches
// with scales of their own stand side by side in such a matrix: the columns on the other side are rows of x of which all but one stretch are zeros. So column
// 2 t + r has the sums of stretch t alone, of row r of x; they come out in the lane that has the stretch's scales. One row of x stands in both columns.
//
// One warp asks for pieces, and one ends what has been summed (mma_epilogue.cuh): the others never wait for what they do not need. A sum's order is its columns'
// alone.
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

/// A block's shared memory, as decode_tile_shared_bytes() counts it.
struct DecodeTilePlaces {
  PieceRing ring;
  std::uint8_t* input;
  TileSums sums;
  float* norm;
  std::uint8_t* zeros;
  CopyBarrier* input_made;
};

__device__ __forceinline__ DecodeTilePlaces decode_tile_places(const DecodeTileShape& shape) {
  DecodeTilePlaces at;
  std::uint8_t* const slots = dynamic_shared() + (slot_alignment - shared_address(dynamic_shared()) % slot_alignment) % slot_alignment;
  at.input = slots + shape.slots * shape.slot_bytes;
  at.sums.values = reinterpret_cast<float*>(at.input + shape.input_bytes);
  at.sums.gathered = at.sums.values + 2 * multiplying_warps * tile_sums;
  at.norm = at.sums.gathered + 32 * most_decode_rows;
  at.zeros = reinterpret_cast<std::uint8_t*>(at.norm + 32 * most_decode_rows);
  at.sums.full = reinterpret_cast<CopyBarrier*>(at.zeros + zero_bytes);
  at.sums.free = at.sums.full + 2;
  at.input_made = at.sums.free + 2;
  at.ring = {slots, reinterpret_cast<SlotBarriers*>(at.input_made + 1), shape.slots, shape.slot_bytes, shape.ahead};
  return at;
}

/// By the warp that asks, before it does, and before the block's barrier.
__device__ __forceinline__ void make_ring(const PieceRing& ring) {
  static_assert(most_tile_slots <= 32, "a lane for each slot");
  const int lane = thread_number() % 32;
  if (lane < ring.count) {
    init_barrier(&ring.barriers[lane].full, 1);
    init_barrier(&ring.barriers[lane].free, multiplying_warps);
  }
  show_barriers();
  synchronise_warp();
}

/// The rest of what a block begins with, by one other warp.
__device__ __forceinline__ void make_the_rest(const DecodeWork& work, const TileMaps& maps, const DecodeTilePlaces& at) {
  const int lane = thread_number() % 32;
  if (lane < plane_count) prefetch_map(maps.maps[0][lane]);
  if (lane < zero_bytes / 4) reinterpret_cast<std::uint32_t*>(at.zeros)[lane] = 0;
  if (lane < 2) {
    init_barrier(at.sums.full + lane, multiplying_warps);
    init_barrier(at.sums.free + lane, 1);
  }
  if (lane == 2) init_barrier(at.input_made, work.quantised != nullptr ? 1 : reading_threads / 32);
  show_barriers();
}

/// The barrier of the warps that make the input.
struct ReadersMeet {
  CopyBarrier* barrier;
  int phase;

  __device__ __forceinline__ void operator()() {
    synchronise_warp();
    if (thread_number() % 32 == 0) arrive(barrier);
    wait_for(barrier, phase++);
  }
};

/// Where a lane finds what it takes of the rows of x for its stretch of a piece.
template <int width>
class TileInput {
 public:
  static constexpr int groups = (width + columns_together - 1) / columns_together;

  /// `planes`: of `rows` rows of `stretches`; `stretch`: of the first piece.
  __device__ __forceinline__ TileInput(const std::uint8_t* planes, const std::uint8_t* zeros, int stretches, int rows, int lane, int stretch) : rows_(rows) {
    const bool own = lane / 8 == lane % 4;
    row_bytes_ = activation_row_bytes(stretches);
    LECTERN_UNROLL
    for (int i = 0; i < groups; ++i) {
      // One row of x goes to both columns of a stretch.
      const int row = width == 1 ? 0 : columns_together * i + lane / 4 % 2;
      quants_[i] = own ? shared_place(planes) + skipped(row) + 16 * stretch : shared_place(zeros);
    }
    tail_ = shared_place(planes) + 32 * stretches + 8 * stretch;
    second_ = own ? 16 * stretches : 0;
    own_ = own;
  }

  /// The lane's part of both sixteens for the columns of rows columns_together * group and the next.
  __device__ __forceinline__ Words<4> first(int group) const { return load_constant<Words<4>, Kept::in_shared>(quants_[group]); }
  __device__ __forceinline__ Words<4> second(int group) const { return load_constant<Words<4>, Kept::in_shared>(quants_[group] + second_); }
  __device__ __forceinline__ ActivationTail tail(int row) const { return tail_of(load_constant<Words<2>, Kept::in_shared>(tail_ + skipped(row))); }

  __device__ __forceinline__ void advance() {
    LECTERN_UNROLL
    for (SharedPlace& quants : quants_) quants += own_ ? 16 * tile_stretches : 0;
    tail_ += 8 * tile_stretches;
  }

 private:
  /// Only of four rows the last may not be there.
  __device__ __forceinline__ int skipped(int row) const { return (width == 4 && row == 3 ? rows_ - 1 : row) * row_bytes_; }

  SharedPlace quants_[groups];
  SharedPlace tail_;
  int row_bytes_;
  int rows_;
  int second_;
  bool own_;
};

/// sums[h][r] = what the warp's stretches of a tile give of its rows lane_row() + 8 h with row r of x.
template <int width>
struct MultiplyTile {
  const DecodeWork& work;
  const DecodeTilePlaces& at;
  RingPlace ring;
  float sums[2][width];

  template <DType type>
  __device__ __forceinline__ void run() {
    constexpr int half = tile_piece(plane_shape_of<type>).half;
    const int thread = thread_number_again();
    const int lane = thread % 32;
    const int stretches = work.columns / 32;
    const int first = 4 * (thread / 32);
    const StretchPlaces<int> offsets = stretch_offsets<type>(lane_row(lane), first + lane % 4);
    TileInput<width> input(at.input, at.zeros, stretches, work.rows, lane, first + lane % 4);
    LECTERN_UNROLL
    for (auto& of_half : sums) {
      LECTERN_UNROLL
      for (float& sum : of_half) sum = 0.0F;
    }
    int left = stretches - first;
    // Few instructions again and again: to fetch many, each once, costs more than to run them.
    LECTERN_NO_UNROLL
    for (; left > 0; left -= tile_stretches) {
      wait_at(ring.full(), ring.phase);
      RawStretch raw[2];
      LECTERN_UNROLL
      for (int h = 0; h < 2; ++h) raw[h] = load_stretch<type, Kept::in_shared, Kept::in_shared>(places_in(ring.slot + h * half, offsets));
      give_back();
      // Of blocks of 256 all eight are there.
      take<type>(raw, first + lane % 4, has_heads<type> || lane % 4 < left, input);
      input.advance();
    }
    // The last piece had nothing for this warp.
    if (left + first <= 0) return;
    wait_at(ring.full(), ring.phase);
    give_back();
  }

 private:
  __device__ __forceinline__ void give_back() {
    synchronise_warp();
    if (thread_number() % 32 == 0) arrive_at(ring.free());
    ring.advance();
  }

  /// Stretch `stretch` of a piece, of both rows of weights.
  template <DType type>
  __device__ __forceinline__ void take(const RawStretch (&raw)[2], int stretch, bool there, const TileInput<width>& input) {
    int q[2][8];
    float factor[2][2];
    float offset[2][2];
    LECTERN_UNROLL
    for (int h = 0; h < 2; ++h) {
      unpack_quants<type>(raw[h], q[h]);
      unpack_scales<type>(raw[h], stretch, factor[h], offset[h]);
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
        multiply_bytes(dots[scales_by_sixteen<type> ? k / 4 : 0], a, b);
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

/// The warps that multiply.
template <int width>
__device__ __forceinline__ void multiply_tiles_of(const DecodeWork& work, const DecodeTilePlaces& at, const TileRange& tiles) {
  MultiplyTile<width> tile{work, at, RingPlace(at.ring), {}};
  LECTERN_NO_UNROLL
  for (int number = 0; number < tiles.end - tiles.begin; ++number) {
    with_quantised(work.matrices[tile_unit(work, tiles.begin + number).which].type, tile);
    const int room = number % 2;
    if (number >= 2) wait_for(at.sums.free + room, number / 2 + 1);
    leave_sums<width>(tile.sums, at.sums.values + room * multiplying_warps * tile_sums);
    synchronise_warp();
    if (thread_number() % 32 == 0) arrive(at.sums.full + room);
  }
}

#endif

/// Grid: the multiprocessors. Shared memory: decode_tile_shared_bytes.
template <int width>
__global__ LECTERN_LAUNCH_BOUNDS(decode_tile_threads, 1) void multiply_decode_tiles(const LECTERN_IN_PLACE DecodeWork work, const LECTERN_IN_PLACE TileMaps maps, DecodeTileShape shape) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const DecodeTilePlaces at = decode_tile_places(shape);
  const TileRange tiles = block_tiles(work, shape);
  TileAsker asker(work, maps, at.ring, tiles);
  const bool asks = thread_number() >= reading_threads;
  if (asks) {
    // The first pieces before anything else: each microsecond until then is one without weights.
    make_ring(at.ring);
    asker.begin();
    asker.fill(2);
  } else if (thread_number() / 32 == multiplying_warps) {
    make_the_rest(work, maps, at);
  }
  // One barrier for all: of two, in two branches, the manual says nothing.
  synchronise_block();
  let_next_begin();
  if (asks) {
    asker.fill(at.ring.count);
    wait_for_kernels_before();
    if (work.quantised != nullptr && thread_number() == reading_threads) {
      show_to_copies();
      arrive_expecting(at.input_made, shape.input_bytes);
      copy_bytes(at.input, work.quantised, shape.input_bytes, at.input_made);
    }
    synchronise_warp();
    asker.go_on();
    return;
  }
  if (work.quantised != nullptr) {
    wait_for_kernels_before();
    wait_for(at.input_made, 0);
  } else {
    ReadersMeet meet{at.input_made, 0};
    read_floats<width, reading_threads>(work, at.input, at.norm, wait_for_kernels_before, meet);
  }
  if (thread_number() / 32 < multiplying_warps) multiply_tiles_of<width>(work, at, tiles);
  else finish_tiles<width>(work, at.sums, tiles);
#else
  static_cast<void>(work);
  static_cast<void>(maps);
  static_cast<void>(shape);
#endif
}

template <int width>
void launch_decode_tiles(Stream stream, int blocks, const DecodeTileShape& shape, const DecodeWork& work) {
  launch_early(stream, multiply_decode_tiles<width>, Grid{blocks}, decode_tile_threads, decode_tile_shared_bytes(shape), work, tile_maps(work), shape);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
