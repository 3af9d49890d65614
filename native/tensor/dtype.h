// The element types a tensor can have, with the GGUF format's numbers and block sizes. C++17: the CUDA sources see this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lectern {

/// The values are GGUF's type ids.
enum class DType : std::uint8_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  iq2_xxs = 16,
  iq2_xs = 17,
  iq3_xxs = 18,
  iq1_s = 19,
  iq4_nl = 20,
  iq3_s = 21,
  iq2_s = 22,
  iq4_xs = 23,
  iq1_m = 29,
  bf16 = 30,
  tq1_0 = 34,
  tq2_0 = 35,
  mxfp4 = 39,
};

/// The largest number of a type.
constexpr int most_dtype = 39;

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  /// Elements that are stored together; a row is a whole number of blocks.
  int block_elements;
  int block_bytes;
};

inline constexpr std::array<DTypeInfo, 25> dtype_table = {{
    {DType::f32, "F32", 1, 4},
    {DType::f16, "F16", 1, 2},
    {DType::q4_0, "Q4_0", 32, 18},
    {DType::q4_1, "Q4_1", 32, 20},
    {DType::q5_0, "Q5_0", 32, 22},
    {DType::q5_1, "Q5_1", 32, 24},
    {DType::q8_0, "Q8_0", 32, 34},
    {DType::q2_k, "Q2_K", 256, 84},
    {DType::q3_k, "Q3_K", 256, 110},
    {DType::q4_k, "Q4_K", 256, 144},
    {DType::q5_k, "Q5_K", 256, 176},
    {DType::q6_k, "Q6_K", 256, 210},
    {DType::iq4_nl, "IQ4_NL", 32, 18},
    {DType::iq4_xs, "IQ4_XS", 256, 136},
    {DType::bf16, "BF16", 1, 2},
    {DType::iq1_s, "IQ1_S", 256, 50},
    {DType::iq1_m, "IQ1_M", 256, 56},
    {DType::iq2_xxs, "IQ2_XXS", 256, 66},
    {DType::iq2_xs, "IQ2_XS", 256, 74},
    {DType::iq2_s, "IQ2_S", 256, 82},
    {DType::iq3_xxs, "IQ3_XXS", 256, 98},
    {DType::iq3_s, "IQ3_S", 256, 110},
    {DType::tq1_0, "TQ1_0", 256, 54},
    {DType::tq2_0, "TQ2_0", 256, 66},
    {DType::mxfp4, "MXFP4", 32, 17},
}};

/// Whether a block holds numbers of entries in a code book (tensor/code_books.h).
constexpr bool has_code_book(DType dtype) {
  return dtype == DType::iq1_s || dtype == DType::iq1_m || dtype == DType::iq2_xxs || dtype == DType::iq2_xs || dtype == DType::iq2_s || dtype == DType::iq3_xxs || dtype == DType::iq3_s;
}

/// Null for a number that is no type of ours.
constexpr const DTypeInfo* find_dtype(std::uint32_t gguf_id) {
  for (const DTypeInfo& entry : dtype_table) {
    if (static_cast<std::uint32_t>(entry.dtype) == gguf_id) return &entry;
  }
  return nullptr;
}

constexpr const DTypeInfo& info_of(DType dtype) { return *find_dtype(static_cast<std::uint32_t>(dtype)); }

/// Bytes of one row; `elements` must be a multiple of the block.
constexpr std::size_t row_bytes(DType dtype, std::int64_t elements) {
  const DTypeInfo& type = info_of(dtype);
  return static_cast<std::size_t>(elements / type.block_elements) * static_cast<std::size_t>(type.block_bytes);
}

}  // namespace lectern
