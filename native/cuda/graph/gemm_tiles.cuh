// Products by tiles: C(a, b) = sum over k of A(a, k) B(b, k), of which convolutions are one, their pictures unfolded on the way.
#pragma once

#include "cuda/graph/operands.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// A product for each of `batches`, of which at[0] and at[1] are A's and B's elements before it.
template <class A, class B, class End>
struct TiledProduct {
  A a;
  B b;
  End end;
  Places<2> batches;
  int first_batch;
  int a_tiles;
  Factors a_factors, b_factors;  // of floats on tensor cores
  float unscale;                 // 1 / both scales
};

/// Chunk `number` of a step of a side: which line and which k (of the step) it begins at.
template <class Side, int lines, int depth>
__device__ __forceinline__ void chunk_place(int number, int& line, int& k) {
  if constexpr (Side::along_depth) {
    line = number / (depth / 8);
    k = number % (depth / 8) * 8;
  } else {
    k = number / (lines / 8);
    line = number % (lines / 8) * 8;
  }
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
