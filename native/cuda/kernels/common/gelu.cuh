// GELU: x times the standard normal cumulative distribution at x.
#pragma once

#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// By formula 7.1.26 of Abramowitz and Stegun, whose error in the distribution is at most 1.5e-7. It costs a third of the exact function, which took most of the epilogue in embedding models. Every
/// rounding is written out, so that all kernels have the same bits.
__device__ __forceinline__ float gelu(float x) {
  const float z = fabsf(x) * 0.70710678F;
  const float t = fast_reciprocal(fmaf(0.3275911F, z, 1.0F));
  float series = 1.061405429F;
  series = fmaf(series, t, -1.453152027F);
  series = fmaf(series, t, 1.421413741F);
  series = fmaf(series, t, -0.284496736F);
  series = fmaf(series, t, 0.254829592F);
  // The upper tail of the distribution at |x|.
  const float above = 0.5F * (series * t) * fast_exp2(z * z * -1.44269504F);
  return x < 0.0F ? x * above : fmaf(-x, above, x);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
