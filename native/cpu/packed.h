// Matrices in the kernels' order: sixteen rows side by side, one per vector lane, in one stream.
//
// A group of 16 rows consists of blocks, each a header followed by its quants, so that memory is read in one order. If a header
// does not fill whole vectors, the headers of two blocks precede the quants of both (header_blocks); the last block may be
// alone. For f32 the quants are (columns, 16) values without headers.
// Half floats become integers of 14 bits, which the processor multiplies twice as fast and nearly as exactly: for each 32
// columns a header holds the 16 rows' scales as bf16, and the quants are 16 x 64 bytes, vector j with columns 2j and 2j + 1 of
// row r in the two 16-bit words at byte 4r. Columns missing from the last 32 are zeros.
// For quantised types a header holds d of the 16 rows as f16 (MXFP4: as bf16), then, if the type has it, m or dmin in the same form, then the scales of
// all sub-blocks, a byte for each row, then their minima in the same form. The quants come in sub-blocks of 32 columns, in
// bit planes: vector j, 0 to 7, has columns 4j to 4j + 3 of row r in bytes 4r to 4r + 3.
//   four low bits   4 x 64 bytes: vector i in the low, i + 4 in the high nibbles of the i-th
//   two bits        2 x 64 bytes: vector 4h + i in bits 2i and 2i + 1 of the h-th
//   one bit         1 x 64 bytes: vector j in bit j
//   eight bits      8 x 64 bytes
// Five bits are four and one, six are four and two, three are two and one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/tensor.h"

namespace lectern::cpu {

inline constexpr int group_rows = 16;

struct PackedFormat {
  int block;     // columns per header; 1 for f32
  int bits;      // bits of a quant; 0 for f32
  bool minimum;  // m or dmin follows d
  int scales;    // sub-block scales in a header
  int minima;    // sub-block minima in a header
};

const PackedFormat& packed_format(DType dtype);

/// Offsets of a block's header and quants in its group, in bytes.
struct PackedPlace {
  std::size_t header;
  std::size_t quants;  // a multiple of 64
};

/// Not for f32.
PackedPlace packed_place(DType dtype, int block);

/// A multiple of 64.
std::size_t packed_group_bytes(DType dtype, int columns);

/// Bits of activations: 8 for quantised types, 16 for half floats, 0 for f32.
int activation_bits(DType dtype);

inline int group_count(int rows) { return (rows + group_rows - 1) / group_rows; }

/// Writes one group from `rows` rows (1..16) that begin at `source`. Missing rows become zeros.
void pack_group(DType dtype, const std::byte* source, int columns, int rows, std::byte* out);

}  // namespace lectern::cpu
