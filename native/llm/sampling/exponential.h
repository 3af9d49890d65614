// e to the power of x, the same bits on every machine: what a mathematical library rounds as it likes may not choose a token.
#pragma once

#include <bit>
#include <cstdint>

namespace lectern::llm {

/// For x <= 0, also -inf; relative error below 4e-16. Below -700, where the result would be 1e-304, it is 0. Made of operations that
/// IEEE 754 fixes and without a branch, so that a compiler can run several side by side; files that use it are built with
/// -ffp-contract=off.
[[gnu::always_inline]] inline double exponential(double x) {
  constexpr double least = -700;
  // Adding and taking off 1.5 * 2^52 rounds to a whole number, which then stands in the low bits.
  constexpr double rounder = 0x1.8p52;
  // ln 2 in two parts: the first has so few bits that its product with a whole number below 2^11 is exact (Cody and Waite, 1980).
  constexpr double ln2_high = 0x1.62e42fee00000p-1;
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  const double bounded = x > least ? x : least;
  const double shifted = bounded * 0x1.71547652b82fep+0 + rounder;
  const double twos = shifted - rounder;
  const double r = (bounded - twos * ln2_high) - twos * ln2_low;
  // Taylor to the 12th power: |r| <= ln 2 / 2, so the next term is below 1.8e-16.
  double p = 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  const double scaled = std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52));
  return x > least ? scaled : 0;
}

}  // namespace lectern::llm
