// The KV cache as kernels access it, and the parameters of RoPE and head norms.
#pragma once

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

enum class CacheType { floats, halves, bytes };

/// The KV cache: (layer, slot, key or value, position, head, element). For int8 each 32 elements of a head have an f16 scale;
/// all scales lie behind all elements, in the same order.
struct Cache {
  void* data;
  CacheType type;
  int layers;
  int slots;
  int positions;
  int heads;
  int head_size;

  __device__ __forceinline__ std::size_t at(int layer, int slot, int value, int position, int head) const {
    const std::size_t sequence = (static_cast<std::size_t>(layer) * static_cast<std::size_t>(slots) + static_cast<std::size_t>(slot)) * 2 + static_cast<std::size_t>(value);
    return ((sequence * static_cast<std::size_t>(positions) + static_cast<std::size_t>(position)) * static_cast<std::size_t>(heads) + static_cast<std::size_t>(head)) *
           static_cast<std::size_t>(head_size);
  }
  __host__ __device__ __forceinline__ std::size_t elements() const {
    return static_cast<std::size_t>(layers) * static_cast<std::size_t>(slots) * 2 * static_cast<std::size_t>(positions) * static_cast<std::size_t>(heads) * static_cast<std::size_t>(head_size);
  }
  /// For int8: the scales, one for each 32 elements.
  __host__ __device__ __forceinline__ std::uint16_t* scales() const { return reinterpret_cast<std::uint16_t*>(static_cast<std::int8_t*>(data) + elements()); }
  __device__ __forceinline__ float get(std::size_t index) const {
    if (type == CacheType::halves) return half_to_float(static_cast<const std::uint16_t*>(data)[index]);
    if (type == CacheType::floats) return static_cast<const float*>(data)[index];
    return half_to_float(scales()[index / 32]) * static_cast<float>(static_cast<const std::int8_t*>(data)[index]);
  }
  /// Called by all lanes of a warp: stores a head at `index`.
  __device__ __forceinline__ void put_head(std::size_t index, const float* head) const {
    const int lane = thread_number() % 32;
    if (type == CacheType::bytes) {
      for (int i = lane; i < head_size / 32; i += 32) put_bytes(index + static_cast<std::size_t>(32 * i), head + 32 * i);
      return;
    }
    for (int i = lane; i < head_size; i += 32) {
      if (type == CacheType::halves) static_cast<std::uint16_t*>(data)[index + static_cast<std::size_t>(i)] = float_to_half(head[i]);
      else static_cast<float*>(data)[index + static_cast<std::size_t>(i)] = head[i];
    }
  }
  /// Called by one thread: quantises 32 elements. The largest becomes 127 times the scale as it is stored, rounded to f16.
  __device__ __forceinline__ void put_bytes(std::size_t index, const float* x) const {
    float largest = 0.0F;
    float probe = 0.0F;  // a NaN must reach the result: fmaxf skips it
    for (int i = 0; i < 32; ++i) {
      largest = fmaxf(largest, fabsf(x[i]));
      probe += x[i] * 0.0F;
    }
    const std::uint16_t scale = float_to_half(largest / 127.0F);
    const float kept = half_to_float(scale);
    const float inverse = kept > 0.0F ? 1.0F / kept : 0.0F;
    for (int i = 0; i < 32; ++i) {
      const float q = fminf(fmaxf(x[i] * inverse, -127.0F), 127.0F);
      static_cast<std::int8_t*>(data)[index + static_cast<std::size_t>(i)] = static_cast<std::int8_t>(round_to_int(q));
    }
    scales()[index / 32] = probe == probe ? scale : std::uint16_t{0x7E00};
  }
};

/// The parameters of finish_heads() and of the GEMV epilogue `qkv`.
struct HeadParams {
  const float* query_norm;  // (head_size) or null
  const float* key_norm;
  float epsilon;
  int query_heads;
  int pairs;  // of RoPE; 0: none
  bool adjacent;
  const float* cosines;
  const float* sines;
  const int* slots;      // of the rows of the batch
  const int* cells;
  int first_row;  // of the batch
  int layer;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
