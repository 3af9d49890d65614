// Small language models with random weights, written as GGUF files: the paths of real ones without any of their size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "tensor/dtype.h"

namespace lectern::test {

/// Random valid blocks whose values are spread around 0 by about `spread`. `elements`: a multiple of the block.
std::vector<std::byte> random_weights(DType dtype, std::int64_t elements, float spread, std::mt19937& random);

struct MadeTensor {
  std::vector<std::int64_t> dims;  // the first runs fastest
  DType dtype;
  std::vector<std::byte> bytes;
};

using MadeValue = std::variant<std::uint32_t, float, bool, std::string, std::vector<std::string>, std::vector<bool>>;

/// What a model file holds, open to be spoilt before it is written.
struct MadeModel {
  std::map<std::string, MadeValue> keys;
  std::map<std::string, MadeTensor> tensors;

  void write(const std::filesystem::path& path) const;
};

struct MadeShape {
  std::string architecture = "llama";
  DType dtype = DType::f32;  // of matrices
  int layers = 2;
  int embedding = 256;
  int heads = 4;
  int kv_heads = 2;
  int head_size = 64;
  int feed_forward = 512;
  int vocabulary = 96;
  int context = 192;
  int experts = 0;
  int shared_feed_forward = 0;  // of the layer beside the experts; 0: none
  bool tied = false;
  /// The usual mix that files call Q4_K_M, whatever `dtype` says; types that do not fit a row give way as they do there.
  bool mixed = false;
  /// Repeats a million random values: for models so large that making them would take minutes.
  bool repeated = false;
};

MadeModel make_model(const MadeShape& shape, unsigned seed = 1);

/// A file of that name in a folder of this process, removed at its end.
std::filesystem::path scratch_file(const std::string& name);

}  // namespace lectern::test
