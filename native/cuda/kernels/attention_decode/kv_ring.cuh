// The ring buffer of tiles of keys and values of a warp.
#pragma once

#include "cuda/kernels/common/kv_cache.cuh"
#include "cuda/kernels/attention_decode/split_kv_layout.cuh"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Tiles of keys and values alternate. All lanes of the warp call its functions.
template <class Element, int width>
class KvRing {
 public:
  /// Of `count` positions of a head, the first at `key` and `value` of the cache; the warp takes tile `warp` and every split_mma_warps'th after it.
  __device__ __forceinline__ KvRing(std::uint8_t* ring, const Cache& cache, std::size_t key, std::size_t value, int count, int warp)
      : ring_(ring), data_(static_cast<const std::uint8_t*>(cache.data)), cells_{key, value}, stride_(cache.heads * cache.head_size), count_(count), at_(warp * split_kv_tile) {
    if constexpr (sizeof(Element) == 1) scales_ = cache.scales();
  }

  /// From the first position of the warp to behind the last one that begin() loads.
  __device__ __forceinline__ static constexpr int positions_at_first() { return ((kv_ring_stages<Element> - 1) / 2 - 1) * split_mma_warps * split_kv_tile + split_kv_tile; }

  __device__ __forceinline__ void begin(int size) {
    LECTERN_UNROLL
    for (int i = 0; i < kv_ring_stages<Element> - 1; ++i) copy(i % 2, size);
  }

  /// The next tile, complete for all lanes; the tile before it is overwritten.
  __device__ __forceinline__ const std::uint8_t* next(int value, int size) {
    cp_async_wait<kv_ring_stages<Element> - 2>();
    synchronise_warp();
    // An even number of tiles in advance.
    copy(value, size);
    const std::uint8_t* const tile = ring_ + taken_ * kv_stage_bytes<Element>(size);
    taken_ = taken_ + 1 == kv_ring_stages<Element> ? 0 : taken_ + 1;
    return tile;
  }

 private:
  __device__ __forceinline__ void copy(int value, int size) {
    if (at_ < count_) {
      constexpr int chunks = width * static_cast<int>(sizeof(Element)) / 16;
      const int lane = thread_number() % 32;
      std::uint8_t* const to = ring_ + filled_ * kv_stage_bytes<Element>(size);
      const std::size_t cell = cells_[value] + static_cast<std::size_t>(at_) * static_cast<std::size_t>(stride_);
      LECTERN_UNROLL
      for (int i = 0; i < split_kv_tile * chunks / 32; ++i) {
        const int row = (lane + 32 * i) / chunks;
        const int chunk = (lane + 32 * i) % chunks;
        if (16 * chunk >= size * static_cast<int>(sizeof(Element))) continue;
        const bool wanted = at_ + row < count_;
        const std::size_t from = (cell + static_cast<std::size_t>((wanted ? row : 0) * stride_)) * sizeof(Element) + static_cast<std::size_t>(16 * chunk);
        cp_async_16(to + row * tile_pitch<Element>(size) + 16 * chunk, data_ + from, wanted);
      }
      if constexpr (sizeof(Element) == 1) {
        constexpr int words = width / 64;
        if (lane < split_kv_tile * words) {
          const bool wanted = at_ + lane / words < count_;
          const std::size_t from = (cell + static_cast<std::size_t>((wanted ? lane / words : 0) * stride_)) / 32 + static_cast<std::size_t>(lane % words * 2);
          cp_async_4(to + split_kv_tile * tile_pitch<Element>(size) + 4 * lane, scales_ + from, wanted);
        }
      }
    }
    cp_async_commit();
    filled_ = filled_ + 1 == kv_ring_stages<Element> ? 0 : filled_ + 1;
    if (value == 1) at_ += split_mma_warps * split_kv_tile;
  }

  std::uint8_t* ring_;
  const std::uint8_t* data_;
  const std::uint16_t* scales_ = nullptr;
  std::size_t cells_[2];
  int stride_;
  int count_;
  int at_;  // the first position of the next load
  int filled_ = 0;
  int taken_ = 0;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
