// Products of float matrices, whose right side may be weights that were packed before.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/fast_ops.h"
#include "cpu/workspace.h"

namespace lectern::cpu {

/// out = finish(left * right + biases + addend), every matrix row after row. Sums are made in the order of the depth, so that
/// no element depends on how many rows or threads there are.
struct ProductShape {
  int rows;
  int depth;
  int columns;
  std::ptrdiff_t left_stride;  // between rows of left
};

/// Weights (depth, columns), from elsewhere transposed where `transposed` says (columns, depth).
class PackedProduct {
 public:
  PackedProduct(const float* weights, int depth, int columns, bool transposed);

  int depth() const { return depth_; }
  int columns() const { return columns_; }

  /// out (rows, columns). biases (columns) and addend (rows, columns) may be null; addend may be out.
  void run(Workshop& shop, const float* left, std::ptrdiff_t left_stride, int rows, const Finish& finish, const float* biases, const float* addend, float* out) const;

 private:
  int depth_;
  int columns_;
  LargeMemory panels_;                  // (columns / tile_width, depth, tile_width), zeros behind the last column
  std::vector<std::int32_t> offsets_;  // of a panel's rows
};

/// `batch` products of a left (rows, depth) and a right (depth, columns) matrix that are not known before; `left_batch` and
/// `right_batch` floats lie between two of them, 0 where all share one. out (batch, rows, columns); no addend.
void multiply_batch(Workshop& shop, const ProductShape& shape, int batch, const float* left, std::ptrdiff_t left_batch, const float* right,
                    std::ptrdiff_t right_batch, const Finish& finish, float* out);

}  // namespace lectern::cpu
