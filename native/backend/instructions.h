// Which vector instructions kernels may use: detected once, at run time, so that one build serves every machine.
#pragma once

#include <string_view>

namespace lectern {

/// In rising order: each level includes the ones before it.
enum class Instructions {
  baseline,  // what the compiler may always assume; plain C++ on every other architecture
  avx2,      // AVX2, FMA, F16C
  avx512,    // AVX-512 F, BW, DQ, VL and VNNI
};

/// The highest level that this processor and its operating system offer.
Instructions available_instructions() noexcept;

std::string_view name_of(Instructions level) noexcept;

}  // namespace lectern
