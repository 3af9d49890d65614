// Kernels that measure the peak rates of a GPU: reading memory, multiplying by the tensor cores.
#pragma once

#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

constexpr int peak_threads = 256;

/// Reads `count` times 16 bytes, with eight loads per thread in flight. The store to `sink`, which practically never happens, keeps the compiler from removing the loads.
__global__ void read_everything(const std::uint8_t* from, std::size_t count, std::uint32_t* sink) {
  constexpr int together = 8;
  std::uint32_t seen[4] = {0, 0, 0, 0};
  const std::size_t stride = static_cast<std::size_t>(grid_x()) * peak_threads;
  for (std::size_t i = static_cast<std::size_t>(block_x()) * peak_threads + static_cast<std::size_t>(thread_number()); i < count; i += together * stride) {
    LECTERN_UNROLL
    for (int k = 0; k < together; ++k) {
      const std::size_t at = i + static_cast<std::size_t>(k) * stride;
      if (at >= count) continue;
      const auto words = load_once<Words<4>>(from + 16 * at);
      for (int w = 0; w < 4; ++w) seen[w] ^= words.w[w];
    }
  }
  if (seen[0] == 0x12345678U && seen[1] == 0x9ABCDEF0U && seen[2] == 0x0FEDCBA9U && seen[3] == 0x87654321U) *sink = seen[0];
}

/// Each warp computes `turns` times eight independent mma.sync of 4,096 floating-point operations each.
__global__ void multiply_everything(int turns, float* sink) {
  constexpr int together = 8;
  const Word a[4] = {0x3F803F80U, 0x3F803F80U, 0x3F803F80U, 0x3F803F80U};
  const Word b[2] = {static_cast<Word>(thread_number()), 0x3F803F80U};
  float sums[together][4] = {};
  for (int turn = 0; turn < turns; ++turn) {
    LECTERN_UNROLL
    for (int k = 0; k < together; ++k) mma_bf16(sums[k], a, b);
  }
  float all = 0.0F;
  for (int k = 0; k < together; ++k) all += sums[k][0] + sums[k][1] + sums[k][2] + sums[k][3];
  if (all == -1.0F) *sink = all;
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
