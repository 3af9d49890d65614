// The Gaussian error linear unit, x times the share of a normal distribution below x.
#pragma once

#include "cuda/simt/tensor_cores.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// By Abramowitz and Stegun's 7.1.26, to 1.5e-7 of the share: a third of what the exact function costs, which was most of a text's product that ends so. Every
/// rounding is written out: all kernels come to the same bits.
__device__ __forceinline__ float gelu(float x) {
  const float z = fabsf(x) * 0.70710678F;
  const float t = fast_reciprocal(fmaf(0.3275911F, z, 1.0F));
  float series = 1.061405429F;
  series = fmaf(series, t, -1.453152027F);
  series = fmaf(series, t, 1.421413741F);
  series = fmaf(series, t, -0.284496736F);
  series = fmaf(series, t, 0.254829592F);
  // Half of what is left above |x|.
  const float above = 0.5F * (series * t) * fast_exp2(z * z * -1.44269504F);
  return x < 0.0F ? x * above : fmaf(-x, above, x);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
