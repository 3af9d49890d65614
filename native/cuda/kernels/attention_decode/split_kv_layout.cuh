// How attention of single rows by the tensor cores is cut up (split_kv_tiles.cuh): heads into tiles of eight, positions into parts and tiles, a block's shared memory into rings.
#pragma once

#include <cstddef>

#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int tiles_threads = 128;
constexpr int tiles_warps = tiles_threads / 32;
/// Positions of a tile.
constexpr int split_tile = 16;
/// Heads of a block; where more share keys, more blocks read these.
constexpr int tile_heads = 8;

__host__ __device__ constexpr int head_tiles(int group) { return (group + tile_heads - 1) / tile_heads; }

/// The most parts of a row: `units` (KV heads times their tiles of heads) times so many fill a large chip's multiprocessors once. Every chip splits alike.
__host__ __device__ constexpr int parts_of(int units) {
  const int parts = 132 / units;
  return parts < 1 ? 1 : parts > most_splits ? most_splits : parts;
}

/// Positions of one part of a row that sees `seen`. To put parts together takes as long as a block takes for some 200 positions.
__host__ __device__ constexpr int tiles_length(int seen, int most) {
  if (seen <= 256) return 256;
  const int even = ((seen + most - 1) / most + split_tile - 1) / split_tile * split_tile;
  return even < 128 ? 128 : even;
}

static_assert(tiles_length(256, 16) == 256 && tiles_length(257, 16) == 128 && tiles_length(8192, 16) == 512 && tiles_length(8193, 16) * 16 >= 8193, "every position is in a part");

/// Tiles of keys or values in a warp's ring: an odd number, so that what is asked for when a tile of keys is taken is one, too.
template <class Element>
constexpr int ring_slots = sizeof(Element) == 1 ? 9 : 5;

/// Rows lie 16 bytes apart beyond their size, a multiple of 32: eight of them meet different banks.
template <class Element>
__host__ __device__ constexpr int tile_pitch(int head_size) {
  return head_size * static_cast<int>(sizeof(Element)) + 16;
}
/// A tile, and behind it the scales of bytes, two a word.
template <class Element>
__host__ __device__ constexpr int tile_slot_bytes(int head_size) {
  return split_tile * (tile_pitch<Element>(head_size) + (sizeof(Element) == 1 ? head_size / 16 : 0));
}
template <class Element>
__host__ __device__ constexpr int ring_bytes(int head_size) {
  return ring_slots<Element> * tile_slot_bytes<Element>(head_size);
}
/// Of what a warp leaves of a head, in floats.
__host__ __device__ constexpr int sums_pitch(int head_size) { return head_size + 8; }

/// What the warps leave takes the place of their rings; weights of parts lie behind the largest scores and totals.
template <class Element>
constexpr std::size_t split_tiles_bytes(int head_size) {
  return static_cast<std::size_t>(tiles_warps * (ring_bytes<Element>(head_size) + (2 * tile_heads + most_splits) * static_cast<int>(sizeof(float))));
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
