// The same against a tile of positions of bytes, which the products take as they are.
#pragma once

#include "cuda/kernels/attention_decode/head_tile.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Two of four signed bytes as halves, b / 128: `bytes` with their signs turned, 0 .. 255, are the last bits of halves between 8 and 10. `which`: the bytes, and 0x48 above each.
template <std::uint32_t which>
__device__ __forceinline__ Word widen_bytes(Word bytes) {
  return subtract_halves(permute_bytes(bytes, 0x48484848U, which), 0x48804880U);
}
constexpr Word byte_signs = 0x80808080U;

/// And of bytes, of heads of 64 or 128. Elements of a head may come in any order if queries do, too: of 32, which have a scale, lane t takes 8 t .. 8 t + 7 in two steps.
template <int width>
__device__ __forceinline__ void take_queries(HeadTile<std::int8_t, width>& heads, const float* query, int) {
  const int t = thread_number() % 4;
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    const int d = k / 2 * 32 + 8 * t + k % 2 * 4;
    heads.take_queries(query, k, d, d + 2);
  }
}

/// The scales of the four positions whose scores a lane has, of a tile of keys or values.
template <int width>
struct TileScales {
  Words<width / 64> words[4];

  __device__ __forceinline__ explicit TileScales(const std::uint8_t* slot) {
    const auto* scales = reinterpret_cast<const Words<width / 64>*>(slot + split_tile * tile_pitch<std::int8_t>(width));
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) words[i] = scales[2 * (thread_number() % 4) + i % 2 + 8 * (i / 2)];
  }
  /// Of position i the one of elements 32 b and so on.
  __device__ __forceinline__ float of(int i, int b) const { return half_to_float(static_cast<std::uint16_t>(words[i].w[b / 2] >> (16 * (b % 2)))); }
};

template <int width>
__device__ __forceinline__ void score_tile(const HeadTile<std::int8_t, width>& heads, const std::uint8_t* keys, int, float (&scores)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = keys + lane / 4 * tile_pitch<std::int8_t>(width) + 8 * (lane % 4);
  const TileScales<width> scales(keys);
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] = 0.0F;
  LECTERN_UNROLL
  for (int b = 0; b < width / 32; ++b) {
    LECTERN_UNROLL
    for (int half = 0; half < 2; ++half) {
      const auto eight = *reinterpret_cast<const Words<2>*>(row + 8 * half * tile_pitch<std::int8_t>(width) + 32 * b);
      float sums[4] = {};
      LECTERN_UNROLL
      for (int k = 0; k < 2; ++k) {
        const Word bytes = eight.w[k] ^ byte_signs;
        const Word four[2] = {widen_bytes<0x4140>(bytes), widen_bytes<0x4342>(bytes)};
        multiply_halves(sums, heads.queries[2 * b + k], four);
      }
      LECTERN_UNROLL
      for (int i = 0; i < 2; ++i) scores[2 * half + i] = fmaf(scales.of(2 * half + i, b), fmaf(rest_part, sums[i + 2], sums[i]), scores[2 * half + i]);
    }
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] *= 128.0F;
}

/// Matrices of 16-bit elements are two neighbours of a head here: what comes of a load transposed is two products of eight elements each, the even ones and the odd.
template <int width>
__device__ __forceinline__ void add_values(HeadTile<std::int8_t, width>& heads, const std::uint8_t* values, int, const float (&shares)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = values + lane % 16 * tile_pitch<std::int8_t>(width) + lane / 16 * 16;
  const TileScales<width> scales(values);
  float larger[4];
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) larger[i] = 128.0F * shares[i];
  LECTERN_UNROLL
  for (int b = 0; b < width / 32; ++b) {
    float scaled[4];
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) scaled[i] = in_half_range(larger[i] * scales.of(i, b));
    Word a[4];
    split_halves(scaled[0], scaled[1], a[0], a[1]);
    split_halves(scaled[2], scaled[3], a[2], a[3]);
    Word words[4];
    load_matrices_transposed(words, row + 32 * b);
    LECTERN_UNROLL
    for (int c = 0; c < 2; ++c) {
      const Word low = words[2 * c] ^ byte_signs;
      const Word high = words[2 * c + 1] ^ byte_signs;
      const Word even[2] = {widen_bytes<0x4240>(low), widen_bytes<0x4240>(high)};
      const Word odd[2] = {widen_bytes<0x4341>(low), widen_bytes<0x4341>(high)};
      multiply_halves(heads.sums[4 * b + 2 * c], a, even);
      multiply_halves(heads.sums[4 * b + 2 * c + 1], a, odd);
    }
  }
}

template <int width>
__device__ __forceinline__ void leave_sums(const HeadTile<std::int8_t, width>& heads, int, float* to) {
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; n += 2) {
    Words<4> four;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) four.w[i] = bits_of_float(fmaf(rest_part, heads.sums[n + i % 2][i / 2 + 2], heads.sums[n + i % 2][i / 2]));
    *reinterpret_cast<Words<4>*>(to + 8 * n + 4 * (thread_number() % 4)) = four;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
