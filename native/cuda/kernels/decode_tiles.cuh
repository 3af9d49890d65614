// Products of quantised weights with one to four rows by the tensor cores: decode_product.cuh for chips that copy by themselves, with a third of its
// instructions for two rows. The last bits are others.
//
// A block's warps multiply 16 weight rows together, a piece of them at a time (tile_pieces.cuh), each warp twice eight stretches of it. In a warp lane 4 g + t
// unpacks stretches t and t + 4 of rows g and g + 8, as every kernel does, and gives them to the tensor cores as they are, although four stretches with scales
// of their own stand side by side in such a matrix: the columns on the other side are rows of x of which all but one stretch are zeros. So column 2 t + r
// has the sums of stretch t alone, of row r of x or, where there is one row, of no use for one r; they come out in the lane that has the stretch's scales.
//
// Some warps ask for pieces, and one ends what has been summed: the others never wait for what they do not need. A sum's order is its columns' alone.
#pragma once

#include "cuda/kernels/decode_input.cuh"
#include "cuda/kernels/decode_rows.cuh"
#include "cuda/kernels/tile_pieces.cuh"
#include "cuda/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Rows of x whose sums the tensor cores make together.
constexpr int columns_together = 2;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// What the warps that multiply have summed of a tile: as much room for the next while one is ended.
struct TileSums {
  float* values;      // two of (multiplying_warps, most_decode_rows, decode_tile_rows)
  CopyBarrier* full;  // two: by all warps that multiply
  CopyBarrier* free;  // two: has been read
};
constexpr int tile_sums = most_decode_rows * decode_tile_rows;

/// A block's shared memory, as decode_tile_shared_bytes() counts it.
struct DecodeTilePlaces {
  TileRing ring;
  std::uint8_t* input;
  TileSums sums;
  float* gathered;  // (most_decode_rows, 32)
  float* norm;
  std::uint8_t* zeros;
  CopyBarrier* input_made;
};

__device__ __forceinline__ DecodeTilePlaces decode_tile_places(const DecodeTileShape& shape) {
  DecodeTilePlaces at;
  std::uint8_t* const slots = dynamic_shared();
  at.input = slots + shape.slots * shape.slot_bytes;
  at.sums.values = reinterpret_cast<float*>(at.input + shape.input_bytes);
  at.gathered = at.sums.values + 2 * multiplying_warps * tile_sums;
  at.norm = at.gathered + 32 * most_decode_rows;
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

/// Tiles of a matrix; of gated products of both together.
__device__ __forceinline__ int tiles_of(const DecodeWork& work, const DecodeMatrix& matrix) {
  const int rows = work.then == Then::gated ? decode_tile_rows / 2 : decode_tile_rows;
  return (matrix.rows + rows - 1) / rows;
}

/// The matrix that a tile's rows are of, of a gated product the first, and the tile's number among its own.
struct TileUnit {
  int which;
  int number;
};

__device__ __forceinline__ TileUnit tile_unit(const DecodeWork& work, int unit) {
  TileUnit tile{0, unit};
  if (work.then != Then::heads) return tile;
  while (tile.which < 2 && tile.number >= tiles_of(work, work.matrices[tile.which])) tile.number -= tiles_of(work, work.matrices[tile.which++]);
  return tile;
}

/// Row `i` of a tile in its matrix; may be beyond the end. What belongs together, of heads the two of a pair and of gated products those of both matrices, is
/// eight rows apart.
__device__ __forceinline__ int tile_row(const DecodeWork& work, const TileUnit& tile, int i) {
  constexpr int half = decode_tile_rows / 2;
  if (work.then == Then::gated) return half * tile.number + i % half;
  if (work.then != Then::heads) return decode_tile_rows * tile.number + i;
  const RowGroup<2> pair = pairs_of_head<2>(half * tile.number + i % half, work.cache.head_size, tile.which < 2 ? work.heads.pairs : 0, work.heads.adjacent);
  return i < half ? pair.rows[0] : pair.rows[1];
}

/// The block's tiles, no two blocks further apart than one; of gated products as many together as make a stretch of outputs.
struct TileRange {
  int begin;
  int end;
};

constexpr int gated_tiles = 32 / (decode_tile_rows / 2);

__device__ __forceinline__ TileRange block_tiles(const DecodeWork& work) {
  int units = tiles_of(work, work.matrices[0]);
  if (work.then == Then::heads) units += tiles_of(work, work.matrices[1]) + tiles_of(work, work.matrices[2]);
  const int together = work.then == Then::gated ? gated_tiles : 1;
  units /= together;
  return {together * static_cast<int>(static_cast<long long>(units) * block_x() / grid_x()), together * static_cast<int>(static_cast<long long>(units) * (block_x() + 1) / grid_x())};
}

/// What an asking warp asks for next.
struct AskedTiles {
  TileRange tiles;  // that are left
  DType type;
  AskForTilePiece piece;
  RingPlace place;
};

__device__ __forceinline__ int asking_warp() { return (thread_number() - reading_threads) / 32; }

__device__ __forceinline__ void ask_for_tile(const DecodeWork& work, AskedTiles& asked) {
  if (asked.tiles.begin >= asked.tiles.end) return;
  const int i = thread_number() % 32;
  const TileUnit tile = tile_unit(work, asked.tiles.begin);
  const DecodeMatrix& matrix = work.matrices[work.then == Then::gated && i >= decode_tile_rows / 2 ? 1 : tile.which];
  asked.type = work.matrices[tile.which].type;
  asked.piece.row = i >= decode_tile_rows || i % asking_warps != asking_warp() ? nullptr : matrix.weights + static_cast<std::size_t>(min_of(tile_row(work, tile, i), matrix.rows - 1)) * static_cast<std::size_t>(matrix.pitch);
  asked.piece.begin = 0;
}

__device__ __forceinline__ void ask_for_tile_piece(const DecodeWork& work, const TileRing& ring, AskedTiles& asked) {
  asked.piece.slot = ring.slots + asked.place.slot * ring.slot_bytes;
  asked.piece.full = ring.full + asked.place.slot;
  with_quantised(asked.type, asked.piece);
  asked.place.advance(ring.count);
  asked.piece.begin += tile_stretches;
  if (asked.piece.begin < asked.piece.stretches) return;
  ++asked.tiles.begin;
  ask_for_tile(work, asked);
}

/// Fills the ring, as far as there are pieces.
__device__ __forceinline__ AskedTiles ask_for_first(const DecodeWork& work, const TileRing& ring, const TileRange& tiles) {
  AskedTiles asked{};
  asked.tiles = tiles;
  asked.piece.rows = (decode_tile_rows - asking_warp() + asking_warps - 1) / asking_warps;
  asked.piece.stretches = work.columns / 32;
  ask_for_tile(work, asked);
  LECTERN_NO_UNROLL
  for (int slot = 0; slot < ring.count && asked.tiles.begin < asked.tiles.end; ++slot) ask_for_tile_piece(work, ring, asked);
  return asked;
}

/// Then each slot again when it is free.
__device__ __forceinline__ void ask_for_the_rest(const DecodeWork& work, const TileRing& ring, AskedTiles& asked) {
  LECTERN_NO_UNROLL
  while (asked.tiles.begin < asked.tiles.end) {
    wait_for(ring.free + asked.place.slot, asked.place.phase ^ 1);
    ask_for_tile_piece(work, ring, asked);
  }
}

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

/// By a warp that multiplies: what its lanes have summed goes to where the tile is ended. Lanes of one row are added by a tree, whatever else is.
template <int width>
__device__ __forceinline__ void leave_sums(const float (&sums)[2][width], float* values) {
  const int lane = thread_number() % 32;
  const bool second_half = lane % 2 != 0;
  const bool second_row = lane / 2 % 2 != 0;
  float* const to = values + (thread_number() / 32 * tile_sums) + lane / 4 + (second_half ? decode_tile_rows / 2 : 0);
  float of_half[width];
  LECTERN_UNROLL
  for (int r = 0; r < width; ++r) of_half[r] = (second_half ? sums[1][r] : sums[0][r]) + shuffle_xor(second_half ? sums[0][r] : sums[1][r], 1);
  if constexpr (width == 1) {
    const float sum = of_half[0] + shuffle_xor(of_half[0], 2);
    if (!second_row) to[0] = sum;
  } else {
    LECTERN_UNROLL
    for (int r = 0; r < width; r += 2) to[decode_tile_rows * (r + (second_row ? 1 : 0))] = (second_row ? of_half[r + 1] : of_half[r]) + shuffle_xor(second_row ? of_half[r] : of_half[r + 1], 2);
  }
}

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

/// What a tile's sums become; lane l has that of tile row l % 16 for rows l / 16 and l / 16 + 2 of x.
__device__ __forceinline__ void finish_tile(const DecodeWork& work, const DecodeTilePlaces& at, int unit, int row, float sum, float before) {
  constexpr int half = decode_tile_rows / 2;
  const int i = thread_number() % decode_tile_rows;
  const float other = shuffle_xor(sum, half);
  if (row >= work.rows) return;
  const TileUnit tile = tile_unit(work, unit);
  if (work.then == Then::gated) {
    if (i < half) at.gathered[32 * row + half * (tile.number % gated_tiles) + i] = gated_value(sum, other);
    return;
  }
  const int own = tile_row(work, tile, i);
  if (work.then == Then::heads) {
    if (i < half) finish_head_rows<2>(work, tile.which, {{own, tile_row(work, tile, i + half)}}, row, {sum, other});
    return;
  }
  const DecodeMatrix& matrix = work.matrices[0];
  if (own >= matrix.rows) return;
  const float value = matrix.bias == nullptr ? sum : sum + matrix.bias[own];
  work.y[static_cast<std::size_t>(row) * static_cast<std::size_t>(matrix.rows) + static_cast<std::size_t>(own)] = work.then == Then::add ? before + value : value;
}

/// The warp that ends tiles.
template <int width>
__device__ __forceinline__ void finish_tiles(const DecodeWork& work, const DecodeTilePlaces& at, const TileRange& tiles) {
  constexpr int turns = width > columns_together ? 2 : 1;
  const int lane = thread_number() % 32;
  LECTERN_NO_UNROLL
  for (int number = 0; number < tiles.end - tiles.begin; ++number) {
    const int unit = tiles.begin + number;
    float before[turns];
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      const int row = lane / decode_tile_rows + 2 * turn;
      const int own = decode_tile_rows * unit + lane % decode_tile_rows;
      before[turn] = 0.0F;
      if (work.then == Then::add && row < work.rows && own < work.matrices[0].rows) {
        before[turn] = load_one_of_others(work.y + static_cast<std::size_t>(row) * static_cast<std::size_t>(work.matrices[0].rows) + static_cast<std::size_t>(own));
      }
    }
    const int room = number % 2;
    wait_for(at.sums.full + room, number / 2);
    float sums[turns];
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      const float* const from = at.sums.values + room * multiplying_warps * tile_sums + 32 * turn + lane;
      float some[multiplying_warps];
      LECTERN_UNROLL
      for (int warp = 0; warp < multiplying_warps; ++warp) some[warp] = from[warp * tile_sums];
      LECTERN_UNROLL
      for (int step = 1; step < multiplying_warps; step *= 2) {
        LECTERN_UNROLL
        for (int warp = 0; warp < multiplying_warps; warp += 2 * step) some[warp] += some[warp + step];
      }
      sums[turn] = some[0];
    }
    synchronise_warp();
    if (lane == 0) arrive(at.sums.free + room);
    LECTERN_UNROLL
    for (int turn = 0; turn < turns; ++turn) finish_tile(work, at, unit, lane / decode_tile_rows + 2 * turn, sums[turn], before[turn]);
    if (work.then != Then::gated || (unit + 1) % gated_tiles != 0) continue;
    synchronise_warp();
    for (int row = 0; row < work.rows; ++row) write_gated(work, row, unit / gated_tiles, at.gathered + 32 * row);
    synchronise_warp();
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
  else finish_tiles<width>(work, at, tiles);
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
