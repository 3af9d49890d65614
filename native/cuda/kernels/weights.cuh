// Stretches of 32 weights of every format, as what a dot product wants of them. Formats: tensor/blocks.h.
#pragma once

#include "cuda/simt.h"
#include "tensor/dtype.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Of a type, as constants: device code calls no function of the host.
template <DType type>
inline constexpr int block_bytes_of = info_of(type).block_bytes;
template <DType type>
inline constexpr int block_elements_of = info_of(type).block_elements;
template <DType type>
inline constexpr bool is_quantised = block_elements_of<type> > 1;

/// 32 activations as signed bytes: x = scale * q. Their sums by sixteen carry the constant part of a format.
struct alignas(16) QuantisedBlock {
  int q[8];  // four bytes each, in order
  float scale;
  int sums[2];
  int unused;
};

/// 32 weights, w = factor * q + offset, the two of each sixteen; q are signed bytes.
struct alignas(16) WeightBlock {
  int q[8];
  float factor[2];
  float offset[2];
};

__device__ __forceinline__ int word_at(const std::uint8_t* bytes) {
  // Blocks begin at even addresses and no more.
  const auto* halves = reinterpret_cast<const std::uint16_t*>(bytes);
  return static_cast<int>(halves[0] | static_cast<std::uint32_t>(halves[1]) << 16);
}

__device__ __forceinline__ float half_at(const std::uint8_t* bytes) { return half_to_float(*reinterpret_cast<const std::uint16_t*>(bytes)); }

__device__ __forceinline__ int nibbles(int word, int high) { return (word >> (4 * high)) & 0x0F0F0F0F; }

/// Bit i of four becomes bit 4 of byte i.
__device__ __forceinline__ int fifth_bits(std::uint32_t four) { return static_cast<int>(((four & 15U) * 0x00204081U) & 0x01010101U) << 4; }

__device__ __forceinline__ int iq4_word(int word) {
  // The sixteen values of tensor/blocks.h, four to a word.
  const std::uint32_t values[4] = {0xBFAD9881U, 0xF6EADDCFU, 0x26190D01U, 0x71594535U};
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const int q = (word >> (8 * i)) & 15;
    result |= ((values[q / 4] >> (8 * (q % 4))) & 255U) << (8 * i);
  }
  return static_cast<int>(result);
}

/// The 6-bit scale and minimum of sub-block j, as scale_min() of tensor/blocks.h.
__device__ __forceinline__ void scale_and_min(const std::uint8_t* scales, int j, int& scale, int& min) {
  if (j < 4) {
    scale = scales[j] & 63;
    min = scales[j + 4] & 63;
  } else {
    scale = (scales[j + 4] & 15) | ((scales[j - 4] >> 6) << 4);
    min = (scales[j + 4] >> 4) | ((scales[j] >> 6) << 4);
  }
}

/// Both sixteens alike.
__device__ __forceinline__ void set_scales(WeightBlock& block, float factor, float offset) {
  block.factor[0] = block.factor[1] = factor;
  block.offset[0] = block.offset[1] = offset;
}

/// Sixteen bytes of nibbles, low ones first, then the high ones.
__device__ __forceinline__ void split_nibbles(WeightBlock& block, const std::uint8_t* qs) {
  for (int i = 0; i < 4; ++i) {
    const int word = word_at(qs + 4 * i);
    block.q[i] = nibbles(word, 0);
    block.q[i + 4] = nibbles(word, 1);
  }
}

__device__ __forceinline__ void add_fifth_bits(WeightBlock& block, const std::uint8_t* qh) {
  const auto bits = static_cast<std::uint32_t>(word_at(qh));
  for (int i = 0; i < 8; ++i) block.q[i] |= fifth_bits(bits >> (4 * i));
}

/// Stretch `index` of a row of quantised weights.
template <DType type>
__device__ __forceinline__ WeightBlock weight_block(const std::uint8_t* row, int index) {
  WeightBlock block;
  constexpr int bytes = block_bytes_of<type>;
  if constexpr (block_elements_of<type> == 32) {
    const std::uint8_t* at = row + static_cast<std::size_t>(index) * bytes;
    const float d = half_at(at);
    if constexpr (type == DType::q4_0) {
      split_nibbles(block, at + 2);
      set_scales(block, d, -8.0F * d);
    } else if constexpr (type == DType::q4_1) {
      split_nibbles(block, at + 4);
      set_scales(block, d, half_at(at + 2));
    } else if constexpr (type == DType::q5_0) {
      split_nibbles(block, at + 6);
      add_fifth_bits(block, at + 2);
      set_scales(block, d, -16.0F * d);
    } else if constexpr (type == DType::q5_1) {
      split_nibbles(block, at + 8);
      add_fifth_bits(block, at + 4);
      set_scales(block, d, half_at(at + 2));
    } else if constexpr (type == DType::q8_0) {
      for (int i = 0; i < 8; ++i) block.q[i] = word_at(at + 2 + 4 * i);
      set_scales(block, d, 0.0F);
    } else {
      static_assert(type == DType::iq4_nl, "a format of 32 elements");
      split_nibbles(block, at + 2);
      for (int i = 0; i < 8; ++i) block.q[i] = iq4_word(block.q[i]);
      set_scales(block, d, 0.0F);
    }
  } else {
    const std::uint8_t* at = row + static_cast<std::size_t>(index / 8) * bytes;
    const int j = index % 8;
    if constexpr (type == DType::q4_k || type == DType::q5_k) {
      const float d = half_at(at);
      const float dmin = half_at(at + 2);
      int scale = 0;
      int min = 0;
      scale_and_min(at + 4, j, scale, min);
      const std::uint8_t* qs = at + (type == DType::q4_k ? 16 : 48) + 32 * (j / 2);
      for (int i = 0; i < 8; ++i) {
        block.q[i] = nibbles(word_at(qs + 4 * i), j % 2);
        if constexpr (type == DType::q5_k) block.q[i] |= ((word_at(at + 16 + 4 * i) >> j) & 0x01010101) << 4;
      }
      set_scales(block, d * static_cast<float>(scale), -dmin * static_cast<float>(min));
    } else if constexpr (type == DType::q6_k) {
      const float d = half_at(at + 208);
      const std::uint8_t* low = at + 64 * (j / 4) + 32 * (j % 2);
      const std::uint8_t* high = at + 128 + 32 * (j / 4);
      for (int i = 0; i < 8; ++i) {
        block.q[i] = nibbles(word_at(low + 4 * i), (j % 4) / 2) | ((word_at(high + 4 * i) >> (2 * (j % 4))) & 0x03030303) << 4;
      }
      for (int half = 0; half < 2; ++half) {
        block.factor[half] = d * static_cast<float>(static_cast<std::int8_t>(at[192 + 2 * j + half]));
        block.offset[half] = -32.0F * block.factor[half];
      }
    } else if constexpr (type == DType::q2_k) {
      const float d = half_at(at + 80);
      const float dmin = half_at(at + 82);
      const std::uint8_t* qs = at + 16 + 32 * (j / 4);
      for (int i = 0; i < 8; ++i) block.q[i] = (word_at(qs + 4 * i) >> (2 * (j % 4))) & 0x03030303;
      for (int half = 0; half < 2; ++half) {
        block.factor[half] = d * static_cast<float>(at[2 * j + half] & 15);
        block.offset[half] = -dmin * static_cast<float>(at[2 * j + half] >> 4);
      }
    } else if constexpr (type == DType::q3_k) {
      const float d = half_at(at + 108);
      const std::uint8_t* qs = at + 32 + 32 * (j / 4);
      for (int i = 0; i < 8; ++i) {
        block.q[i] = ((word_at(qs + 4 * i) >> (2 * (j % 4))) & 0x03030303) | ((word_at(at + 4 * i) >> j) & 0x01010101) << 2;
      }
      for (int half = 0; half < 2; ++half) {
        const int s = 2 * j + half;
        const std::uint8_t* scales = at + 96;
        const int low = s < 8 ? scales[s] & 15 : scales[s - 8] >> 4;
        const int scale = low | ((scales[8 + s % 4] >> (2 * (s / 4))) & 3) << 4;
        block.factor[half] = d * static_cast<float>(scale - 32);
        block.offset[half] = -4.0F * block.factor[half];
      }
    } else {
      static_assert(type == DType::iq4_xs, "a format of 256 elements");
      const float d = half_at(at);
      const int high = *reinterpret_cast<const std::uint16_t*>(at + 2);
      const int scale = ((at[4 + j / 2] >> (4 * (j % 2))) & 15) | ((high >> (2 * j)) & 3) << 4;
      split_nibbles(block, at + 8 + 16 * j);
      for (int i = 0; i < 8; ++i) block.q[i] = iq4_word(block.q[i]);
      set_scales(block, d * static_cast<float>(scale - 32), 0.0F);
    }
  }
  return block;
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
