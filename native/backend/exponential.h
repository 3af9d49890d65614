// e to the power of x, the same bits on every machine and device: what a mathematical library rounds as it likes may not choose a token.
// C++17: the CUDA sources see this file.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define LECTERN_ANYWHERE __host__ __device__ __forceinline__
#else
#define LECTERN_ANYWHERE [[gnu::always_inline]] inline
#endif

namespace lectern {

/// a * b and a + b, rounded each by itself: a compiler for devices would make one rounding of two. On a host the files that use them are
/// built with -ffp-contract=off.
LECTERN_ANYWHERE double times(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

LECTERN_ANYWHERE double plus(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

LECTERN_ANYWHERE std::uint64_t bits_of_double(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// For x <= 0, also -inf; relative error below 4e-16. Below -700, where the result would be 1e-304, it is 0. Made of operations that
/// IEEE 754 fixes and without a branch, so that a compiler can run several side by side.
LECTERN_ANYWHERE double exponential(double x) {
  constexpr double least = -700;
  // Adding and taking off 1.5 * 2^52 rounds to a whole number, which then stands in the low bits.
  constexpr double rounder = 0x1.8p52;
  // ln 2 in two parts: the first has so few bits that its product with a whole number below 2^11 is exact (Cody and Waite, 1980).
  constexpr double ln2_high = 0x1.62e42fee00000p-1;
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  const double bounded = x > least ? x : least;
  const double shifted = plus(times(bounded, 0x1.71547652b82fep+0), rounder);
  const double twos = plus(shifted, -rounder);
  const double r = plus(plus(bounded, -times(twos, ln2_high)), -times(twos, ln2_low));
  // Taylor to the 12th power: |r| <= ln 2 / 2, so the next term is below 1.8e-16.
  double p = 1.0 / 479001600;
  p = plus(times(p, r), 1.0 / 39916800);
  p = plus(times(p, r), 1.0 / 3628800);
  p = plus(times(p, r), 1.0 / 362880);
  p = plus(times(p, r), 1.0 / 40320);
  p = plus(times(p, r), 1.0 / 5040);
  p = plus(times(p, r), 1.0 / 720);
  p = plus(times(p, r), 1.0 / 120);
  p = plus(times(p, r), 1.0 / 24);
  p = plus(times(p, r), 1.0 / 6);
  p = plus(times(p, r), 0.5);
  p = plus(times(p, r), 1);
  p = plus(times(p, r), 1);
  const std::uint64_t scaled_bits = bits_of_double(p) + (bits_of_double(shifted) << 52);
  double scaled = 0;
  std::memcpy(&scaled, &scaled_bits, sizeof scaled);
  return x > least ? scaled : 0;
}

}  // namespace lectern
