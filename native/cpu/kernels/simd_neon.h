// Sixteen lanes in four NEON registers each. simd_avx512.h documents each function. Files that are compiled with the dot product
// extension (FEAT_DotProd) multiply bytes by it, the others by widening products, and files with the matrix extension (FEAT_I8MM) two
// rows of activations at once: the same integers.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace lectern::cpu {
namespace {

struct Floats {
  float32x4_t a, b, c, d;
};
struct Ints {
  int32x4_t a, b, c, d;
};
struct Bytes {
  uint8x16_t a, b, c, d;
};

#define LECTERN_LANES [[gnu::always_inline]] inline
#define LECTERN_UNROLL _Pragma("GCC unroll 16")
#define LECTERN_UNROLL_CHUNKS _Pragma("GCC unroll 1")

LECTERN_LANES Floats all(float value) {
  const float32x4_t four = vdupq_n_f32(value);
  return {four, four, four, four};
}
LECTERN_LANES Floats zero() { return all(0); }
LECTERN_LANES Floats load(const float* from) { return {vld1q_f32(from), vld1q_f32(from + 4), vld1q_f32(from + 8), vld1q_f32(from + 12)}; }
LECTERN_LANES void store(float* to, Floats value) {
  vst1q_f32(to, value.a);
  vst1q_f32(to + 4, value.b);
  vst1q_f32(to + 8, value.c);
  vst1q_f32(to + 12, value.d);
}
LECTERN_LANES Floats load(const std::uint16_t* f16) {
  const float16x8_t low = vreinterpretq_f16_u16(vld1q_u16(f16));
  const float16x8_t high = vreinterpretq_f16_u16(vld1q_u16(f16 + 8));
  return {vcvt_f32_f16(vget_low_f16(low)), vcvt_high_f32_f16(low), vcvt_f32_f16(vget_low_f16(high)), vcvt_high_f32_f16(high)};
}
LECTERN_LANES void store(std::uint16_t* f16, Floats value) {
  vst1q_u16(f16, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(value.a), value.b)));
  vst1q_u16(f16 + 8, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(value.c), value.d)));
}
LECTERN_LANES float32x4_t four_bf16(uint16x4_t bits) { return vreinterpretq_f32_u32(vshll_n_u16(bits, 16)); }
LECTERN_LANES Floats load_bf16(const std::uint16_t* from) { return {four_bf16(vld1_u16(from)), four_bf16(vld1_u16(from + 4)), four_bf16(vld1_u16(from + 8)), four_bf16(vld1_u16(from + 12))}; }
LECTERN_LANES Floats floats(Ints value) { return {vcvtq_f32_s32(value.a), vcvtq_f32_s32(value.b), vcvtq_f32_s32(value.c), vcvtq_f32_s32(value.d)}; }
LECTERN_LANES Floats floats(uint8x16_t bytes) {
  const uint16x8_t low = vmovl_u8(vget_low_u8(bytes));
  const uint16x8_t high = vmovl_high_u8(bytes);
  return {vcvtq_f32_u32(vmovl_u16(vget_low_u16(low))), vcvtq_f32_u32(vmovl_high_u16(low)), vcvtq_f32_u32(vmovl_u16(vget_low_u16(high))), vcvtq_f32_u32(vmovl_high_u16(high))};
}
LECTERN_LANES Floats load_signed(const std::uint8_t* from) {
  const int8x16_t bytes = vreinterpretq_s8_u8(vld1q_u8(from));
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes));
  const int16x8_t high = vmovl_high_s8(bytes);
  return floats(Ints{vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low), vmovl_s16(vget_low_s16(high)), vmovl_high_s16(high)});
}
LECTERN_LANES Floats load_unsigned(const std::uint8_t* from) { return floats(vld1q_u8(from)); }
LECTERN_LANES Floats load_low(const std::uint8_t* from) { return floats(vandq_u8(vld1q_u8(from), vdupq_n_u8(15))); }
LECTERN_LANES Floats load_high(const std::uint8_t* from) { return floats(vshrq_n_u8(vld1q_u8(from), 4)); }

LECTERN_LANES Floats add(Floats x, Floats y) { return {vaddq_f32(x.a, y.a), vaddq_f32(x.b, y.b), vaddq_f32(x.c, y.c), vaddq_f32(x.d, y.d)}; }
LECTERN_LANES Floats subtract(Floats x, Floats y) { return {vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b), vsubq_f32(x.c, y.c), vsubq_f32(x.d, y.d)}; }
LECTERN_LANES Floats multiply(Floats x, Floats y) { return {vmulq_f32(x.a, y.a), vmulq_f32(x.b, y.b), vmulq_f32(x.c, y.c), vmulq_f32(x.d, y.d)}; }
LECTERN_LANES Floats divide(Floats x, Floats y) { return {vdivq_f32(x.a, y.a), vdivq_f32(x.b, y.b), vdivq_f32(x.c, y.c), vdivq_f32(x.d, y.d)}; }
// FMAX and FMIN return NaN where either is NaN; callers rely on the second operand.
LECTERN_LANES float32x4_t larger(float32x4_t x, float32x4_t y) { return vbslq_f32(vcgtq_f32(x, y), x, y); }
LECTERN_LANES float32x4_t smaller(float32x4_t x, float32x4_t y) { return vbslq_f32(vcltq_f32(x, y), x, y); }
LECTERN_LANES Floats larger(Floats x, Floats y) { return {larger(x.a, y.a), larger(x.b, y.b), larger(x.c, y.c), larger(x.d, y.d)}; }
LECTERN_LANES Floats smaller(Floats x, Floats y) { return {smaller(x.a, y.a), smaller(x.b, y.b), smaller(x.c, y.c), smaller(x.d, y.d)}; }
LECTERN_LANES Floats root(Floats x) { return {vsqrtq_f32(x.a), vsqrtq_f32(x.b), vsqrtq_f32(x.c), vsqrtq_f32(x.d)}; }
LECTERN_LANES Floats where_below(Floats x, Floats y, Floats then, Floats otherwise) {
  return {vbslq_f32(vcltq_f32(x.a, y.a), then.a, otherwise.a), vbslq_f32(vcltq_f32(x.b, y.b), then.b, otherwise.b),
          vbslq_f32(vcltq_f32(x.c, y.c), then.c, otherwise.c), vbslq_f32(vcltq_f32(x.d, y.d), then.d, otherwise.d)};
}

/// NEON has no masked loads and stores: a count, by which each register is read and written whole, in part or not at all.
struct Mask {
  int count;
};
LECTERN_LANES Mask first(int count) { return {count}; }
LECTERN_LANES float32x4_t load_lanes(const float* from, int count) {
  if (count >= 4) return vld1q_f32(from);
  const float32x4_t none = vdupq_n_f32(0);
  if (count <= 0) return none;
  if (count == 1) return vld1q_lane_f32(from, none, 0);
  const float32x4_t two = vcombine_f32(vld1_f32(from), vget_low_f32(none));
  return count == 2 ? two : vld1q_lane_f32(from + 2, two, 2);
}
LECTERN_LANES void store_lanes(float* to, float32x4_t value, int count) {
  if (count >= 4) return vst1q_f32(to, value);
  if (count >= 2) vst1_f32(to, vget_low_f32(value));
  if (count == 3) vst1q_lane_f32(to + 2, value, 2);
  if (count == 1) vst1q_lane_f32(to, value, 0);
}
LECTERN_LANES Floats load(const float* from, Mask lanes) {
  return {load_lanes(from, lanes.count), load_lanes(from + 4, lanes.count - 4), load_lanes(from + 8, lanes.count - 8), load_lanes(from + 12, lanes.count - 12)};
}
LECTERN_LANES void store(float* to, Floats value, Mask lanes) {
  store_lanes(to, value.a, lanes.count);
  store_lanes(to + 4, value.b, lanes.count - 4);
  store_lanes(to + 8, value.c, lanes.count - 8);
  store_lanes(to + 12, value.d, lanes.count - 12);
}
LECTERN_LANES void split_pairs(Floats first_half, Floats second_half, Floats& even, Floats& odd) {
  even = {vuzp1q_f32(first_half.a, first_half.b), vuzp1q_f32(first_half.c, first_half.d), vuzp1q_f32(second_half.a, second_half.b), vuzp1q_f32(second_half.c, second_half.d)};
  odd = {vuzp2q_f32(first_half.a, first_half.b), vuzp2q_f32(first_half.c, first_half.d), vuzp2q_f32(second_half.a, second_half.b), vuzp2q_f32(second_half.c, second_half.d)};
}
LECTERN_LANES void join_pairs(Floats even, Floats odd, Floats& first_half, Floats& second_half) {
  first_half = {vzip1q_f32(even.a, odd.a), vzip2q_f32(even.a, odd.a), vzip1q_f32(even.b, odd.b), vzip2q_f32(even.b, odd.b)};
  second_half = {vzip1q_f32(even.c, odd.c), vzip2q_f32(even.c, odd.c), vzip1q_f32(even.d, odd.d), vzip2q_f32(even.d, odd.d)};
}
LECTERN_LANES Floats absolute(Floats x) { return {vabsq_f32(x.a), vabsq_f32(x.b), vabsq_f32(x.c), vabsq_f32(x.d)}; }
LECTERN_LANES Floats fused(Floats x, Floats y, Floats z) { return {vfmaq_f32(z.a, x.a, y.a), vfmaq_f32(z.b, x.b, y.b), vfmaq_f32(z.c, x.c, y.c), vfmaq_f32(z.d, x.d, y.d)}; }
LECTERN_LANES float largest(Floats x) {
  float32x4_t four = larger(larger(x.a, x.c), larger(x.b, x.d));
  four = larger(four, vextq_f32(four, four, 2));
  return vgetq_lane_f32(larger(four, vextq_f32(four, four, 1)), 0);
}
/// Adds in the order of simd_avx2.h.
LECTERN_LANES float sum(Floats x) {
  const float32x4_t four = vaddq_f32(vaddq_f32(x.a, x.c), vaddq_f32(x.b, x.d));
  const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
  return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}
LECTERN_LANES float32x4_t first_lanes(float32x4_t x, int count, float32x4_t otherwise) {
  constexpr int32x4_t numbers = {0, 1, 2, 3};
  return vbslq_f32(vcgtq_s32(vdupq_n_s32(count), numbers), x, otherwise);
}
LECTERN_LANES Floats first_lanes(Floats x, int count, Floats otherwise) {
  return {first_lanes(x.a, count, otherwise.a), first_lanes(x.b, count - 4, otherwise.b), first_lanes(x.c, count - 8, otherwise.c), first_lanes(x.d, count - 12, otherwise.d)};
}

LECTERN_LANES float32x4_t exponential(float32x4_t x) {
  // Below -87 the result would be subnormal and becomes 0; above 88 it becomes the largest power.
  const uint32x4_t vanished = vcltq_f32(x, vdupq_n_f32(-87.0F));
  // In this order a NaN is passed on.
  const float32x4_t bounded = smaller(vdupq_n_f32(88.0F), larger(vdupq_n_f32(-87.0F), x));
  const float32x4_t n = vrndnq_f32(vmulq_f32(bounded, vdupq_n_f32(1.44269504F)));
  float32x4_t r = vfmsq_f32(bounded, n, vdupq_n_f32(0.693359375F));
  r = vfmsq_f32(r, n, vdupq_n_f32(-2.12194440e-4F));
  float32x4_t p = vdupq_n_f32(1.9875691500e-4F);
  p = vfmaq_f32(vdupq_n_f32(1.3981999507e-3F), p, r);
  p = vfmaq_f32(vdupq_n_f32(8.3334519073e-3F), p, r);
  p = vfmaq_f32(vdupq_n_f32(4.1665795894e-2F), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.6666665459e-1F), p, r);
  p = vfmaq_f32(vdupq_n_f32(5.0000001201e-1F), p, r);
  p = vfmaq_f32(vaddq_f32(r, vdupq_n_f32(1.0F)), p, vmulq_f32(r, r));
  const int32x4_t power = vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(n), vdupq_n_s32(127)), 23);
  const float32x4_t grown = vmulq_f32(p, vreinterpretq_f32_s32(power));
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(grown), vanished));
}
LECTERN_LANES Floats exponential(Floats x) { return {exponential(x.a), exponential(x.b), exponential(x.c), exponential(x.d)}; }

constexpr int no_offset = -1;
LECTERN_LANES Ints every_int(std::int32_t value) {
  const int32x4_t four = vdupq_n_s32(value);
  return {four, four, four, four};
}
LECTERN_LANES Ints no_ints() { return every_int(0); }
LECTERN_LANES Ints add_ints(Ints x, Ints y) { return {vaddq_s32(x.a, y.a), vaddq_s32(x.b, y.b), vaddq_s32(x.c, y.c), vaddq_s32(x.d, y.d)}; }
LECTERN_LANES Ints subtract_ints(Ints x, Ints y) { return {vsubq_s32(x.a, y.a), vsubq_s32(x.b, y.b), vsubq_s32(x.c, y.c), vsubq_s32(x.d, y.d)}; }
template <int bits>
LECTERN_LANES Ints shifted_left(Ints x) {
  return {vshlq_n_s32(x.a, bits), vshlq_n_s32(x.b, bits), vshlq_n_s32(x.c, bits), vshlq_n_s32(x.d, bits)};
}
LECTERN_LANES Ints rounded(Floats x) { return {vcvtnq_s32_f32(x.a), vcvtnq_s32_f32(x.b), vcvtnq_s32_f32(x.c), vcvtnq_s32_f32(x.d)}; }
LECTERN_LANES int16x8_t words(int32x4_t low, int32x4_t high) { return vqmovn_high_s32(vqmovn_s32(low), high); }
LECTERN_LANES void store_bytes(std::int8_t* to, Ints x) { vst1q_s8(to, vqmovn_high_s16(vqmovn_s16(words(x.a, x.b)), words(x.c, x.d))); }
LECTERN_LANES void store_words(std::int16_t* to, Ints x) {
  vst1q_s16(to, words(x.a, x.b));
  vst1q_s16(to + 8, words(x.c, x.d));
}
LECTERN_LANES int sum(Ints x) { return vaddvq_s32(vaddq_s32(vaddq_s32(x.a, x.b), vaddq_s32(x.c, x.d))); }

LECTERN_LANES Bytes load_bytes(const std::uint8_t* from) { return {vld1q_u8(from), vld1q_u8(from + 16), vld1q_u8(from + 32), vld1q_u8(from + 48)}; }
LECTERN_LANES Bytes every(int byte) {
  const uint8x16_t value = vdupq_n_u8(static_cast<std::uint8_t>(byte));
  return {value, value, value, value};
}
LECTERN_LANES Bytes both(Bytes x, Bytes y) { return {vandq_u8(x.a, y.a), vandq_u8(x.b, y.b), vandq_u8(x.c, y.c), vandq_u8(x.d, y.d)}; }
LECTERN_LANES Bytes either(Bytes x, Bytes y) { return {vorrq_u8(x.a, y.a), vorrq_u8(x.b, y.b), vorrq_u8(x.c, y.c), vorrq_u8(x.d, y.d)}; }
template <int bits>
LECTERN_LANES Bytes shifted_right(Bytes x) {
  if constexpr (bits > 0) {
    return {vshrq_n_u8(x.a, bits), vshrq_n_u8(x.b, bits), vshrq_n_u8(x.c, bits), vshrq_n_u8(x.d, bits)};
  } else if constexpr (bits < 0) {
    return {vshlq_n_u8(x.a, -bits), vshlq_n_u8(x.b, -bits), vshlq_n_u8(x.c, -bits), vshlq_n_u8(x.d, -bits)};
  } else {
    return x;
  }
}
LECTERN_LANES Bytes looked_up(Bytes x, const std::int8_t* table) {
  const uint8x16_t values = vreinterpretq_u8_s8(vld1q_s8(table));
  return {vqtbl1q_u8(values, x.a), vqtbl1q_u8(values, x.b), vqtbl1q_u8(values, x.c), vqtbl1q_u8(values, x.d)};
}

#if defined(__ARM_FEATURE_DOTPROD)
template <int lane>
LECTERN_LANES int32x4_t dot_lane(int32x4_t acc, uint8x16_t w, int8x16_t x) {
  return vdotq_laneq_s32(acc, vreinterpretq_s8_u8(w), x, lane);
}
LECTERN_LANES int32x4_t dot_itself(int32x4_t acc, uint8x16_t w) { return vdotq_s32(acc, vreinterpretq_s8_u8(w), vreinterpretq_s8_u8(w)); }
#else
/// Two products of bytes fit 16 bits: x is at least -127, as quantise() makes it.
LECTERN_LANES int32x4_t dot_each(int32x4_t acc, int8x16_t w, int8x16_t x) {
  return vpadalq_s16(acc, vpaddq_s16(vmull_s8(vget_low_s8(w), vget_low_s8(x)), vmull_high_s8(w, x)));
}
template <int lane>
LECTERN_LANES int32x4_t dot_lane(int32x4_t acc, uint8x16_t w, int8x16_t x) {
  return dot_each(acc, vreinterpretq_s8_u8(w), vreinterpretq_s8_s32(vdupq_laneq_s32(vreinterpretq_s32_s8(x), lane)));
}
LECTERN_LANES int32x4_t dot_itself(int32x4_t acc, uint8x16_t w) { return dot_each(acc, vreinterpretq_s8_u8(w), vreinterpretq_s8_u8(w)); }
#endif

template <int lane>
LECTERN_LANES Ints dot_lane(Ints acc, Bytes w, int8x16_t x) {
  return {dot_lane<lane>(acc.a, w.a, x), dot_lane<lane>(acc.b, w.b, x), dot_lane<lane>(acc.c, w.c, x), dot_lane<lane>(acc.d, w.d, x)};
}
// Sixteen bytes of x are one load for four steps: callers unroll their loops over steps.
LECTERN_LANES Ints dot(Ints acc, Bytes w, const std::int8_t* x, int step) {
  const int8x16_t sixteen = vld1q_s8(x + step / 4 * 16);
  switch (step % 4) {
    case 0: return dot_lane<0>(acc, w, sixteen);
    case 1: return dot_lane<1>(acc, w, sixteen);
    case 2: return dot_lane<2>(acc, w, sixteen);
    default: return dot_lane<3>(acc, w, sixteen);
  }
}
#if defined(__ARM_FEATURE_MATMUL_INT8)
#define LECTERN_ROW_PAIRS
/// Each register: lanes 2i and 2i + 1 with the first row of x and the second, in turn.
struct PairSums {
  int32x4_t part[8];
};
LECTERN_LANES PairSums no_pair_sums() {
  const int32x4_t none = vdupq_n_s32(0);
  return {{none, none, none, none, none, none, none, none}};
}
LECTERN_LANES Bytes columns_joined(uint8x16_t x, uint8x16_t later_x, uint8x16_t y, uint8x16_t later_y) {
  const auto low = [](uint8x16_t u, uint8x16_t v) { return vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(u), vreinterpretq_u32_u8(v))); };
  const auto high = [](uint8x16_t u, uint8x16_t v) { return vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(u), vreinterpretq_u32_u8(v))); };
  return {low(x, later_x), high(x, later_x), low(y, later_y), high(y, later_y)};
}
/// Brings the eight columns of two steps together: afterwards the first vector has them for eight lanes, the second for the others.
LECTERN_LANES void join_steps(Bytes& step, Bytes& next) {
  const Bytes first_lanes = columns_joined(step.a, next.a, step.b, next.b);
  next = columns_joined(step.c, next.c, step.d, next.d);
  step = first_lanes;
}
/// The products of joined steps, the first of which is `step`, with a row at x and one 32 bytes behind it.
LECTERN_LANES void dot_rows_pair(PairSums& sums, const Bytes& low, const Bytes& high, const std::int8_t* x, int step) {
  const int8x16_t two = vcombine_s8(vld1_s8(x + 4 * step), vld1_s8(x + 32 + 4 * step));
  const uint8x16_t w[8] = {low.a, low.b, low.c, low.d, high.a, high.b, high.c, high.d};
  LECTERN_UNROLL
  for (int i = 0; i < 8; i++) sums.part[i] = vmmlaq_s32(sums.part[i], vreinterpretq_s8_u8(w[i]), two);
}
LECTERN_LANES Ints first_of_pair(const PairSums& sums) {
  return {vuzp1q_s32(sums.part[0], sums.part[1]), vuzp1q_s32(sums.part[2], sums.part[3]), vuzp1q_s32(sums.part[4], sums.part[5]), vuzp1q_s32(sums.part[6], sums.part[7])};
}
LECTERN_LANES Ints second_of_pair(const PairSums& sums) {
  return {vuzp2q_s32(sums.part[0], sums.part[1]), vuzp2q_s32(sums.part[2], sums.part[3]), vuzp2q_s32(sums.part[4], sums.part[5]), vuzp2q_s32(sums.part[6], sums.part[7])};
}
#endif

constexpr int signed_offset = no_offset;
LECTERN_LANES Bytes signed_operand(Bytes w) { return w; }
LECTERN_LANES Ints dot_signed(Ints acc, Bytes w, const std::int8_t* x, int step) { return dot(acc, w, x, step); }

template <int lane>
LECTERN_LANES int32x4_t dot_words_lane(int32x4_t acc, int16x4_t even, int16x4_t odd, int16x8_t x) {
  return vmlal_laneq_s16(vmlal_laneq_s16(acc, even, x, lane), odd, x, lane + 1);
}
template <int lane>
LECTERN_LANES int32x4_t dot_words_lane_high(int32x4_t acc, int16x8_t even, int16x8_t odd, int16x8_t x) {
  return vmlal_high_laneq_s16(vmlal_high_laneq_s16(acc, even, x, lane), odd, x, lane + 1);
}
template <int pair>
LECTERN_LANES Ints dot_words_pair(Ints acc, Bytes w, int16x8_t x) {
  const int16x8_t a = vreinterpretq_s16_u8(w.a), b = vreinterpretq_s16_u8(w.b), c = vreinterpretq_s16_u8(w.c), d = vreinterpretq_s16_u8(w.d);
  const int16x8_t even = vuzp1q_s16(a, b), odd = vuzp2q_s16(a, b), later_even = vuzp1q_s16(c, d), later_odd = vuzp2q_s16(c, d);
  return {dot_words_lane<2 * pair>(acc.a, vget_low_s16(even), vget_low_s16(odd), x), dot_words_lane_high<2 * pair>(acc.b, even, odd, x),
          dot_words_lane<2 * pair>(acc.c, vget_low_s16(later_even), vget_low_s16(later_odd), x), dot_words_lane_high<2 * pair>(acc.d, later_even, later_odd, x)};
}
LECTERN_LANES Ints dot_words(Ints acc, Bytes w, const std::int8_t* x, int step) {
  const int16x8_t eight = vreinterpretq_s16_s8(vld1q_s8(x + step / 4 * 16));
  switch (step % 4) {
    case 0: return dot_words_pair<0>(acc, w, eight);
    case 1: return dot_words_pair<1>(acc, w, eight);
    case 2: return dot_words_pair<2>(acc, w, eight);
    default: return dot_words_pair<3>(acc, w, eight);
  }
}

LECTERN_LANES Ints dot_itself(Ints acc, Bytes w) { return {dot_itself(acc.a, w.a), dot_itself(acc.b, w.b), dot_itself(acc.c, w.c), dot_itself(acc.d, w.d)}; }

}  // namespace
}  // namespace lectern::cpu
