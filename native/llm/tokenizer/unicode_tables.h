// The character database as sorted tables; unicode.h has the functions that read them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lectern::llm {

/// From `first` up to the next run every code point has this category: L N M P S Z C or U (see unicode.h).
struct CategoryRun {
  std::uint32_t first;
  char category;
};

struct CodePair {
  std::uint32_t from;
  std::uint32_t to;
};

extern const CategoryRun category_runs[];
extern const std::size_t category_run_count;
/// The same of case: U upper or title case (Lu, Lt), L lower case (Ll), - neither.
extern const CategoryRun case_runs[];
extern const std::size_t case_run_count;
/// Simple lower case.
extern const CodePair lower_pairs[];
extern const std::size_t lower_pair_count;
/// The first code point of the canonical decomposition.
extern const CodePair base_pairs[];
extern const std::size_t base_pair_count;

}  // namespace lectern::llm
