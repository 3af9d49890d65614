// The two 16-bit float formats as floats and back, exact and without any instruction set. C++17: the CUDA sources see this file.
#pragma once

#include <cstdint>
#include <cstring>

namespace lectern {

inline float float_from_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// IEEE 754 binary16 to binary32: exact for every value, NaN payloads kept.
inline float float_from_f16(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t mantissa = half & 0x3FFU;
  if (exponent == 0x1FU) return float_from_bits(sign | 0x7F800000U | (mantissa << 13));
  if (exponent != 0) return float_from_bits(sign | ((exponent + 112U) << 23) | (mantissa << 13));
  // Subnormal: the mantissa counts units of 2^-24, which float holds exactly.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return float_from_bits(sign | bits_of(magnitude));
}

/// Rounds to nearest, ties to even; overflow gives infinity, NaN stays NaN.
inline std::uint16_t f16_from_float(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // from 65520 on
  if (magnitude < 0x38800000U) {
    // Below 2^-14: adding 0.5 puts the result's 10 bits at the end of the float's mantissa, rounded by the addition itself.
    const float shifted = float_from_bits(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (bits_of(shifted) - 0x3F000000U));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xFFFU + odd) >> 13));
}

inline float float_from_bf16(std::uint16_t brain) { return float_from_bits(static_cast<std::uint32_t>(brain) << 16); }

/// Rounds to nearest, ties to even; NaN stays NaN.
inline std::uint16_t bf16_from_float(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace lectern
