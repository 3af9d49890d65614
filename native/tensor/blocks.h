// The quantised block formats of GGUF, byte for byte as they lie in a file (little endian). C++17: the CUDA sources see this file.
//
// In each, `e` is the element's place in its block and x its value; q is the stored integer.
#pragma once

#include <cstdint>

namespace lectern {

using f16_bits = std::uint16_t;

/// x = d * (q - 8); element e < 16 is the low nibble of qs[e], e >= 16 the high nibble of qs[e - 16].
struct BlockQ4_0 {
  f16_bits d;
  std::uint8_t qs[16];
};

/// x = d * q + m; nibbles as in Q4_0.
struct BlockQ4_1 {
  f16_bits d;
  f16_bits m;
  std::uint8_t qs[16];
};

/// x = d * (q - 16); the low four bits as in Q4_0, the fifth is bit e of qh.
struct BlockQ5_0 {
  f16_bits d;
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};

/// x = d * q + m; bits as in Q5_0.
struct BlockQ5_1 {
  f16_bits d;
  f16_bits m;
  std::uint8_t qh[4];
  std::uint8_t qs[16];
};

/// x = d * q.
struct BlockQ8_0 {
  f16_bits d;
  std::int8_t qs[32];
};

/// Sixteen sub-blocks of 16: x = d * (scales & 15) * q - dmin * (scales >> 4), q of two bits.
struct BlockQ2_K {
  std::uint8_t scales[16];
  std::uint8_t qs[64];
  f16_bits d;
  f16_bits dmin;
};

/// Sixteen sub-blocks of 16 with 6-bit scales: x = d * (scale - 32) * q, q of three bits less 4.
struct BlockQ3_K {
  std::uint8_t hmask[32];
  std::uint8_t qs[64];
  std::uint8_t scales[12];
  f16_bits d;
};

/// Eight sub-blocks of 32 with 6-bit scales and minima: x = d * scale * q - dmin * min.
struct BlockQ4_K {
  f16_bits d;
  f16_bits dmin;
  std::uint8_t scales[12];
  std::uint8_t qs[128];
};

/// As Q4_K, with the fifth bit of element 32 * j + l as bit j of qh[l].
struct BlockQ5_K {
  f16_bits d;
  f16_bits dmin;
  std::uint8_t scales[12];
  std::uint8_t qh[32];
  std::uint8_t qs[128];
};

/// Sixteen sub-blocks of 16: x = d * scale * (q - 32), q of six bits.
struct BlockQ6_K {
  std::uint8_t ql[128];
  std::uint8_t qh[64];
  std::int8_t scales[16];
  f16_bits d;
};

/// x = d * iq4_values[q]; nibbles as in Q4_0.
struct BlockIQ4_NL {
  f16_bits d;
  std::uint8_t qs[16];
};

/// Eight sub-blocks of 32 with 6-bit scales: x = d * (scale - 32) * iq4_values[q].
struct BlockIQ4_XS {
  f16_bits d;
  std::uint16_t scales_h;
  std::uint8_t scales_l[4];
  std::uint8_t qs[128];
};

/// x = d * (q - 1) with ternary q. A byte b holds digits in base 3, rounded up to a fraction of 256: digit n is (b * 3^n mod 256) * 3 / 256. Elements 32 n + m are digit n of
/// qs[m], m < 32, n < 5; elements 160 + 16 n + m digit n of qs[32 + m], m < 16; elements 240 + 4 n + m digit n of qh[m], m < 4, n < 4.
struct BlockTQ1_0 {
  std::uint8_t qs[48];
  std::uint8_t qh[4];
  f16_bits d;
};

/// x = d * (q - 1), q of two bits as in Q2_K.
struct BlockTQ2_0 {
  std::uint8_t qs[64];
  f16_bits d;
};

/// OCP Microscaling MXFP4: x = 2^(e - 128) * mxfp4_values[q], twice the values of E2M1; nibbles as in Q4_0.
struct BlockMXFP4 {
  std::uint8_t e;
  std::uint8_t qs[16];
};

inline constexpr std::int8_t mxfp4_values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// What IQ2_XXS, IQ2_XS and IQ2_S become on a GPU: x = d / 8 * scales[e / 16] * v, v = 8, 25 or 43 for the indices 0 to 2, -8, -25 or -43 for 8 to 10; in each 32 elements nibbles as
/// in Q4_0.
struct BlockIndices2 {
  f16_bits d;
  std::int8_t scales[16];
  std::uint8_t qs[128];
};

/// 2^(e - 128) as bf16, which has all of them (0 and 1 as subnormal numbers).
constexpr std::uint16_t mxfp4_scale(std::uint8_t e) { return e >= 2 ? static_cast<std::uint16_t>((e - 1) << 7) : static_cast<std::uint16_t>(e == 0 ? 0x20 : 0x40); }

/// Digit n of a byte of TQ1_0; power: 3^n.
constexpr int ternary_digit(std::uint8_t byte, int power) { return ((byte * power) & 255) * 3 >> 8; }

inline constexpr std::int8_t iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 && sizeof(BlockQ5_1) == 24);
static_assert(sizeof(BlockQ8_0) == 34 && sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144);
static_assert(sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210 && sizeof(BlockIQ4_NL) == 18 && sizeof(BlockIQ4_XS) == 136);
static_assert(sizeof(BlockTQ1_0) == 54 && sizeof(BlockTQ2_0) == 66 && sizeof(BlockMXFP4) == 17 && sizeof(BlockIndices2) == 146);

/// The quants of TQ1_0, 0 to 2, in the order of the elements.
inline void ternary_quants(const BlockTQ1_0& block, std::uint8_t (&q)[256]) {
  for (int n = 0, power = 1; n < 5; n++, power *= 3) {
    for (int m = 0; m < 32; m++) q[32 * n + m] = static_cast<std::uint8_t>(ternary_digit(block.qs[m], power));
    for (int m = 0; m < 16; m++) q[160 + 16 * n + m] = static_cast<std::uint8_t>(ternary_digit(block.qs[32 + m], power));
    for (int m = 0; m < 4 && n < 4; m++) q[240 + 4 * n + m] = static_cast<std::uint8_t>(ternary_digit(block.qh[m], power));
  }
}

/// The 6-bit scale and minimum of sub-block j (0..7) of Q4_K and Q5_K.
struct ScaleMin {
  std::uint8_t scale;
  std::uint8_t min;
};

inline ScaleMin scale_min(const std::uint8_t* scales, int j) {
  if (j < 4) return {static_cast<std::uint8_t>(scales[j] & 63), static_cast<std::uint8_t>(scales[j + 4] & 63)};
  return {static_cast<std::uint8_t>((scales[j + 4] & 15) | ((scales[j - 4] >> 6) << 4)),
          static_cast<std::uint8_t>((scales[j + 4] >> 4) | ((scales[j] >> 6) << 4))};
}

/// The 6-bit scale of sub-block s (0..15) of Q3_K, before 32 is taken off.
inline int q3_k_scale(const std::uint8_t* scales, int s) {
  const int low = s < 8 ? scales[s] & 15 : scales[s - 8] >> 4;
  const int high = (scales[8 + s % 4] >> (2 * (s / 4))) & 3;
  return low | (high << 4);
}

/// The 6-bit scale of sub-block b (0..7) of IQ4_XS, before 32 is taken off.
inline int iq4_xs_scale(const BlockIQ4_XS& block, int b) {
  return ((block.scales_l[b / 2] >> (4 * (b % 2))) & 15) | (((block.scales_h >> (2 * b)) & 3) << 4);
}

}  // namespace lectern
