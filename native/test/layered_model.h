// A model of made weights on a GPU, as large as the published ones: passes through all of its layers, without a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "bench_shape.h"

namespace lectern::test {

/// How much of a model a device is given.
struct LayeredOptions {
  int rows;        // of a pass
  int positions;   // of a slot
  int slots;
  int layers;      // of the shape's; fewer where the memory does not hold all
  bool records = true;
};

class LayeredModel {
 public:
  /// Throws Error `out_of_memory`.
  LayeredModel(Backend& backend, const BenchShape& shape, const LayeredOptions& options);

  /// What the model takes on the device, told before it is made.
  static std::size_t bytes(const Backend& backend, const BenchShape& shape, const LayeredOptions& options);

  /// One token of an answer in each of the first `slots` slots, at `position`; returns when the logits are on the host.
  void decode(int slots, int position);
  /// `rows` tokens of a prompt from position `from` on, and the logits of the last where wanted.
  void prompt(int rows, int from, bool wants_logits);
  /// Texts of an encoder, one after the other, each of `length` tokens.
  void embed(int texts, int length);

  /// What a token of an answer reads: every matrix once, and the keys and values of `seen` positions in each of `slots` slots.
  double bytes_read(int slots, int seen) const;
  /// Additions and multiplications of `rows` rows that see `seen` cells on the average, without the logits.
  double operations(int rows, double seen) const;
  /// What was brought to the device, as a file has it, in bytes.
  std::size_t file_bytes() const { return file_bytes_; }

 private:
  struct Layer {
    AttentionWeights attention;
    Linear output, down, up;
    GatedWeights gated;
  };

  Matrix matrix(DType dtype, int rows, int columns);
  Layer layer(const LayerTypes& types);
  /// All layers; the lists of rows are filled.
  void pass(int rows, int decode_rows, const std::vector<std::int32_t>& wanted);
  void resize(int rows);

  Backend& backend_;
  BenchShape shape_;
  LayeredOptions options_;
  std::mt19937 random_{1};
  std::unique_ptr<Ops> ops_;
  Memory cache_, x_, q_, hidden_, logits_;
  Kv kv_{};
  Norm norm_{};
  Matrix table_{}, head_{};
  std::vector<Layer> layers_;
  std::vector<double> frequencies_;
  std::map<std::tuple<DType, int, int>, std::vector<std::byte>> made_;  // of the largest kinds there are few
  std::size_t file_bytes_ = 0;
  std::vector<std::int32_t> tokens_, slots_, positions_, cells_, first_, visible_;
  std::vector<float> result_;
};

}  // namespace lectern::test
