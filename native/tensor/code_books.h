// The types whose blocks hold numbers of entries in a code book (IQ1, IQ2, IQ3): 8 or 4 elements are one entry. Every value is d times a scale of five bits times one of at most sixteen
// numbers, so their products can be computed like those of the other types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/blocks.h"
#include "tensor/dtype.h"

namespace lectern {

/// A block of 256 elements: x = d * code_factor(type) * scales[e / 16] * v[e].
struct CodeBlock {
  f16_bits d;
  std::int8_t scales[16];
  std::int8_t v[256];
};

/// 1/8 for types of two bits (v = +-8, +-25, +-43) and of one bit (+-1, +-7, +-9), 1/4 for IQ3_XXS (+-4, 12, 20, 28, 36, 44, 52, 62), 1 for IQ3_S (odd numbers to 15).
constexpr float code_factor(DType dtype) { return dtype == DType::iq3_s ? 1.0F : dtype == DType::iq3_xxs ? 0.25F : 0.125F; }

/// The place of a value among the sixteen of its type: those above zero in order, and from eight on the same less than zero.
int code_index(DType dtype, int v);

/// `block`: one of a type with a code book, at any address.
void read_code_block(DType dtype, const void* block, CodeBlock& out);

/// Writes `elements` elements as BlockIndices2 (types of two bits) or BlockQ6_K (the others). Exact, but for a d of IQ1 or IQ3_XXS below 2^-11, whose eighth or half is rounded to a
/// subnormal f16.
void transcode(DType dtype, const void* source, std::int64_t elements, void* out);

}  // namespace lectern
