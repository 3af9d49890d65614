// The same for a tile of int8 positions, which are multiplied without their scales.
#pragma once

#include "cuda/kernels/attention_decode/head_tile.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Two of four signed bytes as f16, b / 128: `bytes` with inverted signs, 0 .. 255, are the last bits of f16 values between 8 and 10. `which` selects the bytes, and 0x48 above each.
template <std::uint32_t which>
__device__ __forceinline__ Word widen_bytes(Word bytes) {
  return subtract_f16x2(permute_bytes(bytes, 0x48484848U, which), 0x48804880U);
}
constexpr Word byte_signs = 0x80808080U;

/// The queries for int8 heads of 64 or 128. The order of elements may be permuted if queries are, too: of the 32 elements of a scale lane t takes 8 t .. 8 t + 7 in two steps.
template <int width>
__device__ __forceinline__ void load_queries(HeadTile<std::int8_t, width>& heads, const float* query, int) {
  const int t = thread_number() % 4;
  LECTERN_UNROLL
  for (int k = 0; k < width / 16; ++k) {
    const int d = k / 2 * 32 + 8 * t + k % 2 * 4;
    heads.load_queries(query, k, d, d + 2);
  }
}

/// The scales of the four positions whose scores a lane has, in a tile of keys or values.
template <int width>
struct TileScales {
  Words<width / 64> words[4];

  __device__ __forceinline__ explicit TileScales(const std::uint8_t* slot) {
    const auto* scales = reinterpret_cast<const Words<width / 64>*>(slot + split_kv_tile * tile_pitch<std::int8_t>(width));
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) words[i] = scales[2 * (thread_number() % 4) + i % 2 + 8 * (i / 2)];
  }
  /// The scale of position i for elements from 32 b on.
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
        mma_f16(sums, heads.queries[2 * b + k], four);
      }
      LECTERN_UNROLL
      for (int i = 0; i < 2; ++i) scores[2 * half + i] = fmaf(scales.of(2 * half + i, b), fmaf(rest_unscale, sums[i + 2], sums[i]), scores[2 * half + i]);
    }
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) scores[i] *= 128.0F;
}

/// For ldmatrix an element is two neighbouring int8 here: the transposed load gives two products of eight elements each, the even ones and the odd ones.
template <int width>
__device__ __forceinline__ void add_values(HeadTile<std::int8_t, width>& heads, const std::uint8_t* values, int, const float (&probabilities)[4]) {
  const int lane = thread_number() % 32;
  const std::uint8_t* const row = values + lane % 16 * tile_pitch<std::int8_t>(width) + lane / 16 * 16;
  const TileScales<width> scales(values);
  float larger[4];
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) larger[i] = 128.0F * probabilities[i];
  LECTERN_UNROLL
  for (int b = 0; b < width / 32; ++b) {
    float scaled[4];
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) scaled[i] = in_half_range(larger[i] * scales.of(i, b));
    Word a[4];
    split_f16(scaled[0], scaled[1], a[0], a[1]);
    split_f16(scaled[2], scaled[3], a[2], a[3]);
    Word words[4];
    ldmatrix_transposed(words, row + 32 * b);
    LECTERN_UNROLL
    for (int c = 0; c < 2; ++c) {
      const Word low = words[2 * c] ^ byte_signs;
      const Word high = words[2 * c + 1] ^ byte_signs;
      const Word even[2] = {widen_bytes<0x4240>(low), widen_bytes<0x4240>(high)};
      const Word odd[2] = {widen_bytes<0x4341>(low), widen_bytes<0x4341>(high)};
      mma_f16(heads.sums[4 * b + 2 * c], a, even);
      mma_f16(heads.sums[4 * b + 2 * c + 1], a, odd);
    }
  }
}

template <int width>
__device__ __forceinline__ void store_sums(const HeadTile<std::int8_t, width>& heads, int, float* to) {
  LECTERN_UNROLL
  for (int n = 0; n < width / 8; n += 2) {
    Words<4> four;
    LECTERN_UNROLL
    for (int i = 0; i < 4; ++i) four.w[i] = bits_of_float(fmaf(rest_unscale, heads.sums[n + i % 2][i / 2 + 2], heads.sums[n + i % 2][i / 2]));
    *reinterpret_cast<Words<4>*>(to + 8 * n + 4 * (thread_number() % 4)) = four;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
