// Eight query heads against a tile of positions of halves, by one warp: what its lanes hold of them, scores, shares and sums. Bytes are in head_tile_int8.cuh.
#pragma once

#include "cuda/kernels/attention_prefill/online_softmax.cuh"
#include "cuda/kernels/attention_decode/split_kv_layout.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// What is left of a number as a half is 2^-11 of it at most: so much larger it is in a half's range too, and what is smaller than the smallest half is not lost.
constexpr float rest_grows = 2048.0F;
constexpr float rest_part = 1.0F / rest_grows;

/// Two numbers as halves, and rest_grows times what is left of them.
__device__ __forceinline__ void split_halves(float low, float high, Word& nearest, Word& rest) {
  nearest = pack_halves(low, high);
  rest = pack_halves(rest_grows * (low - half_to_float(static_cast<std::uint16_t>(nearest))), rest_grows * (high - half_to_float(static_cast<std::uint16_t>(nearest >> 16))));
}

/// What a lane (4 g + t) holds of a tile of eight query heads, whose rows g are halves and rows g + 8 rest_grows times what they leave: the queries, the sums over values, the largest
/// score so far and of its columns' shares the total. The specialisations know how keys and values lie in their slot.
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

  /// Columns `d` and `d` + 1, `e` and `e` + 1 are those of step k. `query` is null for rows that are no heads.
  __device__ __forceinline__ void take_queries(const float* query, int k, int d, int e) {
    Words<2> left{};
    Words<2> right{};
    if (query != nullptr) {
      left = *reinterpret_cast<const Words<2>*>(query + d);
      right = *reinterpret_cast<const Words<2>*>(query + e);
    }
    split_halves(in_half_range(log2_of_e * float_of_bits(left.w[0])), in_half_range(log2_of_e * float_of_bits(left.w[1])), queries[k][0], queries[k][1]);
    split_halves(in_half_range(log2_of_e * float_of_bits(right.w[0])), in_half_range(log2_of_e * float_of_bits(right.w[1])), queries[k][2], queries[k][3]);
  }

  /// Scores of positions 2 t, 2 t + 1, 2 t + 8 and 2 t + 9, of which the tile has `count`, become shares.
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
    // Where no score is a number yet: what is none must reach the sums, and nothing else is one.
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

/// How a tile of halves is multiplied. `size`: the head size, a multiple of 16.
template <int width>
__device__ __forceinline__ void take_queries(HeadTile<std::uint16_t, width>& heads, const float* query, int size) {
  const int t = thread_number() % 4;
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    if (16 * k < size) heads.take_queries(query, k, 16 * k + 2 * t, 16 * k + 8 + 2 * t);
  }
}

template <int width>
__device__ __forceinline__ void score_tile(const HeadTile<std::uint16_t, width>& heads, const std::uint8_t* keys, int size, float (&scores)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = keys + (lane % 8 + lane / 16 * 8) * tile_pitch<std::uint16_t>(size) + lane / 8 % 2 * 16;
  // Even and odd steps by themselves: products that wait for each other are what takes time.
  float sums[2][2][4] = {};
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    if (16 * k >= size) continue;
    Word b[4];
    load_matrices(b, row + 32 * k);
    const Word left[2] = {b[0], b[1]};
    const Word right[2] = {b[2], b[3]};
    multiply_halves(sums[k % 2][0], heads.queries[k], left);
    multiply_halves(sums[k % 2][1], heads.queries[k], right);
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] = fmaf(rest_part, sums[0][i / 2][i % 2 + 2] + sums[1][i / 2][i % 2 + 2], sums[0][i / 2][i % 2] + sums[1][i / 2][i % 2]);
}

template <int width>
__device__ __forceinline__ void add_values(HeadTile<std::uint16_t, width>& heads, const std::uint8_t* values, int size, const float (&shares)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = values + lane % 16 * tile_pitch<std::uint16_t>(size) + lane / 16 * 16;
  Word a[4];
  split_halves(shares[0], shares[1], a[0], a[1]);
  split_halves(shares[2], shares[3], a[2], a[3]);
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; n += 2) {
    if (8 * n >= size) continue;
    Word b[4];
    load_matrices_transposed(b, row + 16 * n);
    const Word left[2] = {b[0], b[1]};
    const Word right[2] = {b[2], b[3]};
    multiply_halves(heads.sums[n], a, left);
    multiply_halves(heads.sums[n + 1], a, right);
  }
}

/// Of head g: to `to`, what lies in the shared memory of the block.
template <int width>
__device__ __forceinline__ void leave_sums(const HeadTile<std::uint16_t, width>& heads, int size, float* to) {
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; ++n) {
    if (8 * n >= size) continue;
    Words<2> two;
    LECTERN_UNROLL
    for (int i = 0; i < 2; ++i) two.w[i] = bits_of_float(fmaf(rest_part, heads.sums[n][i + 2], heads.sums[n][i]));
    *reinterpret_cast<Words<2>*>(to + 8 * n + 2 * (thread_number() % 4)) = two;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
