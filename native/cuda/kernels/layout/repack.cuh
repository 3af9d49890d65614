// Repacks the blocks of a file (tensor/blocks.h) to the bit planes of bit_planes.cuh, on the device. No value changes by a bit.
#pragma once

#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/ops/launchers.h"
#include "tensor/blocks.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int repack_threads = 128;

/// Of the blocks that arrive on the device.
template <DType type>
inline constexpr int block_bytes_of = type == DType::iq2_s ? static_cast<int>(sizeof(BlockIndices2)) : info_of(type).block_bytes;
template <DType type>
inline constexpr int block_elements_of = info_of(type).block_elements;

/// Blocks of a file are aligned to two bytes, those of MXFP4 to none.
__device__ __forceinline__ std::uint32_t half_word(const std::uint8_t* bytes) { return *reinterpret_cast<const std::uint16_t*>(bytes); }
__device__ __forceinline__ std::uint32_t word_at(const std::uint8_t* bytes) { return half_word(bytes) | half_word(bytes + 2) << 16; }

__device__ __forceinline__ std::uint32_t word_of_bytes(const std::uint8_t* bytes) {
  return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8 | static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

/// Quant e of a block of TQ1_0, as tensor/blocks.h has it.
__device__ __forceinline__ std::uint32_t ternary_quant(const std::uint8_t* block, int e) {
  const bool in_first = e < 160;
  const bool in_second = e < 240;
  const int digit = in_first ? e / 32 : in_second ? (e - 160) / 16 : (e - 240) / 4;
  const std::uint32_t byte = in_first ? block[e % 32] : in_second ? block[32 + (e - 160) % 16] : block[48 + (e - 240) % 4];
  const std::uint32_t power = digit == 0 ? 1U : digit == 1 ? 3U : digit == 2 ? 9U : digit == 3 ? 27U : 81U;
  return ((byte * power) & 255U) * 3U >> 8;
}

/// Bit i of four becomes bit 0 of byte i.
__device__ __forceinline__ std::uint32_t spread_bits(std::uint32_t four) { return ((four & 15U) * 0x00204081U) & 0x01010101U; }

/// The stored bits of the 32 quants of a quant block, four bytes per word in the order of the elements; IQ4 as indices.
template <DType type>
__device__ __forceinline__ void file_quants(const std::uint8_t* row, int quant_block, std::uint32_t (&q)[8]) {
  const std::uint8_t* block = row + static_cast<std::size_t>(quant_block * 32 / block_elements_of<type>) * block_bytes_of<type>;
  const int j = quant_block % 8;
  if constexpr (type == DType::q8_0) {
    for (int k = 0; k < 8; ++k) q[k] = word_at(block + 2 + 4 * k);
  } else if constexpr (type == DType::mxfp4) {
    for (int k = 0; k < 8; ++k) q[k] = (word_of_bytes(block + 1 + 4 * (k % 4)) >> (k < 4 ? 0 : 4)) & 0x0F0F0F0FU;
  } else if constexpr (type == DType::tq1_0) {
    for (int k = 0; k < 8; ++k) {
      q[k] = 0;
      for (int i = 0; i < 4; ++i) q[k] |= ternary_quant(block, 32 * j + 4 * k + i) << (8 * i);
    }
  } else if constexpr (block_elements_of<type> == 32 || type == DType::iq4_xs || type == DType::iq2_s) {
    constexpr bool fifth = type == DType::q5_0 || type == DType::q5_1;
    constexpr int before = type == DType::q4_1 || type == DType::q5_1 ? 4 : 2;
    const std::uint8_t* nibbles = type == DType::iq2_s ? block + 18 + 16 * j : type == DType::iq4_xs ? block + 8 + 16 * j : block + before + (fifth ? 4 : 0);
    for (int k = 0; k < 8; ++k) {
      q[k] = (word_at(nibbles + 4 * (k % 4)) >> (k < 4 ? 0 : 4)) & 0x0F0F0F0FU;
      if constexpr (fifth) q[k] |= spread_bits(word_at(block + before) >> (4 * k)) << 4;
    }
  } else if constexpr (type == DType::q4_k || type == DType::q5_k) {
    const std::uint8_t* nibbles = block + (type == DType::q4_k ? 16 : 48) + 32 * (j / 2);
    for (int k = 0; k < 8; ++k) {
      q[k] = (word_at(nibbles + 4 * k) >> (4 * (j % 2))) & 0x0F0F0F0FU;
      if constexpr (type == DType::q5_k) q[k] |= ((word_at(block + 16 + 4 * k) >> j) & 0x01010101U) << 4;
    }
  } else if constexpr (type == DType::q6_k) {
    for (int k = 0; k < 8; ++k) {
      q[k] = (word_at(block + 64 * (j / 4) + 32 * (j % 2) + 4 * k) >> (4 * ((j % 4) / 2))) & 0x0F0F0F0FU;
      q[k] |= ((word_at(block + 128 + 32 * (j / 4) + 4 * k) >> (2 * (j % 4))) & 0x03030303U) << 4;
    }
  } else {
    static_assert(type == DType::q2_k || type == DType::q3_k || type == DType::tq2_0, "a type of two bits");
    const std::uint8_t* pairs = block + (type == DType::q2_k ? 16 : type == DType::q3_k ? 32 : 0) + 32 * (j / 4);
    for (int k = 0; k < 8; ++k) {
      q[k] = (word_at(pairs + 4 * k) >> (2 * (j % 4))) & 0x03030303U;
      if constexpr (type == DType::q3_k) q[k] |= ((word_at(block + 4 * k) >> j) & 0x01010101U) << 2;
    }
  }
}

/// The scale of a quant block, in the order of its plane.
template <DType type>
__device__ __forceinline__ std::uint32_t file_scale(const std::uint8_t* row, int quant_block) {
  const std::uint8_t* block = row + static_cast<std::size_t>(quant_block * 32 / block_elements_of<type>) * block_bytes_of<type>;
  if constexpr (type == DType::q6_k) return half_word(block + 192 + 2 * (quant_block % 8));
  if constexpr (type == DType::q2_k) return half_word(block + 2 * (quant_block % 8));
  if constexpr (type == DType::iq2_s) return half_word(block + 2 + 2 * (quant_block % 8));
  // mxfp4_scale() of tensor/blocks.h, which is a function of the host.
  if constexpr (type == DType::mxfp4) return block[0] >= 2 ? (block[0] - 1U) << 7 : block[0] == 0 ? 0x20U : 0x40U;
  if constexpr (plane_shape_of<type>.scale == 4) return word_at(block);
  return half_word(block);
}

/// The fields of a superblock. Scales of six bits are stored as their low four and their high two bits, each contiguous.
template <DType type>
__device__ __forceinline__ void file_head(const std::uint8_t* block, std::uint32_t (&head)[4]) {
  for (std::uint32_t& word : head) word = 0;
  if constexpr (type == DType::q6_k) {
    head[0] = half_word(block + 208);
  } else if constexpr (type == DType::tq1_0 || type == DType::tq2_0) {
    head[0] = half_word(block + block_bytes_of<type> - 2);
  } else if constexpr (type == DType::iq2_s) {
    head[0] = half_word(block);
  } else if constexpr (type == DType::q2_k) {
    head[0] = word_at(block + 80);
  } else if constexpr (type == DType::iq4_xs) {
    head[0] = word_at(block);
    head[1] = word_at(block + 4);
  } else if constexpr (type == DType::q3_k) {
    head[0] = half_word(block + 108);
    const std::uint8_t* scales = block + 96;
    for (int s = 0; s < 16; ++s) {
      const std::uint32_t low = s < 8 ? scales[s] & 15U : static_cast<std::uint32_t>(scales[s - 8]) >> 4;
      head[1 + s / 8] |= low << (4 * (s % 8));
      head[3] |= ((static_cast<std::uint32_t>(scales[8 + s % 4]) >> (2 * (s / 4))) & 3U) << (2 * s);
    }
  } else {
    static_assert(type == DType::q4_k || type == DType::q5_k, "a type with scales and minima");
    head[0] = word_at(block);
    const std::uint8_t* scales = block + 4;
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t scale = j < 4 ? scales[j] & 63U : (scales[j + 4] & 15U) | static_cast<std::uint32_t>(scales[j - 4] >> 6) << 4;
      const std::uint32_t min = j < 4 ? scales[j + 4] & 63U : static_cast<std::uint32_t>(scales[j + 4] >> 4) | static_cast<std::uint32_t>(scales[j] >> 6) << 4;
      head[1] |= (scale & 15U) << (4 * j);
      head[2] |= (min & 15U) << (4 * j);
      head[3] |= (scale >> 4) << (2 * j) | (min >> 4) << (16 + 2 * j);
    }
  }
}

template <DType type>
__device__ __forceinline__ void write_quants(std::uint8_t* row, const PlaneOffsets& at, int quant_block, const std::uint32_t (&q)[8]) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  auto* low = reinterpret_cast<std::uint32_t*>(row + shape.low * quant_block);
  if constexpr (type == DType::q8_0) {
    auto* second = reinterpret_cast<std::uint32_t*>(row + at.second + 16 * quant_block);
    for (int k = 0; k < 4; ++k) {
      low[k] = q[k];
      second[k] = q[k + 4];
    }
    return;
  }
  if constexpr (shape.low == 16) {
    for (int k = 0; k < 4; ++k) low[k] = (q[k] & 0x0F0F0F0FU) | (q[k + 4] & 0x0F0F0F0FU) << 4;
  } else {
    for (int m = 0; m < 2; ++m) {
      low[m] = 0;
      for (int k = 0; k < 4; ++k) low[m] |= (q[4 * m + k] & 0x03030303U) << (2 * k);
    }
  }
  constexpr int place = shape.low == 16 ? 4 : 2;
  if constexpr (shape.high > 0) {
    constexpr int bits = shape.high / 4;
    constexpr std::uint32_t mask = bits == 1 ? 0x01010101U : 0x03030303U;
    auto* high = reinterpret_cast<std::uint32_t*>(row + at.high + shape.high * quant_block);
    for (int m = 0; m < bits; ++m) {
      high[m] = 0;
      for (int k = 0; k < 8 / bits; ++k) high[m] |= ((q[8 / bits * m + k] >> place) & mask) << (bits * k);
    }
  }
}

/// Grid: rows. `file`: (rows, file_row_bytes); `placed`: (rows, repacked_row_bytes).
template <DType type>
__global__ void repack_rows(const std::uint8_t* file, std::size_t file_row_bytes, int quant_blocks, std::uint8_t* placed) {
  constexpr PlaneShape shape = plane_shape_of<type>;
  const PlaneOffsets at = plane_offsets(shape, quant_blocks);
  const std::uint8_t* from = file + static_cast<std::size_t>(block_x()) * file_row_bytes;
  std::uint8_t* to = placed + static_cast<std::size_t>(block_x()) * static_cast<std::size_t>(at.end);
  for (int quant_block = thread_number(); quant_block < quant_blocks; quant_block += thread_count()) {
    std::uint32_t q[8];
    file_quants<type>(from, quant_block, q);
    write_quants<type>(to, at, quant_block, q);
    if constexpr (shape.scale == 2) *reinterpret_cast<std::uint16_t*>(to + at.scale + 2 * quant_block) = static_cast<std::uint16_t>(file_scale<type>(from, quant_block));
    if constexpr (shape.scale == 4) *reinterpret_cast<std::uint32_t*>(to + at.scale + 4 * quant_block) = file_scale<type>(from, quant_block);
    if constexpr (shape.head > 0) {
      if (quant_block % 8 != 0) continue;
      std::uint32_t head[4];
      file_head<type>(from + static_cast<std::size_t>(quant_block / 8) * block_bytes_of<type>, head);
      std::uint8_t* own = to + at.head + shape.head * (quant_block / 8);
      if constexpr (shape.head == 2) {
        *reinterpret_cast<std::uint16_t*>(own) = static_cast<std::uint16_t>(head[0]);
      } else {
        for (int i = 0; i < shape.head / 4; ++i) reinterpret_cast<std::uint32_t*>(own)[i] = head[i];
      }
    }
  }
}

/// Grid: rows. For float types: copies rows between pitches that are both even. `largest`: for f16, or null.
__global__ void copy_rows(const std::uint8_t* file, std::size_t file_row_bytes, std::uint8_t* placed, std::size_t placed_bytes, LargestBits* largest) {
  LECTERN_SHARED float shared[32];
  const auto* from = reinterpret_cast<const std::uint16_t*>(file + static_cast<std::size_t>(block_x()) * file_row_bytes);
  auto* to = reinterpret_cast<std::uint16_t*>(placed + static_cast<std::size_t>(block_x()) * placed_bytes);
  for (std::size_t i = static_cast<std::size_t>(thread_number()); i < file_row_bytes / 2; i += static_cast<std::size_t>(thread_count())) to[i] = from[i];
  if (largest == nullptr) return;
  float own = 0.0F;
  for (std::size_t i = static_cast<std::size_t>(thread_number()); i < file_row_bytes / 2; i += static_cast<std::size_t>(thread_count())) own = fmaxf(own, fabsf(half_to_float(from[i])));
  own = block_max(own, shared);
  if (thread_number() == 0) atomic_max(largest, bits_of_float(own));
}

/// One block. *largest = the largest magnitude.
__global__ void find_largest(const float* values, std::size_t count, LargestBits* largest) {
  LECTERN_SHARED float shared[32];
  float own = 0.0F;
  for (std::size_t i = static_cast<std::size_t>(thread_number()); i < count; i += static_cast<std::size_t>(thread_count())) own = fmaxf(own, fabsf(values[i]));
  own = block_max(own, shared);
  if (thread_number() == 0) *largest = bits_of_float(own);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
