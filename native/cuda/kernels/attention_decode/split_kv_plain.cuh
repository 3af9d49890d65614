// Split-KV attention of decode rows without tensor cores, for every type and head size that split_kv_mma.cuh does not handle. The positions of a row are split over
// thread blocks; each block takes all query heads of one KV head, and the last one to finish combines the splits (split_kv_reduction.cuh).
//
// There are few rows, so heads alone would leave most of the GPU idle: 8 KV heads x 64 splits are 512 blocks, four per multiprocessor, as many as their
// memory allows; with 32 splits two blocks would issue an instruction in little more than every second clock. All query heads of a KV head, 8 in 70B, share each key and value
// that is loaded, so the cache is read once. A block loads a tile of 64 positions, keys and values together (32 KB in flight), and computes
// while the loads of its neighbours run.
// The splits of a row depend on the number of its visible positions alone, so neither other rows nor the GPU change a bit.
#pragma once

#include <type_traits>

#include "cuda/kernels/attention_decode/split_kv_reduction.cuh"
#include "cuda/ops/launchers.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int split_threads = 128;
constexpr int heads_together = 4;

/// Positions of one split of a row with `visible` positions.
__host__ __device__ constexpr int split_length(int visible) {
  const int even = ((visible + max_splits - 1) / max_splits + 15) / 16 * 16;
  return even < 64 ? 64 : even;
}

static_assert(split_length(1) == 64 && split_length(4096) == 64 && split_length(4097) == 80 && split_length(131072) * max_splits == 131072, "every position is in a part");

/// Positions in shared memory at a time: 64, fewer for long heads.
__host__ __device__ constexpr int tile_positions(int head_size) { return head_size <= 128 ? 64 : head_size <= 256 ? 32 : 16; }

__host__ __device__ constexpr int padded_heads(int heads) { return (heads + heads_together - 1) / heads_together * heads_together; }

/// Keys have 16 bytes of padding: threads that read one position each have no bank conflicts.
template <class Element>
__host__ __device__ constexpr int key_pitch(int head_size) {
  return head_size + 16 / static_cast<int>(sizeof(Element));
}

/// Scales of the key or value of a position: int8 has one for 32 elements, the other types none.
template <class Element>
__host__ __device__ constexpr int head_scales(int head_size) {
  return sizeof(Element) == 1 ? head_size / 32 : 0;
}

template <class Element>
constexpr std::size_t split_kv_bytes(int head_size, int group) {
  const int tile = tile_positions(head_size);
  const int heads = padded_heads(group);
  return sizeof(Element) * static_cast<std::size_t>(tile * (key_pitch<Element>(head_size) + head_size)) +
         sizeof(float) * static_cast<std::size_t>(heads * (2 * head_size + tile + 3) + 2 * tile * head_scales<Element>(head_size));
}

__device__ __forceinline__ float to_float(std::uint16_t half) { return half_to_float(half); }
__device__ __forceinline__ float to_float(float value) { return value; }
__device__ __forceinline__ float to_float(std::int8_t byte) { return static_cast<float>(byte); }
/// Element d of a head, with the scales of the head.
__device__ __forceinline__ float scaled(std::uint16_t half, const float*, int) { return to_float(half); }
__device__ __forceinline__ float scaled(float value, const float*, int) { return value; }
__device__ __forceinline__ float scaled(std::int8_t byte, const float* scales, int d) { return scales[d / 32] * to_float(byte); }

/// Consecutive elements of shared memory, by loads as wide as possible: attention waits for the loads of a warp, not for its products.
template <class Element, int count>
__device__ __forceinline__ void load_vector(const Element* from, Element (&elements)[count]) {
  constexpr int bytes = count * static_cast<int>(sizeof(Element));
  constexpr int load_bytes = bytes < 16 ? bytes : 16;
  using Load = std::conditional_t<load_bytes == 2, std::uint16_t, Words<load_bytes < 4 ? 1 : load_bytes / 4>>;
  LECTERN_UNROLL
  for (int i = 0; i < bytes / load_bytes; ++i) {
    const Load loaded = reinterpret_cast<const Load*>(from)[i];
    memcpy(elements + i * load_bytes / static_cast<int>(sizeof(Element)), &loaded, load_bytes);
  }
}

/// Scores of four heads with one position: q (heads, head_size) times a key, eight elements at a time. Each element of a key is converted once,
/// and four of a query are one load: 9 loads and 8 conversions for 32 products, instead of 33 and 32.
template <class Element>
__device__ __forceinline__ void score_position(const float* q, const Element* key, const float* scales, int head_size, float (&scores)[heads_together]) {
  for (float& score : scores) score = 0.0F;
  for (int d = 0; d < head_size; d += 8) {
    Element eight[8];
    load_vector(key + d, eight);
    float floats[8];
    LECTERN_UNROLL
    for (int i = 0; i < 8; ++i) floats[i] = scaled(eight[i], scales, d);
    LECTERN_UNROLL
    for (int h = 0; h < heads_together; ++h) {
      float query[8];
      load_vector(q + h * head_size + d, query);
      LECTERN_UNROLL
      for (int i = 0; i < 8; ++i) scores[h] = fmaf(query[i], floats[i], scores[h]);
    }
  }
}

/// Called by all threads of a block: scores (count, heads) become probabilities, one head per warp, with the head's largest score and sum so far; `shrinks`: the factor
/// for accumulators so far.
__device__ __forceinline__ void softmax_scores(int heads, int count, float* probabilities, float* largest, float* totals, float* shrinks) {
  const int thread = thread_number();
  for (int h = thread / 32; h < heads; h += split_threads / 32) {
    float top = largest[h];
    for (int p = thread % 32; p < count; p += 32) top = fmaxf(top, probabilities[p * heads + h]);
    top = warp_max(top);
    float total = 0.0F;
    for (int p = thread % 32; p < count; p += 32) {
      const float share = expf(probabilities[p * heads + h] - top);
      probabilities[p * heads + h] = share;
      total += share;
    }
    total = warp_sum(total);
    if (thread % 32 == 0) {
      shrinks[h] = expf(largest[h] - top);
      totals[h] = fmaf(totals[h], shrinks[h], total);
      largest[h] = top;
    }
  }
}

/// Grid: KV heads by splits by rows. Splits without positions write nothing. q, out: (rows, heads * head_size); `quantised`: out quantised, where it is
/// not null (head_size a multiple of 32 then).
template <class Element>
__global__ void split_kv_attention(Cache cache, int query_heads, int layer, const int* slots, const int* first, const int* visible, int first_row, const float* q, SplitKvPartials partials, float* out,
                             std::uint8_t* quantised) {
  allow_dependent_launch();
  wait_for_previous_kernels();
  const int size = cache.head_size;
  const int kv_head = block_x();
  const int split = block_y();
  const int row = block_z();
  const int batch_row = first_row + row;
  const int seen = visible[batch_row] - first[batch_row];
  const int length = split_length(seen);
  const int begin = first[batch_row] + split * length;
  const int end = begin + length < visible[batch_row] ? begin + length : visible[batch_row];
  if (begin >= end) return;

  const int group = query_heads / cache.heads;
  const int heads = padded_heads(group);
  const int tile = tile_positions(size);
  const int pitch = key_pitch<Element>(size);
  auto* queries = reinterpret_cast<float*>(dynamic_shared());    // (heads, size)
  float* sums = queries + heads * size;                          // (heads, size)
  float* probabilities = sums + heads * size;                           // (tile, heads)
  float* largest = probabilities + tile * heads;                        // (heads), and so the next two
  float* totals = largest + heads;
  float* shrinks = totals + heads;
  const int scales = head_scales<Element>(size);
  float* key_scales = shrinks + heads;                           // (tile, scales)
  float* value_scales = key_scales + tile * scales;              // (tile, scales)
  auto* keys = reinterpret_cast<Element*>(value_scales + tile * scales);  // (tile, pitch)
  Element* values = keys + tile * pitch;                         // (tile, size)
  const int thread = thread_number();
  for (int i = thread; i < heads * size; i += split_threads) {
    queries[i] = i < group * size ? q[(static_cast<std::size_t>(row) * static_cast<std::size_t>(query_heads) + static_cast<std::size_t>(kv_head * group)) * static_cast<std::size_t>(size) + static_cast<std::size_t>(i)] : 0.0F;
    sums[i] = 0.0F;
  }
  for (int i = thread; i < heads; i += split_threads) {
    largest[i] = -INFINITY;
    totals[i] = 0.0F;
  }
  const auto* data = static_cast<const Element*>(cache.data);
  constexpr int in_load = 16 / static_cast<int>(sizeof(Element));
  const int loads = size / in_load;  // of a position
  for (int tile_begin = begin; tile_begin < end; tile_begin += tile) {
    const int count = end - tile_begin < tile ? end - tile_begin : tile;
    synchronise_block();
    for (int i = thread; i < count * loads; i += split_threads) {
      const int p = i / loads;
      const int d = i % loads * in_load;
      const std::size_t key = cache.at(layer, slots[batch_row], 0, tile_begin + p, kv_head) + static_cast<std::size_t>(d);
      const std::size_t value = cache.at(layer, slots[batch_row], 1, tile_begin + p, kv_head) + static_cast<std::size_t>(d);
      *reinterpret_cast<Words<4>*>(keys + p * pitch + d) = *reinterpret_cast<const Words<4>*>(data + key);
      *reinterpret_cast<Words<4>*>(values + p * size + d) = *reinterpret_cast<const Words<4>*>(data + value);
    }
    for (int i = thread; i < count * scales; i += split_threads) {
      const int p = tile_begin + i / scales;
      const int s = i % scales;
      key_scales[i] = half_to_float(cache.scales()[cache.at(layer, slots[batch_row], 0, p, kv_head) / 32 + static_cast<std::size_t>(s)]);
      value_scales[i] = half_to_float(cache.scales()[cache.at(layer, slots[batch_row], 1, p, kv_head) / 32 + static_cast<std::size_t>(s)]);
    }
    synchronise_block();
    // A thread scores one position with four heads.
    for (int i = thread; i < tile * heads / heads_together; i += split_threads) {
      const int p = i % tile;
      const int h = i / tile * heads_together;
      if (p >= count) continue;
      float scores_here[heads_together];
      score_position(queries + h * size, keys + p * pitch, key_scales + p * scales, size, scores_here);
      for (int k = 0; k < heads_together; ++k) probabilities[p * heads + h + k] = scores_here[k];
    }
    synchronise_block();
    softmax_scores(heads, count, probabilities, largest, totals, shrinks);
    synchronise_block();
    // A thread takes two elements of four heads.
    for (int i = thread; i < size / 2 * (heads / heads_together); i += split_threads) {
      const int d = i % (size / 2) * 2;
      const int h = i / (size / 2) * heads_together;
      float own[heads_together][2];
      for (int k = 0; k < heads_together; ++k) {
        for (int e = 0; e < 2; ++e) own[k][e] = sums[(h + k) * size + d + e] * shrinks[h + k];
      }
      for (int p = 0; p < count; ++p) {
        Element two[2];
        load_vector(values + p * size + d, two);
        const float value[2] = {scaled(two[0], value_scales + p * scales, d), scaled(two[1], value_scales + p * scales, d)};
        float share[heads_together];
        load_vector(probabilities + p * heads + h, share);
        for (int k = 0; k < heads_together; ++k) {
          for (int e = 0; e < 2; ++e) own[k][e] = fmaf(share[k], value[e], own[k][e]);
        }
      }
      for (int k = 0; k < heads_together; ++k) {
        for (int e = 0; e < 2; ++e) sums[(h + k) * size + d + e] = own[k][e];
      }
    }
  }
  synchronise_block();
  const std::size_t part = (static_cast<std::size_t>(row) * static_cast<std::size_t>(query_heads) + static_cast<std::size_t>(kv_head * group)) * max_splits + static_cast<std::size_t>(split);
  for (int i = thread; i < group * size; i += split_threads) {
    partials.values[(part + static_cast<std::size_t>(i / size * max_splits)) * static_cast<std::size_t>(size) + static_cast<std::size_t>(i % size)] = sums[i];
  }
  for (int h = thread; h < group; h += split_threads) {
    partials.largest[part + static_cast<std::size_t>(h * max_splits)] = largest[h];
    partials.totals[part + static_cast<std::size_t>(h * max_splits)] = totals[h];
  }
  const int splits = (seen + length - 1) / length;
  if (!is_last_block(partials.arrived + row * cache.heads + kv_head, splits, reinterpret_cast<int*>(largest))) return;
  for (int h = thread / 32; h < group; h += split_threads / 32) {
    // The memory of the queries now holds the weights of each warp.
    combine_splits<false>(size, query_heads, row, kv_head * group + h, splits, partials, queries + thread / 32 * max_splits, out, quantised);
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
