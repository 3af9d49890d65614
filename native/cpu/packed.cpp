#include "cpu/packed.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "cpu/kernels/kernels.h"
#include "tensor/blocks.h"
#include "tensor/code_books.h"
#include "tensor/half.h"

namespace lectern::cpu {
namespace {

/// A dequantised block of any type, in its parts.
struct Parts {
  f16_bits d = 0;
  f16_bits m = 0;
  std::uint8_t scales[16] = {};
  std::uint8_t minima[16] = {};
  std::uint8_t q[256];
};

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

// Loops over bytes with one simple operation each, which the compiler vectorises. q that follows from q is changed in place.

void low_nibbles(const std::uint8_t* from, int count, std::uint8_t* q) {
  for (int i = 0; i < count; i++) q[i] = byte(from[i] & 15);
}

void high_nibbles(const std::uint8_t* from, int count, std::uint8_t* q) {
  for (int i = 0; i < count; i++) q[i] = byte(from[i] >> 4);
}

/// 32 quants of a block that stores two in a byte.
void both_nibbles(const std::uint8_t* qs, std::uint8_t* q) {
  low_nibbles(qs, 16, q);
  high_nibbles(qs, 16, q + 16);
}

/// Copies the bits from `from` on that `mask` selects to bit `to` and on of 32 quants.
void add_bits(const std::uint8_t* bytes, int from, int mask, int to, std::uint8_t* q) {
  for (int i = 0; i < 32; i++) q[i] = byte(q[i] | ((bytes[i] >> from) & mask) << to);
}

/// Copies bit e of four bytes to bit 4 of quant e.
void add_fifth(const std::uint8_t* qh, std::uint8_t* q) {
  for (int i = 0; i < 4; i++) {
    // Byte k keeps bit k of its copy. An addition of 127 carries that bit, wherever it is, to the top.
    const std::uint64_t bits = qh[i] * 0x0101010101010101U & 0x8040201008040201U;
    const std::uint64_t fifths = ((bits + 0x7F7F7F7F7F7F7F7FU) >> 3) & 0x1010101010101010U;
    std::uint64_t quants;
    std::memcpy(&quants, q + 8 * i, sizeof quants);
    quants |= fifths;
    std::memcpy(q + 8 * i, &quants, sizeof quants);
  }
}

void take(const BlockQ4_0& block, Parts& parts) {
  parts.d = block.d;
  both_nibbles(block.qs, parts.q);
}

void take(const BlockQ4_1& block, Parts& parts) {
  parts.d = block.d;
  parts.m = block.m;
  both_nibbles(block.qs, parts.q);
}

void take(const BlockQ5_0& block, Parts& parts) {
  parts.d = block.d;
  both_nibbles(block.qs, parts.q);
  add_fifth(block.qh, parts.q);
}

void take(const BlockQ5_1& block, Parts& parts) {
  parts.d = block.d;
  parts.m = block.m;
  both_nibbles(block.qs, parts.q);
  add_fifth(block.qh, parts.q);
}

void take(const BlockQ8_0& block, Parts& parts) {
  parts.d = block.d;
  std::memcpy(parts.q, block.qs, sizeof block.qs);
}

/// Two bits each of 256 quants.
void two_bits(const std::uint8_t* qs, std::uint8_t* q) {
  std::memset(q, 0, 256);
  for (int s = 0; s < 8; s++) add_bits(qs + 32 * (s / 4), 2 * (s % 4), 3, 0, q + 32 * s);
}

void take(const BlockQ2_K& block, Parts& parts) {
  parts.d = block.d;
  parts.m = block.dmin;
  std::memcpy(parts.scales, block.scales, sizeof block.scales);
  two_bits(block.qs, parts.q);
}

void take(const BlockQ3_K& block, Parts& parts) {
  parts.d = block.d;
  for (int s = 0; s < 16; s++) parts.scales[s] = byte(q3_k_scale(block.scales, s) - 32);
  two_bits(block.qs, parts.q);
  for (int s = 0; s < 8; s++) add_bits(block.hmask, s, 1, 2, parts.q + 32 * s);
}

template <class Block>
void take_4_bits(const Block& block, Parts& parts) {
  parts.d = block.d;
  parts.m = block.dmin;
  for (int j = 0; j < 8; j++) {
    const auto [scale, min] = scale_min(block.scales, j);
    parts.scales[j] = scale;
    parts.minima[j] = min;
  }
  for (int s = 0; s < 8; s++) (s % 2 == 0 ? low_nibbles : high_nibbles)(block.qs + 32 * (s / 2), 32, parts.q + 32 * s);
}

void take(const BlockQ4_K& block, Parts& parts) { take_4_bits(block, parts); }

void take(const BlockQ5_K& block, Parts& parts) {
  take_4_bits(block, parts);
  for (int s = 0; s < 8; s++) add_bits(block.qh, s, 1, 4, parts.q + 32 * s);
}

void take(const BlockQ6_K& block, Parts& parts) {
  parts.d = block.d;
  std::memcpy(parts.scales, block.scales, sizeof block.scales);
  for (int s = 0; s < 8; s++) {
    const int half = s / 4;
    (s % 4 < 2 ? low_nibbles : high_nibbles)(block.ql + 64 * half + 32 * (s % 2), 32, parts.q + 32 * s);
    add_bits(block.qh + 32 * half, 2 * (s % 4), 3, 4, parts.q + 32 * s);
  }
}

void take(const BlockIQ4_NL& block, Parts& parts) {
  parts.d = block.d;
  both_nibbles(block.qs, parts.q);
}

void take(const BlockIQ4_XS& block, Parts& parts) {
  parts.d = block.d;
  for (int b = 0; b < 8; b++) parts.scales[b] = byte(iq4_xs_scale(block, b) - 32);
  for (int s = 0; s < 8; s++) both_nibbles(block.qs + 16 * s, parts.q + 32 * s);
}

void take(const BlockTQ1_0& block, Parts& parts) {
  parts.d = block.d;
  ternary_quants(block, parts.q);
}

void take(const BlockTQ2_0& block, Parts& parts) {
  parts.d = block.d;
  two_bits(block.qs, parts.q);
}

void take(const BlockMXFP4& block, Parts& parts) {
  parts.d = mxfp4_scale(block.e);
  both_nibbles(block.qs, parts.q);
}

template <class Block>
void take_at(const std::byte* source, Parts& parts) {
  Block block;
  std::memcpy(&block, source, sizeof block);
  take(block, parts);
}

void take_codes(DType dtype, const std::byte* source, Parts& parts) {
  CodeBlock code;
  read_code_block(dtype, source, code);
  parts.d = code.d;
  for (int s = 0; s < 16; s++) parts.scales[s] = byte(code.scales[s]);
  for (int e = 0; e < 256; e++) parts.q[e] = byte(code_index(dtype, code.v[e]));
}

void take_block(DType dtype, const std::byte* source, Parts& parts) {
  if (has_code_book(dtype)) return take_codes(dtype, source, parts);
  switch (dtype) {
    case DType::q4_0: return take_at<BlockQ4_0>(source, parts);
    case DType::q4_1: return take_at<BlockQ4_1>(source, parts);
    case DType::q5_0: return take_at<BlockQ5_0>(source, parts);
    case DType::q5_1: return take_at<BlockQ5_1>(source, parts);
    case DType::q8_0: return take_at<BlockQ8_0>(source, parts);
    case DType::q2_k: return take_at<BlockQ2_K>(source, parts);
    case DType::q3_k: return take_at<BlockQ3_K>(source, parts);
    case DType::q4_k: return take_at<BlockQ4_K>(source, parts);
    case DType::q5_k: return take_at<BlockQ5_K>(source, parts);
    case DType::q6_k: return take_at<BlockQ6_K>(source, parts);
    case DType::iq4_nl: return take_at<BlockIQ4_NL>(source, parts);
    case DType::iq4_xs: return take_at<BlockIQ4_XS>(source, parts);
    case DType::tq1_0: return take_at<BlockTQ1_0>(source, parts);
    case DType::tq2_0: return take_at<BlockTQ2_0>(source, parts);
    case DType::mxfp4: return take_at<BlockMXFP4>(source, parts);
    default: return;
  }
}

/// Four columns of one row.
using Word = std::uint32_t;
/// One sub-block of a group: vector j has columns 4j to 4j + 3 of every row.
using Vectors = Word[8][group_rows];

constexpr Word in_every_byte(Word value) { return value * 0x01010101U; }

/// plane |= the bits from `from` on of the vector that `mask` selects, moved to bit `to` and on.
void put_bits(const Word (&vector)[group_rows], int from, Word mask, int to, Word (&plane)[group_rows]) {
  for (int r = 0; r < group_rows; r++) plane[r] |= ((vector[r] >> from) & in_every_byte(mask)) << to;
}

/// The bit planes of one sub-block.
void write_planes(const Vectors& vectors, int bits, std::uint8_t* out) {
  Vectors planes = {};
  int plane = 0;
  int done = 0;
  if (bits == 8) {
    std::memcpy(out, vectors, sizeof vectors);
    return;
  }
  if (bits >= 4) {
    for (int j = 0; j < 8; j++) put_bits(vectors[j], 0, 15, j < 4 ? 0 : 4, planes[j % 4]);
    plane = 4;
    done = 4;
  }
  if (bits - done >= 2) {
    for (int j = 0; j < 8; j++) put_bits(vectors[j], done, 3, 2 * (j % 4), planes[plane + j / 4]);
    plane += 2;
    done += 2;
  }
  if (bits - done == 1) {
    for (int j = 0; j < 8; j++) put_bits(vectors[j], done, 1, j, planes[plane]);
  }
  std::memcpy(out, planes, static_cast<std::size_t>(bits) * 64);
}

void write_header(const PackedFormat& format, const Parts& parts, int row, std::uint8_t* header) {
  std::memcpy(header + 2 * row, &parts.d, 2);
  header += 2 * group_rows;
  if (format.minimum) {
    std::memcpy(header + 2 * row, &parts.m, 2);
    header += 2 * group_rows;
  }
  for (int s = 0; s < format.scales; s++) header[s * group_rows + row] = parts.scales[s];
  header += format.scales * group_rows;
  for (int s = 0; s < format.minima; s++) header[s * group_rows + row] = parts.minima[s];
}

void pack_floats(const std::byte* source, int columns, int rows, std::byte* out) {
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < columns; c++) {
      const std::size_t from = static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c);
      std::memcpy(out + static_cast<std::size_t>(c * group_rows + r) * sizeof(float), source + from * sizeof(float), sizeof(float));
    }
  }
}

float half_value(std::uint16_t half) {
  // Moves exponent and mantissa to their place in float. The result is too small by 2^112, also for subnormal numbers. Infinities and
  // NaN become finite numbers above the range of the others: 65536 and more.
  const std::uint32_t bits = static_cast<std::uint32_t>(half & 0x7FFF) << 13;
  const float value = std::bit_cast<float>(bits) * 0x1p112F;
  return (half & 0x8000) != 0 ? -value : value;
}

/// Converts 32 half floats to integers. Returns their scale as bf16, which is NaN if one of them is not finite.
std::uint16_t wide_quants(DType dtype, const std::uint16_t (&halves)[32], std::int16_t (&q)[32]) {
  float values[32];
  const bool is_f16 = dtype == DType::f16;
  for (int i = 0; i < 32; i++) values[i] = is_f16 ? half_value(halves[i]) : float_from_bf16(halves[i]);
  float most = 0;
  for (int i = 0; i < 32; i++) most = std::max(most, std::fabs(values[i]));
  int strange = 0;
  const int infinity = is_f16 ? 0x7C00 : 0x7F80;
  for (int i = 0; i < 32; i++) strange += (halves[i] & infinity) == infinity ? 1 : 0;
  if (strange > 0 || most < 1e-30F) {
    std::memset(q, 0, sizeof q);
    return strange > 0 ? 0x7FC0 : 0;
  }
  // Rounded up, so that the largest fits into the bits.
  const auto scale = static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(most / most_wide_quant) >> 16) + 1);
  const float inverse = 1.0F / float_from_bf16(scale);
  // The sum with a number this large is rounded to an integer, which is then in the lowest bits.
  constexpr float rounder = 12582912.0F;
  for (int i = 0; i < 32; i++) q[i] = static_cast<std::int16_t>(std::bit_cast<std::int32_t>(values[i] * inverse + rounder) - std::bit_cast<std::int32_t>(rounder));
  return scale;
}

void pack_halves(DType dtype, const std::byte* source, int columns, int rows, std::byte* out) {
  for (int r = 0; r < rows; r++) {
    const std::byte* row = source + static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) * 2;
    for (int c = 0; c < columns; c += 32) {
      std::uint16_t halves[32] = {};
      std::memcpy(halves, row + std::ptrdiff_t{2} * c, 2 * static_cast<std::size_t>(std::min(32, columns - c)));
      std::int16_t q[32];
      const std::uint16_t scale = wide_quants(dtype, halves, q);
      const PackedPlace place = packed_place(dtype, c / 32);
      std::memcpy(out + place.header + 2 * r, &scale, sizeof scale);
      for (int j = 0; j < 16; j++) std::memcpy(out + place.quants + 64 * j + 4 * r, q + 2 * j, 4);
    }
  }
}

constexpr std::size_t aligned(std::size_t bytes, std::size_t unit = 64) { return (bytes + unit - 1) / unit * unit; }

struct BlockBytes {
  explicit BlockBytes(const PackedFormat& format)
      : header(static_cast<std::size_t>(group_rows * (format.minimum ? 4 : 2) + group_rows * (format.scales + format.minima))),
        quants(static_cast<std::size_t>(format.block / 32 * format.bits) * 64),
        together(static_cast<std::size_t>(header_blocks(static_cast<int>(header)))) {}

  std::size_t header, quants, together;  // together: in blocks
};

}  // namespace

const PackedFormat& packed_format(DType dtype) {
  static constexpr PackedFormat floats{1, 0, false, 0, 0}, halves{32, 16, false, 0, 0};
  static constexpr PackedFormat q4_0{32, 4, false, 0, 0}, q4_1{32, 4, true, 0, 0}, q5_0{32, 5, false, 0, 0}, q5_1{32, 5, true, 0, 0};
  static constexpr PackedFormat q8_0{32, 8, false, 0, 0}, q2_k{256, 2, true, 16, 0}, q3_k{256, 3, false, 16, 0};
  static constexpr PackedFormat q4_k{256, 4, true, 8, 8}, q5_k{256, 5, true, 8, 8}, q6_k{256, 6, false, 16, 0}, iq4_xs{256, 4, false, 8, 0}, ternary{256, 2, false, 0, 0}, codes{256, 4, false, 16, 0};
  switch (dtype) {
    case DType::q4_0:
    case DType::mxfp4:
    case DType::iq4_nl: return q4_0;
    case DType::q4_1: return q4_1;
    case DType::q5_0: return q5_0;
    case DType::q5_1: return q5_1;
    case DType::q8_0: return q8_0;
    case DType::q2_k: return q2_k;
    case DType::q3_k: return q3_k;
    case DType::q4_k: return q4_k;
    case DType::q5_k: return q5_k;
    case DType::q6_k: return q6_k;
    case DType::iq4_xs: return iq4_xs;
    case DType::tq1_0:
    case DType::tq2_0: return ternary;
    case DType::f16:
    case DType::bf16: return halves;
    case DType::f32: return floats;
    default: break;  // has_code_book()
  }
  return codes;
}

int activation_bits(DType dtype) {
  const int bits = packed_format(dtype).bits;
  return bits == 0 || bits == 16 ? bits : 8;
}

PackedPlace packed_place(DType dtype, int block) {
  const BlockBytes bytes(packed_format(dtype));
  const auto own = static_cast<std::size_t>(block) % bytes.together;
  const std::size_t begin = (static_cast<std::size_t>(block) - own) * (bytes.header + bytes.quants);
  return {begin + own * bytes.header, begin + bytes.together * bytes.header + own * bytes.quants};
}

std::size_t packed_group_bytes(DType dtype, int columns) {
  const PackedFormat& format = packed_format(dtype);
  if (format.bits == 0) return aligned(row_bytes(dtype, columns) * group_rows);
  const BlockBytes bytes(format);
  const auto blocks = static_cast<std::size_t>((columns + format.block - 1) / format.block);
  return aligned(blocks * bytes.header, bytes.together * bytes.header) + blocks * bytes.quants;
}

void pack_group(DType dtype, const std::byte* source, int columns, int rows, std::byte* out) {
  std::memset(out, 0, packed_group_bytes(dtype, columns));
  const PackedFormat& format = packed_format(dtype);
  const DTypeInfo& type = info_of(dtype);
  if (format.bits == 0) return pack_floats(source, columns, rows, out);
  if (format.bits == 16) return pack_halves(dtype, source, columns, rows, out);
  auto* const group = reinterpret_cast<std::uint8_t*>(out);
  const int blocks = columns / format.block;
  const int subs = format.block / 32;
  for (int b = 0; b < blocks; b++) {
    const PackedPlace place = packed_place(dtype, b);
    Vectors vectors[8] = {};
    for (int r = 0; r < rows; r++) {
      Parts parts;
      take_block(dtype, source + static_cast<std::size_t>(r * blocks + b) * static_cast<std::size_t>(type.block_bytes), parts);
      write_header(format, parts, r, group + place.header);
      for (int word = 0; word < 8 * subs; word++) std::memcpy(&vectors[word / 8][word % 8][r], parts.q + 4 * word, sizeof(Word));
    }
    for (int s = 0; s < subs; s++) write_planes(vectors[s], format.bits, group + place.quants + s * format.bits * 64);
  }
}

}  // namespace lectern::cpu
