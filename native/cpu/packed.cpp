#include "cpu/packed.h"

#include <cstring>

#include "tensor/blocks.h"

namespace lectern::cpu {
namespace {

/// A block of any quantised type, taken apart.
struct Parts {
  f16_bits d = 0;
  f16_bits m = 0;
  std::uint8_t scales[16] = {};
  std::uint8_t minima[16] = {};
  std::uint8_t q[256] = {};
};

std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value); }

int nibble(const std::uint8_t* qs, int e) { return e < 16 ? qs[e] & 15 : qs[e - 16] >> 4; }

int fifth(const std::uint8_t* qh, int e) { return ((qh[e / 8] >> (e % 8)) & 1) << 4; }

void take(const BlockQ4_0& block, Parts& parts) {
  parts.d = block.d;
  for (int e = 0; e < 32; e++) parts.q[e] = byte(nibble(block.qs, e));
}

void take(const BlockQ4_1& block, Parts& parts) {
  parts.d = block.d;
  parts.m = block.m;
  for (int e = 0; e < 32; e++) parts.q[e] = byte(nibble(block.qs, e));
}

void take(const BlockQ5_0& block, Parts& parts) {
  parts.d = block.d;
  for (int e = 0; e < 32; e++) parts.q[e] = byte(nibble(block.qs, e) | fifth(block.qh, e));
}

void take(const BlockQ5_1& block, Parts& parts) {
  parts.d = block.d;
  parts.m = block.m;
  for (int e = 0; e < 32; e++) parts.q[e] = byte(nibble(block.qs, e) | fifth(block.qh, e));
}

void take(const BlockQ8_0& block, Parts& parts) {
  parts.d = block.d;
  std::memcpy(parts.q, block.qs, sizeof block.qs);
}

void take(const BlockQ2_K& block, Parts& parts) {
  parts.d = block.d;
  parts.m = block.dmin;
  std::memcpy(parts.scales, block.scales, sizeof block.scales);
  for (int e = 0; e < 256; e++) parts.q[e] = byte((block.qs[32 * (e / 128) + e % 32] >> (2 * (e % 128 / 32))) & 3);
}

void take(const BlockQ3_K& block, Parts& parts) {
  parts.d = block.d;
  for (int s = 0; s < 16; s++) parts.scales[s] = byte(q3_k_scale(block.scales, s) - 32);
  for (int e = 0; e < 256; e++) {
    const int low = (block.qs[32 * (e / 128) + e % 32] >> (2 * (e % 128 / 32))) & 3;
    parts.q[e] = byte(low | ((block.hmask[e % 32] >> (e / 32)) & 1) << 2);
  }
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
  for (int e = 0; e < 256; e++) {
    const int both = block.qs[32 * (e / 64) + e % 32];
    parts.q[e] = byte(e / 32 % 2 == 0 ? both & 15 : both >> 4);
  }
}

void take(const BlockQ4_K& block, Parts& parts) { take_4_bits(block, parts); }

void take(const BlockQ5_K& block, Parts& parts) {
  take_4_bits(block, parts);
  for (int e = 0; e < 256; e++) parts.q[e] = byte(parts.q[e] | ((block.qh[e % 32] >> (e / 32)) & 1) << 4);
}

void take(const BlockQ6_K& block, Parts& parts) {
  parts.d = block.d;
  std::memcpy(parts.scales, block.scales, sizeof block.scales);
  for (int e = 0; e < 256; e++) {
    const int half = e / 128;
    const int group = e % 128 / 32;
    const int low = (block.ql[64 * half + 32 * (group % 2) + e % 32] >> (4 * (group / 2))) & 15;
    parts.q[e] = byte(low | ((block.qh[32 * half + e % 32] >> (2 * group)) & 3) << 4);
  }
}

void take(const BlockIQ4_NL& block, Parts& parts) {
  parts.d = block.d;
  for (int e = 0; e < 32; e++) parts.q[e] = byte(nibble(block.qs, e));
}

void take(const BlockIQ4_XS& block, Parts& parts) {
  parts.d = block.d;
  for (int b = 0; b < 8; b++) parts.scales[b] = byte(iq4_xs_scale(block, b) - 32);
  for (int e = 0; e < 256; e++) parts.q[e] = byte(nibble(block.qs + 16 * (e / 32), e % 32));
}

template <class Block>
void take_at(const std::byte* source, Parts& parts) {
  Block block;
  std::memcpy(&block, source, sizeof block);
  take(block, parts);
}

void take_block(DType dtype, const std::byte* source, Parts& parts) {
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
    case DType::f32:
    case DType::f16:
    case DType::bf16: return;
  }
}

/// Adds the 32 quants of row `row` to the planes of one sub-block, which were zero before the first row.
void spread_quants(const std::uint8_t* q, int bits, int row, std::uint8_t* planes) {
  for (int column = 0; column < 32; column++) {
    const int vector = column / 4;
    const int place = 4 * row + column % 4;
    const int value = q[column];
    std::uint8_t* plane = planes;
    const auto put = [&](int which, int shifted) { plane[64 * which + place] = byte(plane[64 * which + place] | shifted); };
    if (bits == 8) {
      put(vector, value);
      continue;
    }
    int used = 0;
    if (bits >= 4) {
      put(vector % 4, (value & 15) << (vector < 4 ? 0 : 4));
      plane += 256;
      used = 4;
    }
    if (bits - used >= 2) {
      put(vector / 4, ((value >> used) & 3) << (2 * (vector % 4)));
      plane += 128;
      used += 2;
    }
    if (bits - used == 1) put(0, ((value >> used) & 1) << vector);
  }
}

void pack_floats(std::size_t element, const std::byte* source, int columns, int rows, std::byte* out) {
  const std::size_t length = static_cast<std::size_t>(columns) * element;
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < columns; c++) {
      std::memcpy(out + static_cast<std::size_t>(c * group_rows + r) * element,
                  source + static_cast<std::size_t>(r) * length + static_cast<std::size_t>(c) * element, element);
    }
  }
}

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::size_t header_bytes(const PackedFormat& format) {
  return static_cast<std::size_t>(2 * group_rows * (format.minimum ? 2 : 1) + group_rows * (format.scales + format.minima));
}

}  // namespace

const PackedFormat& packed_format(DType dtype) {
  static constexpr PackedFormat floats{1, 0, false, 0, 0};
  static constexpr PackedFormat q4_0{32, 4, false, 0, 0}, q4_1{32, 4, true, 0, 0}, q5_0{32, 5, false, 0, 0}, q5_1{32, 5, true, 0, 0};
  static constexpr PackedFormat q8_0{32, 8, false, 0, 0}, q2_k{256, 2, true, 16, 0}, q3_k{256, 3, false, 16, 0};
  static constexpr PackedFormat q4_k{256, 4, true, 8, 8}, q5_k{256, 5, true, 8, 8}, q6_k{256, 6, false, 16, 0}, iq4_xs{256, 4, false, 8, 0};
  switch (dtype) {
    case DType::q4_0:
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
    case DType::f32:
    case DType::f16:
    case DType::bf16: break;
  }
  return floats;
}

std::size_t packed_header_bytes(DType dtype, int columns) {
  const PackedFormat& format = packed_format(dtype);
  if (format.bits == 0) return 0;
  return aligned(static_cast<std::size_t>(columns / format.block) * header_bytes(format));
}

std::size_t packed_group_bytes(DType dtype, int columns) {
  const PackedFormat& format = packed_format(dtype);
  if (format.bits == 0) return aligned(row_bytes(dtype, columns) * group_rows);
  return packed_header_bytes(dtype, columns) + static_cast<std::size_t>(columns / 32) * static_cast<std::size_t>(format.bits) * 64;
}

void pack_group(DType dtype, const std::byte* source, int columns, int rows, std::byte* out) {
  std::memset(out, 0, packed_group_bytes(dtype, columns));
  const PackedFormat& format = packed_format(dtype);
  const DTypeInfo& type = info_of(dtype);
  if (format.bits == 0) return pack_floats(static_cast<std::size_t>(type.block_bytes), source, columns, rows, out);
  auto* const headers = reinterpret_cast<std::uint8_t*>(out);
  std::uint8_t* const quants = headers + packed_header_bytes(dtype, columns);
  const std::size_t sub_block = static_cast<std::size_t>(format.bits) * 64;
  for (int r = 0; r < rows; r++) {
    for (int b = 0; b < columns / format.block; b++) {
      Parts parts;
      take_block(dtype, source, parts);
      source += type.block_bytes;
      std::uint8_t* header = headers + static_cast<std::size_t>(b) * header_bytes(format);
      std::memcpy(header + 2 * r, &parts.d, 2);
      header += 2 * group_rows;
      if (format.minimum) {
        std::memcpy(header + 2 * r, &parts.m, 2);
        header += 2 * group_rows;
      }
      for (int s = 0; s < format.scales; s++) header[s * group_rows + r] = parts.scales[s];
      header += format.scales * group_rows;
      for (int s = 0; s < format.minima; s++) header[s * group_rows + r] = parts.minima[s];
      const int subs = format.block / 32;
      for (int s = 0; s < subs; s++) spread_quants(parts.q + 32 * s, format.bits, r, quants + static_cast<std::size_t>(b * subs + s) * sub_block);
    }
  }
}

}  // namespace lectern::cpu
