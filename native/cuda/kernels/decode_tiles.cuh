// Products of quantised weights with one to four rows by the tensor cores: decode_product.cuh for chips that copy by themselves, with three quarters of its
// instructions for two rows. The last bits are others.
//
// A block's warps multiply 16 weight rows together (tile_units.cuh), a piece of them at a time (tile_pieces.cuh), each warp eight stretches of it. In a warp lane
// 4 g + t unpacks stretches t and then t + 4 of rows g and g + 8, as every kernel does, and gives them to the tensor cores as they are, although four stretches
// with scales of their own stand side by side in such a matrix: the columns on the other side are rows of x of which all but one stretch are zeros. So column
// 2 t + r has the sums of stretch t alone, of row r of x; they come out in the lane that has the stretch's scales. One row of x stands in both columns.
//
// Some warps ask for pieces, and one ends what has been summed (tile_sums.cuh): the others never wait for what they do not need. A sum's order is its columns'
// alone.
#pragma once

#include "cuda/kernels/decode_input.cuh"
#include "cuda/kernels/decode_rows.cuh"
#include "cuda/kernels/tile_pieces.cuh"
#include "cuda/kernels/tile_sums.cuh"
#include "cuda/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// A block's shared memory, as decode_tile_shared_bytes() counts it.
struct DecodeTilePlaces {
  TileRing ring;
  std::uint8_t* input;
  TileSums sums;
  float* norm;
  std::uint8_t* zeros;
  CopyBarrier* input_made;
};

__device__ __forceinline__ DecodeTilePlaces decode_tile_places(const DecodeTileShape& shape) {
  DecodeTilePlaces at;
  std::uint8_t* const slots = dynamic_shared();
  at.input = slots + shape.slots * shape.slot_bytes;
  at.sums.values = reinterpret_cast<float*>(at.input + shape.input_bytes);
  at.sums.gathered = at.sums.values + 2 * multiplying_warps * tile_sums;
  at.norm = at.sums.gathered + 32 * most_decode_rows;
  at.zeros = reinterpret_cast<std::uint8_t*>(at.norm + 32 * most_decode_rows);
  at.sums.full = reinterpret_cast<CopyBarrier*>(at.zeros + zero_bytes);
  at.sums.free = at.sums.full + 2;
  at.input_made = at.sums.free + 2;
  at.ring = {slots, at.input_made + 1, at.input_made + 1 + shape.slots, shape.slots, shape.slot_bytes};
  return at;
}

/// By one thread, before the block's barrier.
__device__ __forceinline__ void make_barriers(const DecodeTilePlaces& at) {
  for (int i = 0; i < at.ring.count; ++i) {
    init_barrier(at.ring.full + i, asking_warps);
    init_barrier(at.ring.free + i, multiplying_warps);
  }
  for (int i = 0; i < 2; ++i) {
    init_barrier(at.sums.full + i, multiplying_warps);
    init_barrier(at.sums.free + i, 1);
  }
  init_barrier(at.input_made, reading_threads / 32);
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

/// sums[h][r] = what the warp's stretches of a tile give of its rows g + 8 h with row r of x.
template <int width>
struct MultiplyTile {
  const TileRing& ring;
  RingPlace place;
  const std::uint8_t* x;
  const std::uint8_t* zeros;
  int stretches;
  int rows;
  float sums[2][width];

  template <DType type>
  __device__ __forceinline__ void run() {
    constexpr PlaneShape shape = plane_shape_of<type>;
    constexpr PlaneOffsets planes = plane_offsets(shape, tile_stretches);
    const int lane = thread_number() % 32;
    const int own = 8 * (thread_number() / 32) + lane % 4;
    const std::uint8_t* const rows_at = ring.slots + lane / 4 * piece_pitch(shape);
    LECTERN_UNROLL
    for (auto& of_half : sums) {
      LECTERN_UNROLL
      for (float& sum : of_half) sum = 0.0F;
    }
    LECTERN_NO_UNROLL
    for (int begin = own; begin - own < stretches; begin += tile_stretches) {
      wait_for(ring.full + place.slot, place.phase);
      const std::uint8_t* const row = rows_at + place.slot * ring.slot_bytes;
      if (begin - lane % 4 >= stretches) {
        if (lane == 0) arrive(ring.free + place.slot);
      } else {
        // Few instructions again and again: to fetch many, each once, costs more than to run them.
        LECTERN_NO_UNROLL
        for (int e = 0; e < 8; e += 4) {
          RawStretch raw[2];
          LECTERN_UNROLL
          for (int h = 0; h < 2; ++h) raw[h] = load_stretch<type, Kept::in_shared, Kept::in_shared>(row + 8 * h * piece_pitch(shape), planes, own + e);
          if (e > 0) {
            synchronise_warp();
            if (lane == 0) arrive(ring.free + place.slot);
          }
          take<type>(raw, begin + e);
        }
      }
      place.advance(ring.count);
    }
  }

 private:
  __device__ __forceinline__ const std::uint8_t* row_of_x(int row) const { return x + (width == 1 ? 0 : min_of(row, rows - 1)) * activation_row_bytes(stretches); }

  /// Stretch `stretch` of both rows of weights.
  template <DType type>
  __device__ __forceinline__ void take(const RawStretch (&raw)[2], int stretch) {
    const int lane = thread_number() % 32;
    const bool own = lane / 8 == lane % 4;
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
      // One row of x goes to both columns of a stretch.
      const std::uint8_t* const from = row_of_x(width == 1 ? 0 : r + lane / 4 % 2) + 16 * stretch;
      const auto first = *reinterpret_cast<const Words<4>*>(own ? from : zeros);
      const auto second = *reinterpret_cast<const Words<4>*>(own ? from + 16 * stretches : zeros);
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
        const ActivationTail tail = tail_at(row_of_x(r + c) + 32 * stretches + 8 * stretch);
        LECTERN_UNROLL
        for (int h = 0; h < 2; ++h) {
          const int dot[2] = {dots[0][2 * h + c] - zero_of<type> * tail.sums[0], dots[1][2 * h + c] - zero_of<type> * tail.sums[1]};
          const float sum = fmaf(tail.scale, scaled_dots<type>(dot, tail.sums, factor[h], offset[h]), sums[h][r + c]);
          // Of blocks of 256 all eight are there.
          if (has_heads<type> || stretch < stretches) sums[h][r + c] = sum;
        }
      }
    }
  }
};

/// The warps that multiply.
template <int width>
__device__ __forceinline__ void multiply_tiles_of(const DecodeWork& work, const DecodeTilePlaces& at, const TileRange& tiles) {
  MultiplyTile<width> tile{at.ring, {}, at.input, at.zeros, work.columns / 32, work.rows, {}};
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
__global__ LECTERN_LAUNCH_BOUNDS(decode_tile_threads, 1) void multiply_decode_tiles(const LECTERN_IN_PLACE DecodeWork work, DecodeTileShape shape) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  const DecodeTilePlaces at = decode_tile_places(shape);
  const TileRange tiles = block_tiles(work);
  if (thread_number() == reading_threads) make_barriers(at);
  for (int i = thread_number(); i < zero_bytes / 4; i += decode_tile_threads) reinterpret_cast<std::uint32_t*>(at.zeros)[i] = 0;
  synchronise_block();
  let_next_begin();
  if (thread_number() >= reading_threads) {
    AskedTiles asked = ask_for_first(work, at.ring, tiles);
    wait_for_kernels_before();
    ask_for_the_rest(work, at.ring, asked);
    return;
  }
  read_input<width, reading_threads>(work, at.input, at.norm, wait_for_kernels_before, ReadersMeet{at.input_made, 0});
  if (thread_number() / 32 < multiplying_warps) multiply_tiles_of<width>(work, at, tiles);
  else finish_tiles<width>(work, at.sums, tiles);
#else
  static_cast<void>(work);
  static_cast<void>(shape);
#endif
}

template <int width>
void launch_decode_tiles(Stream stream, int blocks, const DecodeTileShape& shape, const DecodeWork& work) {
  launch_early(stream, multiply_decode_tiles<width>, Grid{blocks}, decode_tile_threads, decode_tile_shared_bytes(shape), work, shape);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
