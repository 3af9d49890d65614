// Products of float matrices. The right side may be weights that were packed before.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/fast_ops.h"
#include "cpu/graph/graph_context.h"

namespace lectern::cpu {

/// out (rows, columns) = finish(left * right + biases + addend). Sums run in the order of the depth, so that no element
/// depends on the number of rows or threads.
struct ProductShape {
  int rows;
  int depth;
  int columns;
  std::ptrdiff_t left_row;  // between rows of left, and between elements that multiply successive rows of right
  std::ptrdiff_t left_depth;
};

/// The terms that are added before the activation; either may be null.
struct Addends {
  const float* biases = nullptr;  // (columns)
  const float* addend = nullptr;  // (rows, columns); may be out
};

/// Weights (depth, columns), or (columns, depth) if `transposed` is set.
class PackedProduct {
 public:
  PackedProduct(const float* weights, int depth, int columns, bool transposed);

  int depth() const { return depth_; }
  int columns() const { return columns_; }

  /// `shape` with the depth and the columns of the weights.
  void run(GraphContext& shop, const ProductShape& shape, const float* left, const Finish& finish, const Addends& addends, float* out) const;

 private:
  int depth_;
  int columns_;
  LargeMemory panels_;                  // (columns / tile_width, depth, tile_width), padded with zeros
  std::vector<std::int32_t> offsets_;  // offsets of a panel's rows
};

/// `batch` products with right matrices (depth, columns) that are not packed before. `left_batch` and `right_batch` floats lie
/// between two of them, 0 if all share one. out (batch, rows, columns), all with the same addends.
void multiply_batch(GraphContext& shop, const ProductShape& shape, int batch, const float* left, std::ptrdiff_t left_batch, const float* right,
                    std::ptrdiff_t right_batch, const Finish& finish, const Addends& addends, float* out);

}  // namespace lectern::cpu
