// Sixteen lanes in AVX-512 registers. For kernels.inc alone: everything has internal linkage, because the linker must not replace a function of
// a file that is compiled for a lesser processor by one from here.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace lectern::cpu {
namespace {

using Floats = __m512;
using Ints = __m512i;
using Bytes = __m512i;

#define LECTERN_LANES [[gnu::always_inline]] inline
#define LECTERN_UNROLL _Pragma("GCC unroll 16")
#define LECTERN_UNROLL_CHUNKS LECTERN_UNROLL

LECTERN_LANES Floats zero() { return _mm512_setzero_ps(); }
LECTERN_LANES Floats all(float value) { return _mm512_set1_ps(value); }
LECTERN_LANES Floats load(const float* from) { return _mm512_loadu_ps(from); }
LECTERN_LANES void store(float* to, Floats value) { _mm512_storeu_ps(to, value); }
LECTERN_LANES Floats load(const std::uint16_t* f16) { return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(f16))); }
LECTERN_LANES void store(std::uint16_t* f16, Floats value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(f16), _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
LECTERN_LANES Floats load_bf16(const std::uint16_t* from) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))), 16));
}
LECTERN_LANES Floats load_signed(const std::uint8_t* from) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
LECTERN_LANES Floats load_unsigned(const std::uint8_t* from) {
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
/// The low and the high four bits of sixteen bytes.
LECTERN_LANES Floats load_low(const std::uint8_t* from) {
  const Ints bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  return _mm512_cvtepi32_ps(_mm512_and_si512(bytes, _mm512_set1_epi32(15)));
}
LECTERN_LANES Floats load_high(const std::uint8_t* from) {
  const Ints bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  return _mm512_cvtepi32_ps(_mm512_srli_epi32(bytes, 4));
}

LECTERN_LANES Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
LECTERN_LANES Floats subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
LECTERN_LANES Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
LECTERN_LANES Floats divide(Floats a, Floats b) { return _mm512_div_ps(a, b); }
LECTERN_LANES Floats larger(Floats a, Floats b) { return _mm512_max_ps(a, b); }
/// As larger(): for a NaN and a number the result is b.
LECTERN_LANES Floats smaller(Floats a, Floats b) { return _mm512_min_ps(a, b); }
LECTERN_LANES Floats root(Floats a) { return _mm512_sqrt_ps(a); }
/// a < b ? then : otherwise, by lane; with a NaN otherwise.
LECTERN_LANES Floats where_below(Floats a, Floats b, Floats then, Floats otherwise) {
  return _mm512_mask_mov_ps(otherwise, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), then);
}

/// Selects the first lanes for reads and writes.
using Mask = __mmask16;
LECTERN_LANES Mask first(int count) { return static_cast<Mask>(count >= 16 ? 0xFFFF : (1 << count) - 1); }
/// The other lanes become zeros; their memory is not accessed.
LECTERN_LANES Floats load(const float* from, Mask lanes) { return _mm512_maskz_loadu_ps(lanes, from); }
LECTERN_LANES void store(float* to, Floats value, Mask lanes) { _mm512_mask_storeu_ps(to, lanes, value); }
/// The even and the odd ones of 32 floats.
LECTERN_LANES void split_pairs(Floats first_half, Floats second_half, Floats& even, Floats& odd) {
  const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  even = _mm512_permutex2var_ps(first_half, evens, second_half);
  odd = _mm512_permutex2var_ps(first_half, _mm512_add_epi32(evens, _mm512_set1_epi32(1)), second_half);
}
/// The inverse.
LECTERN_LANES void join_pairs(Floats even, Floats odd, Floats& first_half, Floats& second_half) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  first_half = _mm512_permutex2var_ps(even, low, odd);
  second_half = _mm512_permutex2var_ps(even, _mm512_add_epi32(low, _mm512_set1_epi32(8)), odd);
}
LECTERN_LANES Floats absolute(Floats a) { return _mm512_abs_ps(a); }
/// a * b + c, rounded once.
LECTERN_LANES Floats fused(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
LECTERN_LANES float largest(Floats a) { return _mm512_reduce_max_ps(a); }
LECTERN_LANES float sum(Floats a) { return _mm512_reduce_add_ps(a); }
/// The first `count` lanes of a, `otherwise` in the others.
LECTERN_LANES Floats first_lanes(Floats a, int count, Floats otherwise) {
  return _mm512_mask_mov_ps(otherwise, static_cast<__mmask16>(count >= 16 ? 0xFFFF : (1 << (count < 0 ? 0 : count)) - 1), a);
}

/// e^x within 2 units in the last place; 0 below -104.
LECTERN_LANES Floats exponential(Floats value) {
  // In this order a NaN is passed on; minus infinity would create one below.
  const Floats x = _mm512_max_ps(all(-104.0F), value);
  const Floats n = _mm512_roundscale_ps(_mm512_mul_ps(x, all(1.44269504F)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  Floats r = _mm512_fnmadd_ps(n, all(0.693359375F), x);
  r = _mm512_fnmadd_ps(n, all(-2.12194440e-4F), r);
  Floats p = all(1.9875691500e-4F);
  p = fused(p, r, all(1.3981999507e-3F));
  p = fused(p, r, all(8.3334519073e-3F));
  p = fused(p, r, all(4.1665795894e-2F));
  p = fused(p, r, all(1.6666665459e-1F));
  p = fused(p, r, all(5.0000001201e-1F));
  p = fused(p, multiply(r, r), add(r, all(1.0F)));
  return _mm512_scalef_ps(p, n);
}

/// The power of two by which a format's quants are too large: none.
constexpr int no_offset = -1;
LECTERN_LANES Ints no_ints() { return _mm512_setzero_si512(); }
LECTERN_LANES Ints every_int(std::int32_t value) { return _mm512_set1_epi32(value); }
LECTERN_LANES Ints subtract_ints(Ints a, Ints b) { return _mm512_sub_epi32(a, b); }
template <int bits>
LECTERN_LANES Ints shifted_left(Ints a) { return _mm512_slli_epi32(a, bits); }
LECTERN_LANES Floats floats(Ints value) { return _mm512_cvtepi32_ps(value); }
/// Rounds to nearest, ties to even, and stores the lanes as signed bytes.
LECTERN_LANES Ints rounded(Floats value) { return _mm512_cvtps_epi32(value); }
LECTERN_LANES void store_bytes(std::int8_t* to, Ints value) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(value)); }
LECTERN_LANES void store_words(std::int16_t* to, Ints value) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(value)); }
LECTERN_LANES Ints add_ints(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
LECTERN_LANES int sum(Ints value) { return _mm512_reduce_add_epi32(value); }

LECTERN_LANES Bytes load_bytes(const std::uint8_t* from) { return _mm512_loadu_si512(from); }
LECTERN_LANES Bytes every(int byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
LECTERN_LANES Bytes both(Bytes a, Bytes b) { return _mm512_and_si512(a, b); }
LECTERN_LANES Bytes either(Bytes a, Bytes b) { return _mm512_or_si512(a, b); }
/// Shifts 16-bit units; the caller masks the bits that cross into the neighbouring byte.
template <int bits>
LECTERN_LANES Bytes shifted_right(Bytes a) {
  if constexpr (bits >= 0) {
    return _mm512_srli_epi16(a, bits);
  } else {
    return _mm512_slli_epi16(a, -bits);
  }
}
/// table[a] for a below 16.
LECTERN_LANES Bytes looked_up(Bytes a, const std::int8_t* table) {
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table))), a);
}

/// Lane i: acc + the products of w's bytes 4i .. 4i + 3 (unsigned, at most 127) with x's bytes 4 * step .. 4 * step + 3 (signed, at least -127).
LECTERN_LANES Ints dot(Ints acc, Bytes w, const std::int8_t* x, int step) {
  // The intrinsic would load and broadcast the four bytes in a separate instruction (GCC 12), which is one in ten here.
  const struct [[gnu::packed, gnu::may_alias]] Four { std::int32_t bytes; }* four = reinterpret_cast<const Four*>(x + 4 * step);
  __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(acc) : "v"(w), "m"(*four));
  return acc;
}
/// The same for signed w. It also adds 2^signed_offset times the sum of x, because the instruction takes w unsigned.
constexpr int signed_offset = 7;
LECTERN_LANES Bytes signed_operand(Bytes w) { return _mm512_xor_si512(w, every(0x80)); }
LECTERN_LANES Ints dot_signed(Ints acc, Bytes operand, const std::int8_t* x, int step) { return dot(acc, operand, x, step); }

/// Lane i: acc + the products of w's words 2i and 2i + 1 with the words 2 * step and 2 * step + 1 at x, all signed.
LECTERN_LANES Ints dot_words(Ints acc, Bytes w, const std::int8_t* x, int step) {
  const struct [[gnu::packed, gnu::may_alias]] Two { std::int32_t words; }* two = reinterpret_cast<const Two*>(x + 4 * step);
  __asm__("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(acc) : "v"(w), "m"(*two));
  return acc;
}

/// A dot without loads: the peak rate of the multipliers.
LECTERN_LANES Ints dot_itself(Ints acc, Bytes w) { return _mm512_dpbusd_epi32(acc, w, w); }

}  // namespace
}  // namespace lectern::cpu
