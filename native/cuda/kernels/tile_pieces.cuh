// Pieces of 16 weight rows on their way to a block: what lies between two stretches of each of a row's planes, so that rows of any length go through slots
// of one size, and in its slot a piece's row looks like a row of its own. The device copies them by itself (async_copies.h, compute capability 9.0). Asking is
// work: a copy's address, place and size go through registers of the warp, lane after lane, some 40 clocks each, and a piece has 32 copies or more. So
// several warps ask, each for some of the rows, as often as the warps that multiply have given a slot back.
#pragma once

#include "cuda/async_copies.h"
#include "cuda/kernels/decode_input.cuh"
#include "cuda/kernels/planes.cuh"
#include "cuda/kernels/tile_units.cuh"
#include "cuda/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Of a piece.
constexpr int tile_stretches = 8 * multiplying_warps;

/// From one row of a piece to the next: odd multiples of 64, so that eight lanes which read 16 bytes of four stretches of two rows meet no bank twice.
__host__ __device__ constexpr int piece_pitch(PlaneShape shape) {
  const int bytes = plane_offsets(shape, tile_stretches).end;
  return bytes + (64 + 128 - bytes % 128) % 128;
}

/// Of a slot for pieces of rows of this type.
constexpr int tile_slot_bytes(DType type) { return decode_tile_rows * piece_pitch(plane_shape(type)); }

/// Slots of a block. `full`: the bytes that each asking warp asked for are there; `free`: each warp that multiplies has read its share. One of each for a slot.
struct TileRing {
  std::uint8_t* slots;
  CopyBarrier* full;
  CopyBarrier* free;
  int count;
  int slot_bytes;
};

/// Which slot is the next of a ring, and in which phase its barriers are.
struct RingPlace {
  int slot = 0;
  int phase = 0;

  __device__ __forceinline__ void advance(int count) {
    if (++slot < count) return;
    slot = 0;
    phase ^= 1;
  }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/// By one of the asking warps: asks for its rows' part of the piece of rows of `stretches` that begins with stretch `begin`.
struct AskForTilePiece {
  const std::uint8_t* row;  // of lane l that with number l; null: not of this warp
  int rows;                 // of this warp
  int stretches;
  int begin;
  std::uint8_t* slot;
  CopyBarrier* full;

  template <DType type>
  __device__ __forceinline__ void run() {
    constexpr PlaneShape shape = plane_shape_of<type>;
    constexpr PlaneOffsets to = plane_offsets(shape, tile_stretches);
    const PlaneOffsets from = plane_offsets(shape, stretches);
    const int lane = thread_number() % 32;
    const PieceBytes bytes = piece_bytes(shape, stretches - begin < tile_stretches ? stretches - begin : tile_stretches);
    if (lane == 0) arrive_expecting(full, rows * bytes.all());
    synchronise_warp();
    if (row == nullptr) return;
    std::uint8_t* const place = slot + lane * piece_pitch(shape);
    copy_bytes(place, row + shape.low * begin, bytes.low, full);
    if constexpr (shape.second > 0) copy_bytes(place + to.second, row + from.second + shape.second * begin, bytes.second, full);
    if constexpr (shape.high > 0) copy_bytes(place + to.high, row + from.high + shape.high * begin, bytes.high, full);
    if constexpr (shape.scale > 0) copy_bytes(place + to.scale, row + from.scale + shape.scale * begin, bytes.scale, full);
    if constexpr (shape.head > 0) copy_bytes(place + to.head, row + from.head + shape.head * (begin / 8), bytes.head, full);
  }
};

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

#endif

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
