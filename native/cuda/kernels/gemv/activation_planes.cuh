// Quantised rows of activations for GEMV: int8 in planes, so that the loads of a warp from shared memory have no bank conflicts.
//
// A row has 16 bytes (elements 0..15) of each quant block, then 16 bytes (elements 16..31) of each, then (scale, sums) of each;
// x = scale * q. The sums of q of each 16 elements, two int16 in a word, multiply the minimum of a weight format.
#pragma once

#include "cuda/simt/simt.h"
#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

__host__ __device__ constexpr int activation_row_bytes(int quant_blocks) { return (40 * quant_blocks + 15) / 16 * 16; }

/// x = scale * q, and the sums of q.
struct ActivationTail {
  float scale;
  int sums[2];
};

struct ActivationBlock {
  Words<4> first;
  Words<4> second;
  float scale;
  int sums[2];
};

__device__ __forceinline__ ActivationTail tail_of(const Words<2>& tail) {
  return {float_of_bits(tail.w[0]), {static_cast<std::int16_t>(tail.w[1]), static_cast<std::int16_t>(tail.w[1] >> 16)}};
}

__device__ __forceinline__ ActivationBlock load_activation_block(const std::uint8_t* row, int quant_blocks, int quant_block) {
  ActivationBlock x;
  x.first = *reinterpret_cast<const Words<4>*>(row + 16 * quant_block);
  x.second = *reinterpret_cast<const Words<4>*>(row + 16 * (quant_blocks + quant_block));
  const ActivationTail tail = tail_of(*reinterpret_cast<const Words<2>*>(row + 32 * quant_blocks + 8 * quant_block));
  x.scale = tail.scale;
  x.sums[0] = tail.sums[0];
  x.sums[1] = tail.sums[1];
  return x;
}

/// Called by all lanes of a warp; eight consecutive lanes share a quant block and hold four elements each, in order. The largest magnitude becomes 127; a
/// value that is NaN makes the scale NaN.
__device__ __forceinline__ void write_quantised(const float (&values)[4], bool active, int quant_blocks, int quant_block, std::uint8_t* row) {
  float largest = 0.0F;
  LECTERN_UNROLL
  for (const float value : values) largest = max_or_nan(largest, fabsf(value));
  LECTERN_UNROLL
  for (int mask = 1; mask < 8; mask <<= 1) largest = max_or_nan(largest, shuffle_xor(largest, mask));
  // Smaller values have no inverse and become zero. A quarter of the largest is inverted, because the inverse of the largest floats themselves is so small that it would be flushed to zero.
  const float inverse = largest > 4e-37F ? 127.0F / 4 * fast_reciprocal(largest / 4) : 0.0F;
  std::uint32_t q[4];
  // Adding this constant leaves the integer, rounded to nearest even, in the lowest bits of the mantissa.
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) q[i] = bits_of_float(fmaf(values[i], inverse, 12582912.0F));
  const std::uint32_t packed = permute_bytes(permute_bytes(q[0], q[1], 0x0040U), permute_bytes(q[2], q[3], 0x0040U), 0x5410U);
  int sum = add_bytes(packed);
  sum += shuffle_xor(sum, 1);
  sum += shuffle_xor(sum, 2);
  const int second_sum = shuffle_xor(sum, 4);
  if (!active) return;
  const int k = thread_number() % 8;
  *reinterpret_cast<std::uint32_t*>(row + 16 * (k < 4 ? quant_block : quant_blocks + quant_block) + 4 * (k % 4)) = packed;
  if (k != 0) return;
  Words<2> tail;
  tail.w[0] = bits_of_float(fmaf(largest, 0.0F, largest * (1.0F / 127.0F)));
  tail.w[1] = (static_cast<std::uint32_t>(sum) & 0xFFFFU) | static_cast<std::uint32_t>(second_sum) << 16;
  *reinterpret_cast<Words<2>*>(row + 32 * quant_blocks + 8 * quant_block) = tail;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
