// The inner loops of networks from files, all in floats, one table of them per instruction level. Plain C types only: the files
// behind it are compiled for processors that the caller may not have.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/instructions.h"

namespace lectern::cpu {

/// Rows and columns of one tile of product().
inline constexpr int tile_height = 8;
inline constexpr int tile_width = 48;

enum class Activation : std::uint8_t {
  none,
  relu,
  clip,          // to alpha .. beta
  leaky_relu,    // x < 0: alpha * x
  sigmoid,
  silu,          // x * sigmoid(x)
  hard_sigmoid,  // alpha * x + beta, within 0 .. 1
  hard_swish,    // x * hard_sigmoid(x)
  tanh,
  gelu,          // x / 2 * (1 + erf(x / sqrt 2))
  erf,
  exponential,
  square_root,
  reciprocal,
  absolute,
};

enum class Combination : std::uint8_t { add, subtract, multiply, divide, minimum, maximum };

/// The epilogue of a sum: activation(sum + bias + addend) * scale + shift, or with `add_last`
/// activation(sum + bias) * scale + shift + addend.
struct Finish {
  Activation activation = Activation::none;
  bool add_last = false;
  float alpha = 0;
  float beta = 0;
  float scale = 1;
  float shift = 0;
};

/// sums[r * tile_width + c] = sum over k of left[r * left_row + k * left_depth] * right[offsets[k] + c], each in the order of k.
/// Lanes from `columns` on are neither read nor written.
struct ProductTile {
  const float* left;
  std::ptrdiff_t left_row;  // 1 if the rows of the tile lie side by side
  std::ptrdiff_t left_depth;
  const float* right;
  const std::int32_t* offsets;  // (depth)
  int depth;
  int rows;     // 1 .. tile_height
  int columns;  // 1 .. tile_width
  float* sums;
};

/// Taps of a window over a plane: out[i] = sum over t of weights[t] * in[offsets[t] + i], or the maximum of in[offsets[t] + i].
struct Window {
  const float* in;
  const std::int32_t* offsets;  // (taps)
  const float* weights;         // (taps)
  int taps;
  int count;
  float* out;
};

struct NetworkKernels {
  void (*product)(const ProductTile& tile);
  /// Applies the epilogue to one row of sums; `biases` (count) and `addend` (count) may be null. out may be sums or addend.
  void (*finish)(const Finish& finish, const float* sums, float bias, const float* biases, const float* addend, int count, float* out);
  /// Combines a[i * a_step] and b[i * b_step] to out[i]; steps are 0 or 1. out may be an operand of step 1.
  void (*combine)(Combination combination, const float* a, int a_step, const float* b, int b_step, int count, float* out);
  void (*weigh)(const Window& window);
  void (*take_largest)(const Window& window);
  /// to[i] = from[stride * i]
  void (*gather)(const float* from, int stride, int count, float* to);
  /// to[2 * i] = even[i], to[2 * i + 1] = odd[i]
  void (*interleave)(const float* even, const float* odd, int count, float* to);
  float (*total)(const float* from, int count);
  /// Over one row; out may be x.
  void (*softmax)(const float* x, int count, float* out);
  /// (x - mean) / sqrt(variance + epsilon) * weight + bias over one row; weight and bias may be null, out may be x.
  void (*layer_norm)(const float* x, const float* weight, const float* bias, float epsilon, int count, float* out);
};

/// The table of a level that this processor has. Null if this build has no kernels of that level.
const NetworkKernels* network_kernels_of(Instructions level);

const NetworkKernels& baseline_network_kernels();
const NetworkKernels& avx2_network_kernels();
const NetworkKernels& avx512_network_kernels();
const NetworkKernels& neon_network_kernels();

}  // namespace lectern::cpu
