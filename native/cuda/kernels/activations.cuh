// Rows of activations as decoding keeps them: signed bytes in planes, so that a warp's loads from shared memory meet no bank twice.
//
// A row of `stretches` is (16 bytes: elements 0..15) for each stretch, then (16 bytes: elements 16..31) for each, then (scale, sums) for
// each; x = scale * q. The sums of q by sixteen, two halves of a word, carry the constant part of a weight format.
#pragma once

#include "cuda/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

__host__ __device__ constexpr int activation_row_bytes(int stretches) { return (40 * stretches + 15) / 16 * 16; }

/// x = scale * q, and the sums of q.
struct ActivationTail {
  float scale;
  int sums[2];
};

struct ActivationStretch {
  Words<4> first;
  Words<4> second;
  float scale;
  int sums[2];
};

__device__ __forceinline__ ActivationTail tail_of(const Words<2>& tail) {
  return {float_of_bits(tail.w[0]), {static_cast<std::int16_t>(tail.w[1]), static_cast<std::int16_t>(tail.w[1] >> 16)}};
}

__device__ __forceinline__ ActivationStretch activation_stretch(const std::uint8_t* row, int stretches, int stretch) {
  ActivationStretch x;
  x.first = *reinterpret_cast<const Words<4>*>(row + 16 * stretch);
  x.second = *reinterpret_cast<const Words<4>*>(row + 16 * (stretches + stretch));
  const ActivationTail tail = tail_of(*reinterpret_cast<const Words<2>*>(row + 32 * stretches + 8 * stretch));
  x.scale = tail.scale;
  x.sums[0] = tail.sums[0];
  x.sums[1] = tail.sums[1];
  return x;
}

/// By all lanes of a warp; eight neighbours share a stretch and hold four elements each, in order. The largest magnitude becomes 127; a
/// value that is no number makes the scale none.
__device__ __forceinline__ void write_activations(const float (&values)[4], bool active, int stretches, int stretch, std::uint8_t* row) {
  float largest = 0.0F;
  float probe = 0.0F;
  for (const float value : values) {
    largest = fmaxf(largest, fabsf(value));
    probe += value * 0.0F;  // fmaxf passes over what is no number
  }
  for (int mask = 1; mask < 8; mask <<= 1) {
    largest = fmaxf(largest, shuffle_xor(largest, mask));
    probe += shuffle_xor(probe, mask);
  }
  const float inverse = largest > 0.0F ? 127.0F / largest : 0.0F;
  std::uint32_t packed = 0;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    const float scaled = values[i] * inverse;
    const int q = scaled == scaled && fabsf(scaled) <= 127.5F ? round_to_int(scaled) : 0;
    sum += q;
    packed |= (static_cast<std::uint32_t>(q) & 255U) << (8 * i);
  }
  sum += shuffle_xor(sum, 1);
  sum += shuffle_xor(sum, 2);
  const int second_sum = shuffle_xor(sum, 4);
  if (!active) return;
  const int k = thread_number() % 8;
  *reinterpret_cast<std::uint32_t*>(row + 16 * (k < 4 ? stretch : stretches + stretch) + 4 * (k % 4)) = packed;
  if (k != 0) return;
  Words<2> tail;
  tail.w[0] = bits_of_float(largest / 127.0F + probe);
  tail.w[1] = (static_cast<std::uint32_t>(sum) & 0xFFFFU) | static_cast<std::uint32_t>(second_sum) << 16;
  *reinterpret_cast<Words<2>*>(row + 32 * stretches + 8 * stretch) = tail;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
