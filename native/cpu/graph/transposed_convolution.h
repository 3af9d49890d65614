// Transposed convolutions over pictures (batch, channels, height, width), in floats.
#pragma once

#include <vector>

#include "cpu/graph/convolution.h"

namespace lectern::cpu {

/// Each input adds its filter to the output at its place times the stride, less the padding before. The order is that of the input's
/// channels, then of its rows and columns.
class PackedTransposed {
 public:
  /// weights (in_channels, out_channels / groups, kernel, kernel). Each run gives its own padding.
  PackedTransposed(const ConvolutionShape& shape, const float* weights);

  const ConvolutionShape& shape() const { return shape_; }

  /// Drops the first `top` rows and `left` columns of the result. bias (out_channels) may be null.
  void run(GraphContext& shop, const Picture& picture, int top, int left, const float* in, const Finish& finish, const float* bias, float* out) const;

 private:
  struct Run;

  void run_tiles(const Run& run) const;
  void run_sums(const Run& run) const;
  /// Adds the contribution of one tap for inputs first_column .. to the plane.
  void add_row(const Run& run, const float* sums, int tap, int first, int count, float* plane) const;

  ConvolutionShape shape_;
  int group_inputs_;
  int group_outputs_;
  int taps_;
  int unit_rows_;  // rows of weights that are packed together: those of a group, or of one output of it
  int units_;      // per group
  LargeMemory panels_;  // (groups, units_, unit_rows_ / tile_height, group_inputs_, tile_height), padded with zeros
};

}  // namespace lectern::cpu
