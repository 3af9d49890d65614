// A model of made weights on a GPU, as large as the published ones: passes through all of its layers, without a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

  /// A decode pass: one token in each of the first `slots` slots, at `position`; returns when the next tokens are chosen, as in a service.
  /// False where logits are NaN, because a model would not continue then.
  bool decode(int slots, int position);
  /// `rows` tokens of a prompt from position `from` on, and the logits of the last where wanted.
  void prompt(int rows, int from, bool wants_logits);
  /// Texts of an encoder, one after the other, each of `length` tokens.
  void embed(int texts, int length);

  /// The ops of a layer by themselves, each in all layers one after the other: of decode rows in `slots` slots at `position`, or with 0 slots
  /// of `rows` prefill rows from `position` on. The best of a few runs.
  struct PartTime {
    const char* name;
    double seconds;     // a layer
    double bytes;       // a layer reads, of weights and of keys and values
    double operations;  // a layer's additions and multiplications
  };
  std::vector<PartTime> time_parts(int slots, int rows, int position);
  /// The same of an encoder with `texts` texts of `length` tokens.
  std::vector<PartTime> time_text_parts(int texts, int length);

  /// The bytes that a decode pass reads: every matrix once, and the keys and values of `seen` positions in each of `slots` slots.
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

  struct Part {
    const char* name;
    std::function<std::vector<Matrix>(const Layer&)> matrices;
    std::function<void(const Layer&, int)> work;  // of the layer with this number
    double bytes, operations;                     // beside those of its matrices
  };

  /// Of the rows that are listed, which read `bytes` of keys and values and see `seen` positions.
  std::vector<Part> attention_parts(double bytes, double seen);
  std::vector<PartTime> time(const std::vector<Part>& parts, int decode_rows);
  Matrix matrix(DType dtype, int rows, int columns);
  Layer layer(const LayerTypes& types);
  /// The lists of rows, which a pass goes by.
  void list_answers(int slots, int position);
  void list_prompt(int rows, int from);
  void list_texts(int texts, int length);
  Batch batch(int decode_rows) const;
  Rope rope() const;
  /// All layers; the lists of rows are filled. False where logits are no numbers.
  bool pass(int decode_rows, const std::vector<std::int32_t>& wanted);
  bool choose(int count);
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
};

}  // namespace lectern::test
