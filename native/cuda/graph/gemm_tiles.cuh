// Tiled products: C(a, b) = sum over k of A(a, k) B(b, k). Convolutions are implicit GEMM: images are unfolded while they are loaded.
#pragma once

#include "cuda/graph/operands.cuh"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// A product for each of `batches`, whose strides at[0] and at[1] give the offsets in A and B.
template <class A, class B, class End>
struct TiledProduct {
  A a;
  B b;
  End end;
  Places<2> batches;
  int first_batch;
  int a_tiles;
  Factors a_factors, b_factors;  // of split floats
  float unscale;                 // 1 / both scales
};

/// The row and the k (within the K tile) at which chunk `number` of an operand begins.
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
