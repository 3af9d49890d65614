// Convolutions and window operations over pictures (batch, channels, height, width), in floats.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/fast_ops.h"
#include "cpu/graph/matrix_product.h"
#include "cpu/graph/graph_context.h"

namespace lectern::cpu {

/// The window along one side of a picture.
struct Side {
  int kernel = 1;
  int stride = 1;
  int dilation = 1;
  int pad_before = 0;
  int pad_after = 0;

  int reach() const { return (kernel - 1) * dilation + 1; }
  /// The output size for an input of `size`; below 1 if the window does not fit.
  int out(int size) const { return (size + pad_before + pad_after - reach()) / stride + 1; }
};

struct ConvolutionShape {
  int in_channels;
  int out_channels;
  int groups;
  Side vertical;
  Side horizontal;
};

/// The shapes of a convolution: what it reads and how much it writes.
struct Picture {
  int batch;
  int height;
  int width;
  int out_height;
  int out_width;
};

/// Sums run in the order of the weights, so that no result depends on the threads or on the other pictures of the batch.
class PackedConvolution {
 public:
  /// weights (out_channels, in_channels / groups, kernel, kernel). Each run gives its own padding.
  PackedConvolution(const ConvolutionShape& shape, const float* weights);

  const ConvolutionShape& shape() const { return shape_; }

  /// Pads with `top` rows and `left` columns of zeros before the picture and as many behind as the output needs. bias (out_channels) and
  /// addend, as large as out, may be null; the addend may be out.
  void run(GraphContext& shop, const Picture& picture, int top, int left, const float* in, const Finish& finish, const float* bias, const float* addend, float* out);

 private:
  struct Run;

  void run_points(const Run& run);
  void run_channels(const Run& run) const;
  void run_products(const Run& run) const;

  ConvolutionShape shape_;
  int group_inputs_;
  int group_outputs_;
  int depth_;                             // products per output
  LargeMemory panels_;                    // (groups, group_outputs / tile_height, depth, tile_height), padded with zeros
  std::vector<float> taps_;               // (out_channels, taps), if each group has one input
  std::unique_ptr<PackedProduct> points_;  // the same weights for pictures of one point, made at first use
};

}  // namespace lectern::cpu
