// How split-KV attention by the tensor cores (split_kv_mma.cuh) divides its work: heads into tiles of eight, positions into splits and tiles, shared memory into ring buffers.
#pragma once

#include <cstddef>

#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int split_mma_threads = 128;
constexpr int split_mma_warps = split_mma_threads / 32;
/// Positions of a tile.
constexpr int split_kv_tile = 16;
/// Heads of a block; where more heads share keys, more blocks read them.
constexpr int tile_heads = 8;

__host__ __device__ constexpr int head_tiles(int group) { return (group + tile_heads - 1) / tile_heads; }

/// The most splits of a row: times `units` (KV heads times their head tiles) they fill the 132 multiprocessors of a large GPU once. Every GPU splits alike.
__host__ __device__ constexpr int splits_for(int units) {
  const int partials = 132 / units;
  return partials < 1 ? 1 : partials > max_splits ? max_splits : partials;
}

/// Positions of one split of a row with `seen` positions. Combining splits takes as long as some 200 positions.
__host__ __device__ constexpr int split_mma_length(int seen, int most) {
  if (seen <= 256) return 256;
  const int even = ((seen + most - 1) / most + split_kv_tile - 1) / split_kv_tile * split_kv_tile;
  return even < 128 ? 128 : even;
}

static_assert(split_mma_length(256, 16) == 256 && split_mma_length(257, 16) == 128 && split_mma_length(8192, 16) == 512 && split_mma_length(8193, 16) * 16 >= 8193, "every position is in a part");

/// Stages of a warp's ring buffer, an odd number: while a tile of keys is used, a tile of keys is loaded.
template <class Element>
constexpr int kv_ring_stages = sizeof(Element) == 1 ? 9 : 5;

/// Rows have 16 bytes of padding beyond their size, a multiple of 32: eight of them lie in different banks.
template <class Element>
__host__ __device__ constexpr int tile_pitch(int head_size) {
  return head_size * static_cast<int>(sizeof(Element)) + 16;
}
/// A tile, followed by the scales of int8, two per word.
template <class Element>
__host__ __device__ constexpr int kv_stage_bytes(int head_size) {
  return split_kv_tile * (tile_pitch<Element>(head_size) + (sizeof(Element) == 1 ? head_size / 16 : 0));
}
template <class Element>
__host__ __device__ constexpr int kv_ring_bytes(int head_size) {
  return kv_ring_stages<Element> * kv_stage_bytes<Element>(head_size);
}
/// The result of a warp for a head, in floats.
__host__ __device__ constexpr int sums_pitch(int head_size) { return head_size + 8; }

/// The results of the warps overwrite their ring buffers; the weights of splits lie behind the largest scores and totals.
template <class Element>
constexpr std::size_t split_mma_shared_bytes(int head_size) {
  return static_cast<std::size_t>(split_mma_warps * (kv_ring_bytes<Element>(head_size) + (2 * tile_heads + max_splits) * static_cast<int>(sizeof(float))));
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
