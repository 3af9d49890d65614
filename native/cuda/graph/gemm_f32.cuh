// GEMM of floats without tensor cores.
#pragma once

#include "cuda/graph/gemm_tiles.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// 64 by 64 outputs on 256 threads, four by four each.
constexpr int float_side = 64;
constexpr int float_depth = 16;
constexpr int float_threads = 256;

template <class A, class B, class End>
__global__ void LECTERN_LAUNCH_BOUNDS(float_threads, 2) multiply_by_floats(TiledProduct<A, B, End> product) {
  constexpr int stride = float_side + 4;
  LECTERN_SHARED float shared_a[float_depth * stride];
  LECTERN_SHARED float shared_b[float_depth * stride];
  const int batch = product.first_batch + block_z();
  Count at[2];
  product.batches.find(batch, at);
  A a = product.a;
  B b = product.b;
  a.data += at[0];
  b.data += at[1];
  const int first_a = block_x() % product.a_tiles * float_side;
  const int first_b = block_x() / product.a_tiles * float_side;
  const int own_a = thread_number() / 16 * 4;
  const int own_b = thread_number() % 16 * 4;
  // Half of the threads load A, the others B: a chunk each.
  const int number = thread_number() % (float_threads / 2);
  float sums[4][4] = {};
  for (int first = 0; first < a.depth; first += float_depth) {
    Chunk<float> chunk;
    int line, k;
    if (thread_number() < float_threads / 2) {
      chunk_place<A, float_side, float_depth>(number, line, k);
      a.chunk(first_a + line, first + k, chunk);
      LECTERN_UNROLL
      for (int n = 0; n < 8; ++n) shared_a[A::along_depth ? (k + n) * stride + line : k * stride + line + n] = chunk.get(n);
    } else {
      chunk_place<B, float_side, float_depth>(number, line, k);
      b.chunk(first_b + line, first + k, chunk);
      LECTERN_UNROLL
      for (int n = 0; n < 8; ++n) shared_b[B::along_depth ? (k + n) * stride + line : k * stride + line + n] = chunk.get(n);
    }
    synchronise_block();
    for (int step = 0; step < float_depth; ++step) {
      float left[4];
      float right[4];
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) {
        left[i] = shared_a[step * stride + own_a + i];
        right[i] = shared_b[step * stride + own_b + i];
      }
      LECTERN_UNROLL
      for (int i = 0; i < 4; ++i) {
        LECTERN_UNROLL
        for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
      }
    }
    synchronise_block();
  }
  LECTERN_UNROLL
  for (int i = 0; i < 4; ++i) {
    LECTERN_UNROLL
    for (int j = 0; j < 4; ++j) {
      const int row = first_a + own_a + i;
      const int column = first_b + own_b + j;
      if (row >= product.end.rows || column >= product.end.columns) continue;
      const Count place = product.end.place(batch, row, column);
      product.end.out[place] = ended(product.end, batch, row, column, place, sums[i][j]);
    }
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
