// Repacked weights: the quantised matrices on the device, whose bytes are in another order than in the file, so that every load is aligned and as wide as
// possible. The bit planes of a row, their offsets, and how a quant block of 32 weights is unpacked; one description for all types.
//
// A block of a file begins at an even address at best (18, 22, 34, 110, 210 bytes long), so its loads are 2 bytes wide. Here a row has
// up to five planes, one after the other, each of them an array over the quant blocks of the row:
//   low    16 bytes per quant block (8 for Q2_K, Q3_K, TQ1_0, TQ2_0): the low bits of its quants
//   second 16 bytes: elements 16..31 of Q8_0, so that the 16-byte loads of a warp are contiguous in both halves
//   high   4 or 8 bytes: the bits above the nibbles
//   scale  2 or 4 bytes: the scale of a quant block, with its minimum
//   head   for each eight quant blocks: the fields of a superblock of 256 weights
// Lane l of a warp takes quant block l: its 32 loads of 16 bytes are 512 contiguous bytes.
#pragma once

#include "cuda/simt/simt.h"
#include "tensor/dtype.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Bytes of each plane: of `head` for eight quant blocks, of the others for one; 0: no such plane.
struct PlaneShape {
  int low;
  int second;
  int high;
  int scale;
  int head;
};

constexpr PlaneShape plane_shape(DType type) {
  switch (type) {
    case DType::q4_0:
    case DType::mxfp4:
    case DType::iq4_nl: return {16, 0, 0, 2, 0};
    case DType::q4_1: return {16, 0, 0, 4, 0};
    case DType::q5_0: return {16, 0, 4, 2, 0};
    case DType::q5_1: return {16, 0, 4, 4, 0};
    case DType::q8_0: return {16, 16, 0, 2, 0};
    case DType::q2_k: return {8, 0, 0, 2, 4};
    case DType::q3_k: return {8, 0, 4, 0, 16};
    case DType::q4_k: return {16, 0, 0, 0, 16};
    case DType::q5_k: return {16, 0, 4, 0, 16};
    case DType::q6_k: return {16, 0, 8, 2, 2};
    case DType::iq4_xs: return {16, 0, 0, 0, 8};
    case DType::tq1_0:
    case DType::tq2_0: return {8, 0, 0, 0, 2};
    case DType::iq2_s: return {16, 0, 0, 2, 2};
    default: return {0, 0, 0, 0, 0};
  }
}

/// The type as which a matrix lies on the device. Types with code books are transcoded on the host (tensor/code_books.h): those of two bits to indices of six values, under the name of
/// IQ2_S, the others to Q6_K, which has room for their values.
constexpr DType device_type(DType type) {
  if (!has_code_book(type)) return type;
  return type == DType::iq2_xxs || type == DType::iq2_xs || type == DType::iq2_s ? DType::iq2_s : DType::q6_k;
}

/// A sector, the unit in which memory is read.
constexpr int plane_alignment = 32;

/// Bytes behind the last row of a matrix that copies of whole lines read and ignore (weight_stages.cuh).
constexpr std::size_t read_beyond = 128;

__host__ __device__ constexpr int plane_bytes(int bytes) { return (bytes + plane_alignment - 1) / plane_alignment * plane_alignment; }

/// The planes of a row of `quant_blocks`, in bytes from the beginning of the row; `end` is the next row.
struct PlaneOffsets {
  int second;
  int high;
  int scale;
  int head;
  int end;
};

__host__ __device__ constexpr PlaneOffsets plane_offsets(PlaneShape shape, int quant_blocks) {
  PlaneOffsets at{};
  at.second = plane_bytes(shape.low * quant_blocks);
  at.high = at.second + plane_bytes(shape.second * quant_blocks);
  at.scale = at.high + plane_bytes(shape.high * quant_blocks);
  at.head = at.scale + plane_bytes(shape.scale * quant_blocks);
  at.end = at.head + plane_bytes(shape.head * ((quant_blocks + 7) / 8));
  return at;
}

/// Bytes of a part of a row, plane by plane, rounded up to what copies take: planes are padded to whole sectors, so the padding may be copied.
struct PlaneCopyBytes {
  int low;
  int second;
  int high;
  int scale;
  int head;
  __host__ __device__ constexpr int all() const { return low + second + high + scale + head; }
};

/// Of `count` quant blocks.
__host__ __device__ constexpr PlaneCopyBytes plane_copy_bytes(PlaneShape shape, int count) {
  return {(shape.low * count + 15) / 16 * 16, (shape.second * count + 15) / 16 * 16, (shape.high * count + 15) / 16 * 16, (shape.scale * count + 15) / 16 * 16, (shape.head * ((count + 7) / 8) + 15) / 16 * 16};
}

/// Of one row on the device. Rows of float types stay as they are, padded at the end.
constexpr std::size_t repacked_row_bytes(DType type, std::int64_t columns) {
  if (info_of(type).block_elements == 1) return (row_bytes(type, columns) + plane_alignment - 1) / plane_alignment * plane_alignment;
  return static_cast<std::size_t>(plane_offsets(plane_shape(type), static_cast<int>(columns / 32)).end);
}

template <DType type>
inline constexpr bool is_quantised = info_of(type).block_elements > 1;
/// Whether the type has superblocks of 256 weights: rows have multiples of eight quant blocks.
template <DType type>
inline constexpr bool has_superblock_head = info_of(type).block_elements == 256;
template <DType type>
inline constexpr PlaneShape plane_shape_of = plane_shape(type);

/// Calls work.run<type>() for a quantised type.
template <class Work>
__device__ __forceinline__ void dispatch_quantised(DType type, Work& work) {
  switch (type) {
    case DType::q4_0: work.template run<DType::q4_0>(); break;
    case DType::q4_1: work.template run<DType::q4_1>(); break;
    case DType::q5_0: work.template run<DType::q5_0>(); break;
    case DType::q5_1: work.template run<DType::q5_1>(); break;
    case DType::q8_0: work.template run<DType::q8_0>(); break;
    case DType::q2_k: work.template run<DType::q2_k>(); break;
    case DType::q3_k: work.template run<DType::q3_k>(); break;
    case DType::q4_k: work.template run<DType::q4_k>(); break;
    case DType::q5_k: work.template run<DType::q5_k>(); break;
    case DType::q6_k: work.template run<DType::q6_k>(); break;
    case DType::iq4_nl: work.template run<DType::iq4_nl>(); break;
    case DType::iq4_xs: work.template run<DType::iq4_xs>(); break;
    case DType::tq1_0: work.template run<DType::tq1_0>(); break;
    case DType::tq2_0: work.template run<DType::tq2_0>(); break;
    case DType::mxfp4: work.template run<DType::mxfp4>(); break;
    case DType::iq2_s: work.template run<DType::iq2_s>(); break;
    default: break;
  }
}

/// The zero point, which is subtracted from a quant before it is scaled.
template <DType type>
inline constexpr int zero_of = type == DType::q4_0 ? 8 : type == DType::q5_0 ? 16 : type == DType::q6_k ? 32 : type == DType::q3_k ? 4 : type == DType::tq1_0 || type == DType::tq2_0 ? 1 : 0;
/// Whether a quant is an index into a table of sixteen signed bytes.
template <DType type>
inline constexpr bool has_table = type == DType::iq4_nl || type == DType::iq4_xs || type == DType::mxfp4 || type == DType::iq2_s;
/// Whether quants are signed bytes; otherwise they are less than 128.
template <DType type>
inline constexpr bool has_signed_quants = type == DType::q8_0 || has_table<type>;
/// Whether the format has a minimum, which is added to the scaled quant.
template <DType type>
inline constexpr bool has_offset = type == DType::q4_1 || type == DType::q5_1 || type == DType::q2_k || type == DType::q4_k || type == DType::q5_k;
/// Whether the two halves of 16 weights have scales of their own.
template <DType type>
inline constexpr bool scales_by_sixteen = type == DType::q2_k || type == DType::q3_k || type == DType::q6_k || type == DType::iq2_s;

/// A quant block as loaded: few enough registers to have several rows in flight. Members that a type lacks cost nothing.
struct RawQuantBlock {
  Words<4> low;
  Words<4> second;
  Words<2> high;
  std::uint32_t scale;
  Words<4> head;
};

/// 32 weights, w = factor * q + offset, with a factor and an offset for each 16; q are signed bytes, and the offset includes the zero point.
struct alignas(16) WeightBlock {
  int q[8];
  float factor[2];
  float offset[2];
};

/// The addresses of the planes' parts for one quant block, in global or shared memory.
template <class Place>
struct QuantBlockAddresses {
  Place low;
  Place second;
  Place high;
  Place scale;
  Place head;
};

/// Loads the fields of the superblock of a quant block.
template <DType type, CachePolicy scales, class Place>
__device__ __forceinline__ void load_head(Place head, RawQuantBlock& raw) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  if constexpr (shape.head == 16) raw.head = load_constant<Words<4>, scales>(head);
  if constexpr (shape.head == 8) {
    const auto two = load_constant<Words<2>, scales>(head);
    raw.head.w[0] = two.w[0];
    raw.head.w[1] = two.w[1];
  }
  if constexpr (shape.head == 4) raw.head.w[0] = load_constant<Words<1>, scales>(head).w[0];
  if constexpr (shape.head == 2) raw.head.w[0] = load_constant<std::uint16_t, scales>(head);
}

/// `quants`, `scales`: the L1 cache policy of those planes.
template <DType type, CachePolicy quants, CachePolicy scales, class Place>
__device__ __forceinline__ RawQuantBlock load_quant_block(const QuantBlockAddresses<Place>& at) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  RawQuantBlock raw;
  if constexpr (shape.low == 16) raw.low = load_constant<Words<4>, quants>(at.low);
  if constexpr (shape.low == 8) {
    const auto low = load_constant<Words<2>, quants>(at.low);
    raw.low.w[0] = low.w[0];
    raw.low.w[1] = low.w[1];
  }
  if constexpr (shape.second == 16) raw.second = load_constant<Words<4>, quants>(at.second);
  if constexpr (shape.high == 8) raw.high = load_constant<Words<2>, quants>(at.high);
  if constexpr (shape.high == 4) raw.high.w[0] = load_constant<Words<1>, quants>(at.high).w[0];
  if constexpr (shape.scale == 4) raw.scale = load_constant<Words<1>, scales>(at.scale).w[0];
  if constexpr (shape.scale == 2) raw.scale = load_constant<std::uint16_t, scales>(at.scale);
  load_head<type, scales>(at.head, raw);
  return raw;
}

/// Quant block `quant_block` of a contiguous row.
template <DType type, CachePolicy quants = CachePolicy::no_allocate, CachePolicy scales = CachePolicy::no_allocate>
__device__ __forceinline__ RawQuantBlock load_quant_block(const std::uint8_t* row, const PlaneOffsets& at, int quant_block) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  return load_quant_block<type, quants, scales>(QuantBlockAddresses<const std::uint8_t*>{row + shape.low * quant_block, row + at.second + shape.second * quant_block, row + at.high + shape.high * quant_block, row + at.scale + shape.scale * quant_block, row + at.head + shape.head * (quant_block >> 3)});
}

/// For types with superblocks: quant blocks `even` and the next, which have one head and whose other parts are adjacent, so that nothing is
/// loaded twice.
template <DType type, CachePolicy quants, CachePolicy scales>
__device__ __forceinline__ void load_pair(const std::uint8_t* row, const PlaneOffsets& at, int even, RawQuantBlock (&pair)[2]) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  static_assert(has_superblock_head<type> && shape.second == 0, "a pair is always whole");
  if constexpr (shape.low == 16) {
    pair[0].low = load_constant<Words<4>, quants>(row + 16 * even);
    pair[1].low = load_constant<Words<4>, quants>(row + 16 * even + 16);
  } else {
    const auto low = load_constant<Words<4>, quants>(row + 8 * even);
    for (int i = 0; i < 4; ++i) pair[i / 2].low.w[i % 2] = low.w[i];
  }
  if constexpr (shape.high == 8) {
    const auto high = load_constant<Words<4>, quants>(row + at.high + 8 * even);
    for (int i = 0; i < 4; ++i) pair[i / 2].high.w[i % 2] = high.w[i];
  }
  if constexpr (shape.high == 4) {
    const auto high = load_constant<Words<2>, quants>(row + at.high + 4 * even);
    for (int i = 0; i < 2; ++i) pair[i].high.w[0] = high.w[i];
  }
  if constexpr (shape.scale == 2) {
    const std::uint32_t both = load_constant<Words<1>, scales>(row + at.scale + 2 * even).w[0];
    pair[0].scale = both & 0xFFFFU;
    pair[1].scale = both >> 16;
  }
  load_head<type, scales>(row + at.head + shape.head * (even >> 3), pair[0]);
  pair[1].head = pair[0].head;
}

__device__ __forceinline__ float low_half(std::uint32_t word) { return half_to_float(static_cast<std::uint16_t>(word)); }
__device__ __forceinline__ float high_half(std::uint32_t word) { return half_to_float(static_cast<std::uint16_t>(word >> 16)); }

/// The sixteen values of a type with a table, four bytes per word in order.
template <DType type>
inline constexpr Words<4> table_of = type == DType::mxfp4 ? Words<4>{{0x03020100U, 0x0C080604U, 0xFDFEFF00U, 0xF4F8FAFCU}}
                                     : type == DType::iq2_s ? Words<4>{{0x002B1908U, 0x00000000U, 0x00D5E7F8U, 0x00000000U}}
                                                            : Words<4>{{0xBFAD9881U, 0xF6EADDCFU, 0x26190D01U, 0x71594535U}};

/// Translates four nibbles in each half of a word among the sixteen values of the table: the low nibbles of its bytes to `even`, the high
/// ones to `odd`. A permutation selects among eight bytes, so both halves of the table are used and the top bit of the nibble decides.
template <DType type>
__device__ __forceinline__ void look_up_quants(std::uint32_t word, int& even, int& odd) {
  constexpr Words<4> table = table_of<type>;
  std::uint32_t found[2];
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t four = word >> (16 * half);
    const std::uint32_t lower = permute_bytes(table.w[0], table.w[1], four & 0x7777U);
    const std::uint32_t upper = permute_bytes(table.w[2], table.w[3], four & 0x7777U);
    found[half] = permute_bytes(lower, upper, 0x3210U | ((four & 0x8888U) >> 1));
  }
  even = static_cast<int>(permute_bytes(found[0], found[1], 0x6420U));
  odd = static_cast<int>(permute_bytes(found[0], found[1], 0x7531U));
}

/// The quants of a quant block, four bytes per word in the order of the elements, before the zero point is subtracted.
template <DType type>
__device__ __forceinline__ void unpack_quants(const RawQuantBlock& raw, int (&q)[8]) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  if constexpr (type == DType::q8_0) {
    for (int k = 0; k < 4; ++k) {
      q[k] = static_cast<int>(raw.low.w[k]);
      q[k + 4] = static_cast<int>(raw.second.w[k]);
    }
  } else if constexpr (has_table<type>) {
    for (int k = 0; k < 4; ++k) look_up_quants<type>(raw.low.w[k], q[k], q[k + 4]);
  } else {
    if constexpr (shape.low == 16) {
      for (int k = 0; k < 4; ++k) {
        q[k] = static_cast<int>(raw.low.w[k] & 0x0F0F0F0FU);
        q[k + 4] = static_cast<int>((raw.low.w[k] >> 4) & 0x0F0F0F0FU);
      }
    } else {
      for (int k = 0; k < 8; ++k) q[k] = static_cast<int>((raw.low.w[k / 4] >> (2 * (k % 4))) & 0x03030303U);
    }
    // Above the nibbles, or above the two bits of Q3_K.
    constexpr int place = shape.low == 16 ? 4 : 2;
    for (int k = 0; k < 8; ++k) {
      if constexpr (shape.high == 4) q[k] |= static_cast<int>(((raw.high.w[0] >> k) & 0x01010101U) << place);
      if constexpr (shape.high == 8) q[k] |= static_cast<int>(((raw.high.w[k / 4] >> (2 * (k % 4))) & 0x03030303U) << place);
    }
  }
}

/// The factor for each 16 weights (where scales_by_sixteen, otherwise for both halves) and, where the type has_offset, the offset.
template <DType type>
__device__ __forceinline__ void unpack_scales(const RawQuantBlock& raw, int quant_block, float (&factor)[2], float (&offset)[2]) {
  offset[0] = offset[1] = 0.0F;
  // A quotient of signed numbers would take three instructions.
  const int j = quant_block & 7;
  if constexpr (type == DType::q4_k || type == DType::q5_k) {
    const std::uint32_t high = raw.head.w[3] >> (2 * j);
    const std::uint32_t scale = ((raw.head.w[1] >> (4 * j)) & 15U) | (high & 3U) << 4;
    const std::uint32_t min = ((raw.head.w[2] >> (4 * j)) & 15U) | ((high >> 16) & 3U) << 4;
    factor[0] = low_half(raw.head.w[0]) * static_cast<float>(scale);
    offset[0] = -high_half(raw.head.w[0]) * static_cast<float>(min);
  } else if constexpr (type == DType::q6_k) {
    const float d = low_half(raw.head.w[0]);
    factor[0] = d * static_cast<float>(static_cast<std::int8_t>(raw.scale));
    factor[1] = d * static_cast<float>(static_cast<std::int8_t>(raw.scale >> 8));
  } else if constexpr (type == DType::q2_k) {
    for (int half = 0; half < 2; ++half) {
      factor[half] = low_half(raw.head.w[0]) * static_cast<float>((raw.scale >> (8 * half)) & 15U);
      offset[half] = -high_half(raw.head.w[0]) * static_cast<float>((raw.scale >> (8 * half + 4)) & 15U);
    }
  } else if constexpr (type == DType::q3_k) {
    for (int half = 0; half < 2; ++half) {
      const int s = 2 * j + half;
      const std::uint32_t low = ((j < 4 ? raw.head.w[1] : raw.head.w[2]) >> (4 * (s & 7))) & 15U;
      const std::uint32_t scale = low | ((raw.head.w[3] >> (2 * s)) & 3U) << 4;
      factor[half] = low_half(raw.head.w[0]) * static_cast<float>(static_cast<int>(scale) - 32);
    }
  } else if constexpr (type == DType::iq4_xs) {
    const std::uint32_t scale = ((raw.head.w[1] >> (4 * j)) & 15U) | ((raw.head.w[0] >> (16 + 2 * j)) & 3U) << 4;
    factor[0] = low_half(raw.head.w[0]) * static_cast<float>(static_cast<int>(scale) - 32);
  } else if constexpr (type == DType::tq1_0 || type == DType::tq2_0) {
    factor[0] = low_half(raw.head.w[0]);
  } else if constexpr (type == DType::iq2_s) {
    const float d = 0.125F * low_half(raw.head.w[0]);
    factor[0] = d * static_cast<float>(static_cast<std::int8_t>(raw.scale));
    factor[1] = d * static_cast<float>(static_cast<std::int8_t>(raw.scale >> 8));
  } else if constexpr (type == DType::mxfp4) {
    factor[0] = float_of_bits(raw.scale << 16);
  } else {
    factor[0] = low_half(raw.scale);
    if constexpr (has_offset<type>) offset[0] = high_half(raw.scale);
  }
  if constexpr (!scales_by_sixteen<type>) {
    factor[1] = factor[0];
    offset[1] = offset[0];
  }
}

/// Unpacks a quant block. The products are exact, so factor * q + offset, rounded once, is the value of the format to the last bit.
template <DType type>
__device__ __forceinline__ WeightBlock unpack_quant_block(const RawQuantBlock& raw, int quant_block) {
  WeightBlock block;
  unpack_quants<type>(raw, block.q);
  unpack_scales<type>(raw, quant_block, block.factor, block.offset);
  if constexpr (zero_of<type> != 0) {
    for (int half = 0; half < 2; ++half) block.offset[half] = -static_cast<float>(zero_of<type>) * block.factor[half];
  }
  return block;
}

/// Quant block `quant_block` of a row of `quant_blocks`.
template <DType type>
__device__ __forceinline__ WeightBlock weight_block(const std::uint8_t* row, int quant_blocks, int quant_block) {
  return unpack_quant_block<type>(load_quant_block<type>(row, plane_offsets(plane_shape_of<type>, quant_blocks), quant_block), quant_block);
}

template <DType type>
__device__ __forceinline__ float weight_float(const std::uint8_t* row, int column) {
  if constexpr (type == DType::f32) {
    return reinterpret_cast<const float*>(row)[column];
  } else if constexpr (type == DType::f16) {
    return half_to_float(reinterpret_cast<const std::uint16_t*>(row)[column]);
  } else {
    static_assert(type == DType::bf16, "a float format");
    const std::uint32_t bits = static_cast<std::uint32_t>(reinterpret_cast<const std::uint16_t*>(row)[column]) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
