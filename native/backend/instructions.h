// Which vector instructions kernels may use: detected once, at run time, so that one build serves every machine.
#pragma once

#include <span>
#include <string_view>

namespace lectern {

/// In rising order: each level includes the ones before it that its architecture has.
enum class Instructions {
  baseline,      // what the compiler may always assume; plain C++
  avx2,          // x86-64: AVX2, FMA, F16C
  avx512,        // x86-64: AVX-512 F, BW, DQ, VL and VNNI
  neon,          // arm64: every such processor has it
  neon_dotprod,  // arm64: FEAT_DotProd, dot products of bytes
  neon_i8mm,     // arm64: FEAT_I8MM as well, matrix products of bytes
};

/// The levels of this architecture, in rising order.
std::span<const Instructions> instruction_levels() noexcept;

/// The highest level that this processor and its operating system offer.
Instructions available_instructions() noexcept;

std::string_view name_of(Instructions level) noexcept;

}  // namespace lectern
