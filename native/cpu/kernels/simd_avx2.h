// Sixteen lanes in pairs of AVX2 registers. simd_avx512.h documents each function.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace lectern::cpu {
namespace {

struct Floats {
  __m256 low, high;
};
struct Ints {
  __m256i low, high;
};
using Bytes = Ints;

#define LECTERN_LANES [[gnu::always_inline]] inline
#define LECTERN_UNROLL _Pragma("GCC unroll 16")
#define LECTERN_UNROLL_CHUNKS LECTERN_UNROLL

LECTERN_LANES Floats zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
LECTERN_LANES Floats all(float value) { return {_mm256_set1_ps(value), _mm256_set1_ps(value)}; }
LECTERN_LANES Floats load(const float* from) { return {_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}; }
LECTERN_LANES void store(float* to, Floats value) {
  _mm256_storeu_ps(to, value.low);
  _mm256_storeu_ps(to + 8, value.high);
}
LECTERN_LANES __m128i eight_words(const std::uint16_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
LECTERN_LANES Floats load(const std::uint16_t* f16) { return {_mm256_cvtph_ps(eight_words(f16)), _mm256_cvtph_ps(eight_words(f16 + 8))}; }
LECTERN_LANES void store(std::uint16_t* f16, Floats value) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(f16), _mm256_cvtps_ph(value.low, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(f16 + 8), _mm256_cvtps_ph(value.high, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
LECTERN_LANES Floats load_bf16(const std::uint16_t* from) {
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(eight_words(from)), 16)),
          _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(eight_words(from + 8)), 16))};
}
LECTERN_LANES __m128i eight_bytes(const std::uint8_t* from) { return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)); }
LECTERN_LANES Floats floats(Ints value) { return {_mm256_cvtepi32_ps(value.low), _mm256_cvtepi32_ps(value.high)}; }
LECTERN_LANES Ints widened(const std::uint8_t* from) { return {_mm256_cvtepu8_epi32(eight_bytes(from)), _mm256_cvtepu8_epi32(eight_bytes(from + 8))}; }
LECTERN_LANES Floats load_signed(const std::uint8_t* from) {
  return floats({_mm256_cvtepi8_epi32(eight_bytes(from)), _mm256_cvtepi8_epi32(eight_bytes(from + 8))});
}
LECTERN_LANES Floats load_unsigned(const std::uint8_t* from) { return floats(widened(from)); }
LECTERN_LANES Floats load_low(const std::uint8_t* from) {
  const Ints bytes = widened(from);
  return floats({_mm256_and_si256(bytes.low, _mm256_set1_epi32(15)), _mm256_and_si256(bytes.high, _mm256_set1_epi32(15))});
}
LECTERN_LANES Floats load_high(const std::uint8_t* from) {
  const Ints bytes = widened(from);
  return floats({_mm256_srli_epi32(bytes.low, 4), _mm256_srli_epi32(bytes.high, 4)});
}

LECTERN_LANES Floats add(Floats a, Floats b) { return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)}; }
LECTERN_LANES Floats subtract(Floats a, Floats b) { return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)}; }
LECTERN_LANES Floats multiply(Floats a, Floats b) { return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)}; }
LECTERN_LANES Floats divide(Floats a, Floats b) { return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)}; }
LECTERN_LANES Floats larger(Floats a, Floats b) { return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)}; }
LECTERN_LANES Floats smaller(Floats a, Floats b) { return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)}; }
LECTERN_LANES Floats root(Floats a) { return {_mm256_sqrt_ps(a.low), _mm256_sqrt_ps(a.high)}; }
LECTERN_LANES Floats where_below(Floats a, Floats b, Floats then, Floats otherwise) {
  return {_mm256_blendv_ps(otherwise.low, then.low, _mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ)),
          _mm256_blendv_ps(otherwise.high, then.high, _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ))};
}

using Mask = Ints;
LECTERN_LANES Mask first(int count) {
  const __m256i limit = _mm256_set1_epi32(count);
  return {_mm256_cmpgt_epi32(limit, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)), _mm256_cmpgt_epi32(limit, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15))};
}
LECTERN_LANES Floats load(const float* from, Mask lanes) { return {_mm256_maskload_ps(from, lanes.low), _mm256_maskload_ps(from + 8, lanes.high)}; }
LECTERN_LANES void store(float* to, Floats value, Mask lanes) {
  _mm256_maskstore_ps(to, lanes.low, value.low);
  _mm256_maskstore_ps(to + 8, lanes.high, value.high);
}
/// Even and odd lanes of sixteen floats.
LECTERN_LANES void split_pairs(__m256 low, __m256 high, __m256& even, __m256& odd) {
  even = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(low, high, 0x88)), 0xD8));
  odd = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(low, high, 0xDD)), 0xD8));
}
LECTERN_LANES void split_pairs(Floats first_half, Floats second_half, Floats& even, Floats& odd) {
  split_pairs(first_half.low, first_half.high, even.low, odd.low);
  split_pairs(second_half.low, second_half.high, even.high, odd.high);
}
LECTERN_LANES void join_pairs(__m256 even, __m256 odd, __m256& low, __m256& high) {
  const __m256 left = _mm256_unpacklo_ps(even, odd);
  const __m256 right = _mm256_unpackhi_ps(even, odd);
  low = _mm256_permute2f128_ps(left, right, 0x20);
  high = _mm256_permute2f128_ps(left, right, 0x31);
}
LECTERN_LANES void join_pairs(Floats even, Floats odd, Floats& first_half, Floats& second_half) {
  join_pairs(even.low, odd.low, first_half.low, first_half.high);
  join_pairs(even.high, odd.high, second_half.low, second_half.high);
}
LECTERN_LANES Floats absolute(Floats a) {
  const __m256 sign = _mm256_set1_ps(-0.0F);
  return {_mm256_andnot_ps(sign, a.low), _mm256_andnot_ps(sign, a.high)};
}
LECTERN_LANES Floats fused(Floats a, Floats b, Floats c) { return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)}; }
LECTERN_LANES float largest(Floats a) {
  const __m256 eight = _mm256_max_ps(a.low, a.high);
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}
LECTERN_LANES float sum(Floats a) {
  const __m256 eight = _mm256_add_ps(a.low, a.high);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
LECTERN_LANES Floats first_lanes(Floats a, int count, Floats otherwise) {
  const __m256i limit = _mm256_set1_epi32(count);
  const __m256i low = _mm256_cmpgt_epi32(limit, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  const __m256i high = _mm256_cmpgt_epi32(limit, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15));
  return {_mm256_blendv_ps(otherwise.low, a.low, _mm256_castsi256_ps(low)), _mm256_blendv_ps(otherwise.high, a.high, _mm256_castsi256_ps(high))};
}

LECTERN_LANES __m256 exponential(__m256 x) {
  // Below -87 the result would be subnormal and becomes 0; above 88 it becomes the largest power.
  const __m256 vanished = _mm256_cmp_ps(x, _mm256_set1_ps(-87.0F), _CMP_LT_OQ);
  // In this order a NaN is passed on.
  const __m256 bounded = _mm256_min_ps(_mm256_set1_ps(88.0F), _mm256_max_ps(_mm256_set1_ps(-87.0F), x));
  const __m256 n = _mm256_round_ps(_mm256_mul_ps(bounded, _mm256_set1_ps(1.44269504F)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), bounded);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4F), r);
  __m256 p = _mm256_set1_ps(1.9875691500e-4F);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999507e-3F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519073e-3F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795894e-2F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665459e-1F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001201e-1F));
  p = _mm256_fmadd_ps(p, _mm256_mul_ps(r, r), _mm256_add_ps(r, _mm256_set1_ps(1.0F)));
  const __m256i power = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_andnot_ps(vanished, _mm256_mul_ps(p, _mm256_castsi256_ps(power)));
}
LECTERN_LANES Floats exponential(Floats x) { return {exponential(x.low), exponential(x.high)}; }

constexpr int no_offset = -1;
LECTERN_LANES Ints no_ints() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
LECTERN_LANES Ints every_int(std::int32_t value) { return {_mm256_set1_epi32(value), _mm256_set1_epi32(value)}; }
LECTERN_LANES Ints subtract_ints(Ints a, Ints b) { return {_mm256_sub_epi32(a.low, b.low), _mm256_sub_epi32(a.high, b.high)}; }
template <int bits>
LECTERN_LANES Ints shifted_left(Ints a) { return {_mm256_slli_epi32(a.low, bits), _mm256_slli_epi32(a.high, bits)}; }
LECTERN_LANES Ints rounded(Floats value) { return {_mm256_cvtps_epi32(value.low), _mm256_cvtps_epi32(value.high)}; }
LECTERN_LANES void store_bytes(std::int8_t* to, Ints value) {
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(value.low, value.high), 0xD8);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}
LECTERN_LANES void store_words(std::int16_t* to, Ints value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(_mm256_packs_epi32(value.low, value.high), 0xD8));
}
LECTERN_LANES Ints add_ints(Ints a, Ints b) { return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)}; }
LECTERN_LANES int sum(Ints value) {
  const __m256i eight = _mm256_add_epi32(value.low, value.high);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1)));
}

LECTERN_LANES Bytes load_bytes(const std::uint8_t* from) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32))};
}
LECTERN_LANES Bytes every(int byte) {
  const __m256i value = _mm256_set1_epi8(static_cast<char>(byte));
  return {value, value};
}
LECTERN_LANES Bytes both(Bytes a, Bytes b) { return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)}; }
LECTERN_LANES Bytes either(Bytes a, Bytes b) { return {_mm256_or_si256(a.low, b.low), _mm256_or_si256(a.high, b.high)}; }
template <int bits>
LECTERN_LANES Bytes shifted_right(Bytes a) {
  if constexpr (bits >= 0) {
    return {_mm256_srli_epi16(a.low, bits), _mm256_srli_epi16(a.high, bits)};
  } else {
    return {_mm256_slli_epi16(a.low, -bits), _mm256_slli_epi16(a.high, -bits)};
  }
}
LECTERN_LANES Bytes looked_up(Bytes a, const std::int8_t* table) {
  const __m256i values = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
  return {_mm256_shuffle_epi8(values, a.low), _mm256_shuffle_epi8(values, a.high)};
}

LECTERN_LANES __m256i four_bytes(const std::int8_t* x) {
  std::int32_t four;
  __builtin_memcpy(&four, x, sizeof four);
  return _mm256_set1_epi32(four);
}
LECTERN_LANES __m256i dot(__m256i acc, __m256i w, __m256i x) {
  return _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_maddubs_epi16(w, x), _mm256_set1_epi16(1)));
}
LECTERN_LANES Ints dot(Ints acc, Bytes w, const std::int8_t* x, int step) {
  const __m256i four = four_bytes(x + 4 * step);
  return {dot(acc.low, w.low, four), dot(acc.high, w.high, four)};
}
// Pairs of products of unsigned bytes above 127 would overflow 16 bits: this multiplies magnitudes and applies the signs of w to x.
constexpr int signed_offset = no_offset;
LECTERN_LANES Bytes signed_operand(Bytes w) { return w; }
LECTERN_LANES Ints dot_signed(Ints acc, Bytes w, const std::int8_t* x, int step) {
  const __m256i four = four_bytes(x + 4 * step);
  return {dot(acc.low, _mm256_abs_epi8(w.low), _mm256_sign_epi8(four, w.low)), dot(acc.high, _mm256_abs_epi8(w.high), _mm256_sign_epi8(four, w.high))};
}

LECTERN_LANES Ints dot_words(Ints acc, Bytes w, const std::int8_t* x, int step) {
  const __m256i two = four_bytes(x + 4 * step);
  return {_mm256_add_epi32(acc.low, _mm256_madd_epi16(w.low, two)), _mm256_add_epi32(acc.high, _mm256_madd_epi16(w.high, two))};
}

/// A dot without loads: the peak rate of the multipliers.
LECTERN_LANES Ints dot_itself(Ints acc, Bytes w) { return {dot(acc.low, w.low, w.low), dot(acc.high, w.high, w.high)}; }

}  // namespace
}  // namespace lectern::cpu
