// Eight query heads times a tile of f16 positions, by one warp: fragments, scores, probabilities and accumulators. For int8 see head_tile_int8.cuh.
#pragma once

#include "cuda/kernels/attention_prefill/online_softmax.cuh"
#include "cuda/kernels/attention_decode/split_kv_layout.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// The rounding error of a float as f16 is at most 2^-11 of the float. Scaled by 2^11 it has the range of the float again, so that it does not fall below the smallest f16.
constexpr float rest_scale = 2048.0F;
constexpr float rest_unscale = 1.0F / rest_scale;

/// Two floats as f16, and their rounding errors times rest_scale as f16.
__device__ __forceinline__ void split_f16(float low, float high, Word& nearest, Word& rest) {
  nearest = pack_f16(low, high);
  rest = pack_f16(rest_scale * (low - half_to_float(static_cast<std::uint16_t>(nearest))), rest_scale * (high - half_to_float(static_cast<std::uint16_t>(nearest >> 16))));
}

/// What lane 4 g + t holds of a tile of eight query heads: the fragments of queries (rows g are the f16 values, rows g + 8 their scaled rounding errors), the accumulators, the largest
/// score so far, and the sum of the probabilities of its own columns. The functions below, one for each cache type, know the layout of keys and values in a stage.
template <class Element, int width>
struct HeadTile {
  Word queries[width / 16][4];
  float sums[width / 8][4];
  float largest;
  float total;

  __device__ __forceinline__ void begin() {
    LECTERN_UNROLL
    for (int n = 0; n < width / 8; ++n) {
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) sums[n][i] = 0.0F;
    }
    largest = -INFINITY;
    total = 0.0F;
  }

  /// Columns `d` and `d` + 1, `e` and `e` + 1 are those of step k. `query` is null for rows without a head.
  __device__ __forceinline__ void load_queries(const float* query, int k, int d, int e) {
    Words<2> left{};
    Words<2> right{};
    if (query != nullptr) {
      left = *reinterpret_cast<const Words<2>*>(query + d);
      right = *reinterpret_cast<const Words<2>*>(query + e);
    }
    split_f16(in_half_range(log2_of_e * float_of_bits(left.w[0])), in_half_range(log2_of_e * float_of_bits(left.w[1])), queries[k][0], queries[k][1]);
    split_f16(in_half_range(log2_of_e * float_of_bits(right.w[0])), in_half_range(log2_of_e * float_of_bits(right.w[1])), queries[k][2], queries[k][3]);
  }

  /// Turns the scores of positions 2 t, 2 t + 1, 2 t + 8 and 2 t + 9 into probabilities relative to the largest score, and scales the accumulators to it. Positions from `count` on are outside of the tile.
  __device__ __forceinline__ void share(float (&scores)[4], int count) {
    const int first = 2 * (thread_number() % 4);
    float top = largest;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (first + i % 2 + 8 * (i / 2) >= count) scores[i] = -INFINITY;
      top = fmaxf(top, scores[i]);
    }
    top = fmaxf(top, shuffle_xor(top, 1));
    top = fmaxf(top, shuffle_xor(top, 2));
    // Before any score is finite the base is zero, so that a NaN reaches the sums and nothing else becomes NaN.
    const float base = top == -INFINITY ? 0.0F : top;
    const float shrink = fast_exp2(largest - base);
    largest = top;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) scores[i] = fast_exp2(scores[i] - base);
    total = fmaf(total, shrink, scores[0] + scores[1] + (scores[2] + scores[3]));
    LECTERN_UNROLL
    for (int n = 0; n < width / 8; ++n) {
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) sums[n][i] *= shrink;
    }
  }

  __device__ __forceinline__ void end() {
    total += shuffle_xor(total, 1);
    total += shuffle_xor(total, 2);
  }
};

/// Loads the queries of an f16 tile. `size`: the head size, a multiple of 16.
template <int width>
__device__ __forceinline__ void load_queries(HeadTile<std::uint16_t, width>& heads, const float* query, int size) {
  const int t = thread_number() % 4;
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    if (16 * k < size) heads.load_queries(query, k, 16 * k + 2 * t, 16 * k + 8 + 2 * t);
  }
}

template <int width>
__device__ __forceinline__ void score_tile(const HeadTile<std::uint16_t, width>& heads, const std::uint8_t* keys, int size, float (&scores)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = keys + (lane % 8 + lane / 16 * 8) * tile_pitch<std::uint16_t>(size) + lane / 8 % 2 * 16;
  // Even and odd steps have accumulators of their own: a product then does not wait for the one before it.
  float sums[2][2][4] = {};
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    if (16 * k >= size) continue;
    Word b[4];
    ldmatrix(b, row + 32 * k);
    const Word left[2] = {b[0], b[1]};
    const Word right[2] = {b[2], b[3]};
    mma_f16(sums[k % 2][0], heads.queries[k], left);
    mma_f16(sums[k % 2][1], heads.queries[k], right);
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] = fmaf(rest_unscale, sums[0][i / 2][i % 2 + 2] + sums[1][i / 2][i % 2 + 2], sums[0][i / 2][i % 2] + sums[1][i / 2][i % 2]);
}

template <int width>
__device__ __forceinline__ void add_values(HeadTile<std::uint16_t, width>& heads, const std::uint8_t* values, int size, const float (&probabilities)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = values + lane % 16 * tile_pitch<std::uint16_t>(size) + lane / 16 * 16;
  Word a[4];
  split_f16(probabilities[0], probabilities[1], a[0], a[1]);
  split_f16(probabilities[2], probabilities[3], a[2], a[3]);
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; n += 2) {
    if (8 * n >= size) continue;
    Word b[4];
    ldmatrix_transposed(b, row + 16 * n);
    const Word left[2] = {b[0], b[1]};
    const Word right[2] = {b[2], b[3]};
    mma_f16(heads.sums[n], a, left);
    mma_f16(heads.sums[n + 1], a, right);
  }
}

/// Stores the accumulators of head g to `to`, in shared memory.
template <int width>
__device__ __forceinline__ void store_sums(const HeadTile<std::uint16_t, width>& heads, int size, float* to) {
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; ++n) {
    if (8 * n >= size) continue;
    Words<2> two;
    LECTERN_UNROLL
    for (int i = 0; i < 2; ++i) two.w[i] = bits_of_float(fmaf(rest_unscale, heads.sums[n][i + 2], heads.sums[n][i]));
    *reinterpret_cast<Words<2>*>(to + 8 * n + 2 * (thread_number() % 4)) = two;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
