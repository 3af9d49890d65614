// Pieces of 16 weight rows on their way to a block: what lies between two stretches of each of a row's planes, so that rows of any length go through slots
// of one size. The device copies them by itself, a box of eight rows of a plane at a time (async_copies.h, compute capability 9.0), so that asking costs a
// handful of instructions a box, by one lane each of one warp. A slot has the eight rows of a tile's first half, plane by plane, then those of the second.
#pragma once

#include "cuda/simt/async_copies.h"
#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/kernels/gemv/mma_tiles.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// A plane of eight rows' piece: lines of 128 bytes, or shorter ones where a row has less.
struct TilePlane {
  int line;   // bytes
  int lines;  // of a row; 0: no such plane
  int at;     // bytes from where the eight rows begin
};

constexpr int plane_count = 5;

/// Bytes on their way to a block that keep the memory busy: 4.5 TB/s are 34 KB a microsecond for each of 132 blocks.
constexpr int most_asked = 48 << 10;

struct TilePiece {
  TilePlane planes[plane_count];  // in the order of PlaneShape
  int half;                       // bytes of eight rows' room
  int copied;                     // bytes of eight rows that copies bring
};

/// Whole lines come first: only heads are less.
__host__ __device__ constexpr TilePiece tile_piece(PlaneShape shape) {
  TilePiece piece{};
  const PieceBytes all = piece_bytes(shape, tile_stretches);
  const int bytes[plane_count] = {all.low, all.second, all.high, all.scale, all.head};
  for (int i = 0; i < plane_count; ++i) {
    const int line = bytes[i] < line_bytes ? bytes[i] : line_bytes;
    piece.planes[i] = {line, line == 0 ? 0 : bytes[i] / line, piece.copied};
    piece.copied += bytes[i] * lines_rows;
  }
  piece.half = (piece.copied + slot_alignment - 1) / slot_alignment * slot_alignment;
  return piece;
}

/// Of a slot for pieces of rows of this type.
constexpr int tile_slot_bytes(DType type) { return 2 * tile_piece(plane_shape(type)).half; }

/// How pieces of a product's matrices are asked for, those of each in the order of its planes.
struct TileMaps {
  LineMap maps[3][plane_count];
  TilePiece pieces[3];
};

/// Throws what make_line_map() does.
inline TileMaps tile_maps(const DecodeWork& work) {
  TileMaps maps{};
  for (int which = 0; which < 3; ++which) {
    const DecodeMatrix& matrix = work.matrices[which];
    if (matrix.rows == 0) continue;
    const PlaneShape shape = plane_shape(matrix.type);
    const int stretches = work.columns / 32;
    const PlaneOffsets offsets = plane_offsets(shape, stretches);
    const int at[plane_count] = {0, offsets.second, offsets.high, offsets.scale, offsets.head};
    const PieceBytes all = piece_bytes(shape, stretches);
    const int bytes[plane_count] = {all.low, all.second, all.high, all.scale, all.head};
    maps.pieces[which] = tile_piece(shape);
    for (int i = 0; i < plane_count; ++i) {
      const TilePlane& plane = maps.pieces[which].planes[i];
      // Without a plane there is the first one's again: all are maps.
      maps.maps[which][i] = maps.maps[which][0];
      if (plane.lines > 0) maps.maps[which][i] = make_line_map(matrix.weights + at[i], static_cast<std::size_t>(matrix.pitch), matrix.rows, plane.line, (bytes[i] + plane.line - 1) / plane.line, plane.lines);
    }
  }
  return maps;
}

/// Of a slot. `full`: what was asked for is there; `free`: each warp that multiplies has read its share.
struct SlotBarriers {
  CopyBarrier full;
  CopyBarrier free;
};

/// The slots of a block.
struct PieceRing {
  std::uint8_t* slots;
  SlotBarriers* barriers;  // of each slot
  int count;
  int slot_bytes;
  int ahead;  // that are asked for at a time at first
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// The slot of a ring that comes next, and in which phase its barriers are.
class RingPlace {
 public:
  __device__ __forceinline__ explicit RingPlace(const PieceRing& ring) : slot(shared_place(ring.slots)), barriers_(shared_place(ring.barriers)), bytes_(ring.slot_bytes), count_(ring.count), left_(ring.count) {}

  __device__ __forceinline__ SharedPlace full() const { return barriers_; }
  __device__ __forceinline__ SharedPlace free() const { return barriers_ + sizeof(CopyBarrier); }

  __device__ __forceinline__ void advance() {
    slot += bytes_;
    barriers_ += sizeof(SlotBarriers);
    if (--left_ > 0) return;
    left_ = count_;
    slot -= count_ * bytes_;
    barriers_ -= count_ * static_cast<int>(sizeof(SlotBarriers));
    phase ^= 1;
  }

  SharedPlace slot;
  int phase = 0;

 private:
  SharedPlace barriers_;
  int bytes_;
  int count_;
  int left_;
};

/// Where the parts of stretch `stretch` of row `row` of a piece's first half lie, in bytes from the slot's beginning on.
template <DType type>
__device__ __forceinline__ StretchPlaces<int> stretch_offsets(int row, int stretch) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  constexpr TilePiece piece = tile_piece(shape);
  const int bytes[plane_count] = {shape.low * stretch, shape.second * stretch, shape.high * stretch, shape.scale * stretch, shape.head * (stretch / 8)};
  int at[plane_count];
  LECTERN_UNROLL
  for (int i = 0; i < plane_count; ++i) {
    const TilePlane plane = piece.planes[i];
    const bool whole = plane.line == line_bytes;
    at[i] = plane.at + (whole ? bytes[i] / line_bytes * lines_rows * line_bytes + row * line_bytes + (bytes[i] % line_bytes ^ row << 4) : row * plane.line + bytes[i]);
  }
  return {at[0], at[1], at[2], at[3], at[4]};
}

__device__ __forceinline__ StretchPlaces<SharedPlace> places_in(SharedPlace slot, const StretchPlaces<int>& offsets) {
  return {slot + offsets.low, slot + offsets.second, slot + offsets.high, slot + offsets.scale, slot + offsets.head};
}

/// Asks for the pieces of a block's tiles, in their order; by a warp, each lane for one plane of one half. What a lane asks for stays in its registers: to read it anew would
/// cost a piece more than the copies do.
class TileAsker {
 public:
  __device__ __forceinline__ TileAsker(const DecodeWork& work, const TileMaps& maps, const PieceRing& ring, const TileRange& tiles) : work_(work), maps_(maps), ring_(ring), tiles_(tiles) {}

  /// Before the others.
  __device__ __forceinline__ void begin() { begin_tile(); }

  /// The first `slots` are filled, as far as there are pieces. Not faster than memory: the rows of x, which the others wait for, would come behind what was asked for before.
  __device__ __forceinline__ void fill(int slots) {
    LECTERN_NO_UNROLL
    while (asked_ < slots && tiles_.begin < tiles_.end) {
      if (asked_ >= ring_.ahead) wait_for(&ring_.barriers[asked_ - ring_.ahead].full, 0);
      ask();
      ++asked_;
    }
  }

  /// Then each slot again when it is free.
  __device__ __forceinline__ void go_on() {
    LECTERN_NO_UNROLL
    while (tiles_.begin < tiles_.end) {
      wait_for(&ring_.barriers[slot_].free, phase_ ^ 1);
      ask();
    }
  }

 private:
  __device__ __forceinline__ void begin_tile() {
    if (tiles_.begin >= tiles_.end) return;
    const int lane = thread_number() % 32;
    const int half = lane / plane_count;
    const TileUnit tile = tile_unit(work_, tiles_.begin);
    const TilePiece& piece = maps_.pieces[tile.which];
    const TilePlane& plane = piece.planes[lane % plane_count];
    asks_ = half < 2 && plane.lines > 0;
    if (!asks_) return;
    lines_ = plane.lines;
    at_ = half * piece.half + plane.at;
    copied_ = 2 * piece.copied;
    map_ = &maps_.maps[work_.then == Then::gated ? half : tile.which][lane % plane_count];
    line_ = 0;
    row_ = tile_row(work_, tile, lines_rows * half);
  }

  __device__ __forceinline__ void ask() {
    CopyBarrier* const full = &ring_.barriers[slot_].full;
    // Every type has a first plane.
    if (thread_number() % 32 == 0) arrive_expecting(full, copied_);
    synchronise_warp();
    if (asks_) copy_lines(ring_.slots + slot_ * ring_.slot_bytes + at_, *map_, line_, row_, full);
    line_ += lines_;
    if (++slot_ == ring_.count) {
      slot_ = 0;
      phase_ ^= 1;
    }
    begin_ += tile_stretches;
    if (begin_ < work_.columns / 32) return;
    begin_ = 0;
    ++tiles_.begin;
    begin_tile();
  }

  const DecodeWork& work_;
  const TileMaps& maps_;
  const PieceRing& ring_;
  TileRange tiles_;  // that are left
  int begin_ = 0;    // the first stretch of the next piece
  int asked_ = 0;    // before slots are used again
  int slot_ = 0;
  int phase_ = 0;
  // Of the lane.
  bool asks_ = false;
  const LineMap* map_ = nullptr;
  int at_ = 0;
  int lines_ = 0;
  int line_ = 0;
  int row_ = 0;
  int copied_ = 0;
};

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
