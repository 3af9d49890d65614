// Transposed convolutions over pictures (batch, channels, height, width), in floats.
#pragma once

#include <vector>

#include "cpu/convolution.h"

namespace lectern::cpu {

/// Each input adds its filter to the output at its place times the stride, less the padding before; in the order of the input's
/// channels, then of its rows and columns.
class TransposedConvolution {
 public:
  /// weights (in_channels, out_channels / groups, kernel, kernel); bias (out_channels) or null. The sides' pad_after means nothing.
  TransposedConvolution(const ConvolutionShape& shape, const float* weights, const float* bias);

  /// out (batch, out_channels, height, width).
  void run(Workshop& shop, Picture picture, const float* in, const Finish& finish, int height, int width, float* out) const;

 private:
  struct Run;

  /// Whether no two inputs reach the same output and none is missing.
  bool tiles() const;
  void run_tiles(const Run& run) const;
  void run_sums(const Run& run) const;
  /// Adds what one tap gives for inputs first_column .. to the plane.
  void add_row(const Run& run, const float* sums, int tap, int first_column, int columns, float* plane) const;

  ConvolutionShape shape_;
  int group_inputs_;
  int group_outputs_;
  int taps_;
  int unit_rows_;  // rows of weights that are packed together: those of a group, or of one output of it
  int units_;      // of a group
  std::vector<float> bias_;
  LargeMemory panels_;  // (groups, units_, unit_rows_ / tile_height, group_inputs_, tile_height), zeros behind the last
};

}  // namespace lectern::cpu
