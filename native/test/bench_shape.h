// The published shapes of models that a GPU is timed with, in the types that their Q4_K_M files have.
#pragma once

#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace lectern::test {

/// Of a layer's matrices.
struct LayerTypes {
  DType query, key, value, output, gate, up, down;
};

struct BenchShape {
  std::string name;
  int layers, embedding, heads, kv_heads, head_size, feed_forward, vocabulary;
  LayerTypes more;  // of the layers that such a file gives more bits
  LayerTypes rest;
  bool encoder = false;

  /// Whether a layer is one of the half that such files give more bits.
  bool has_more(int layer) const { return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2; }
};

/// What has a must first: 70B, bge-m3; then 72B, 8B and 1B; `tiny`: a decoder and an encoder that an emulation is done with in seconds.
std::vector<BenchShape> bench_shapes(bool tiny);

}  // namespace lectern::test
