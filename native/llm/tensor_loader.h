// Finds a model's tensors in its file by name, checks their shapes and types, and loads them to the device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backend/ops.h"
#include "error.h"
#include "gguf/model_file.h"
#include "llm/config.h"
#include "llm/weight_loader.h"
#include "tensor/dequantise.h"

namespace lectern::llm {

inline std::string quoted(std::string_view name) { return "The tensor \"" + std::string(name) + "\""; }

/// Errors are those of load_weights() (weights.h).
class TensorLoader {
 public:
  TensorLoader(const gguf::ModelFile& file, WeightLoader& ops) : file_(file), ops_(ops) {}

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  /// The tensor of this name. Throws Error `invalid_model` where its shape is not (columns, rows, parts), inputs first.
  const Tensor& shaped(const std::string& name, int columns, int rows, int parts = 1) const {
    const Tensor& tensor = file_.get(name);
    used_.insert(tensor.name);
    if (tensor.dims[0] != columns || tensor.dims[1] != rows || tensor.dims[2] != parts || tensor.dims[3] != 1) {
      std::string is;
      for (int i = 0; i < tensor.rank; i++) is += (i == 0 ? "" : " x ") + std::to_string(tensor.dims[static_cast<std::size_t>(i)]);
      const std::string want = std::to_string(columns) + " x " + std::to_string(rows) + (parts > 1 ? " x " + std::to_string(parts) : "");
      throw Error(ErrorCode::invalid_model, quoted(name) + " is " + is + ", not " + want + ".");
    }
    return tensor;
  }

  Matrix matrix(const std::string& name, int columns, int rows, Op op) const { return matrix_part(shaped(name, columns, rows), 0, rows, op); }

  /// Loads only rows `first` .. `first + count - 1` of a matrix.
  Matrix matrix_part(const Tensor& whole, int first, int count, Op op) const {
    const std::size_t bytes = row_bytes(whole.dtype, whole.row_length());
    const Tensor part{whole.name, whole.dtype, {whole.row_length(), count, 1, 1}, 2, whole.data + static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(count) * bytes};
    must_support(op, part);
    const Matrix placed = ops_.load_matrix(&part, 1);
    file_.drop(part);
    return placed;
  }

  Matrix table(const std::string& name, int columns, int rows) const {
    const Tensor& tensor = shaped(name, columns, rows);
    must_support(Op::table, tensor);
    return ops_.load_table(tensor);
  }

  /// Loads the matrices of all experts: from one 3-D tensor `stem_exps.weight` or, in older files, from one tensor `stem.E.weight` for each.
  Matrix experts(const std::string& stem, int columns, int rows, int count) const {
    std::vector<Tensor> parts;
    if (has(stem + "_exps.weight")) {
      const Tensor& all = shaped(stem + "_exps.weight", columns, rows, count);
      const std::size_t bytes = all.bytes / static_cast<std::size_t>(count);
      for (int e = 0; e < count; e++) {
        parts.push_back({all.name, all.dtype, {columns, rows, 1, 1}, 2, all.data + static_cast<std::size_t>(e) * bytes, bytes});
      }
    } else {
      for (int e = 0; e < count; e++) parts.push_back(shaped(stem + "." + std::to_string(e) + ".weight", columns, rows));
    }
    return place_experts(parts);
  }

  /// The matrices of gate and up of all experts from one tensor whose rows alternate between the two.
  std::pair<Matrix, Matrix> alternating_experts(const std::string& name, int columns, int rows, int count) const {
    const Tensor& all = shaped(name, columns, 2 * rows, count);
    const std::size_t row = row_bytes(all.dtype, columns);
    const auto half_of = [&](std::size_t half) {
      // Memory that the counting loader does not touch costs nothing.
      const auto bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(rows) * row;
      const std::unique_ptr<std::byte[]> copy(new std::byte[bytes]);
      for (std::size_t r = 0; ops_.reads_bytes() && r < bytes / row; r++) std::memcpy(copy.get() + r * row, all.data + (2 * r + half) * row, row);
      std::vector<Tensor> parts;
      for (int e = 0; e < count; e++) {
        const std::size_t of_expert = bytes / static_cast<std::size_t>(count);
        parts.push_back({all.name, all.dtype, {columns, rows, 1, 1}, 2, copy.get() + static_cast<std::size_t>(e) * of_expert, of_expert});
      }
      return place_experts(parts, false);
    };
    const Matrix gate = half_of(0);
    const std::pair<Matrix, Matrix> placed{gate, half_of(1)};
    file_.drop(all);
    return placed;
  }

  /// One of the two biases that alternate in a small table (rows of both, experts).
  const float* alternating_bias(const std::string& name, int columns, int rows, std::size_t half) const {
    std::vector<int> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<float> both = host_rows(name, 2 * columns, rows, all);
    std::vector<float> numbers;
    for (std::size_t i = half; i < both.size(); i += 2) numbers.push_back(both[i]);
    return keep(numbers);
  }

  std::vector<float> values(const std::string& name, int count) const { return row_of(shaped(name, count, 1)); }

  const float* keep(const std::vector<float>& numbers) const { return ops_.load_vector(numbers.data(), numbers.size()); }
  const float* vector(const std::string& name, int count) const { return keep(values(name, count)); }

  /// How many rows a small table has.
  int rows_of(const std::string& name) const { return static_cast<int>(std::min<std::int64_t>(file_.get(name).dims[1], 1 << 20)); }

  /// One row of a small table.
  const float* row(const std::string& name, int columns, int index) const {
    const std::vector<float> numbers = host_rows(name, columns, rows_of(name), {index});
    return ops_.load_vector(numbers.data(), numbers.size());
  }

  /// Some rows of a matrix, one behind the other, on the host.
  std::vector<float> host_rows(const std::string& name, int columns, int rows, const std::vector<int>& wanted) const {
    const Tensor& tensor = shaped(name, columns, rows);
    std::vector<float> values;
    for (const int index : wanted) {
      if (index >= rows) throw Error(ErrorCode::invalid_model, quoted(name) + " has " + std::to_string(rows) + " rows, and row " + std::to_string(index) + " is asked for.");
      const Tensor one{tensor.name, tensor.dtype, {columns, 1, 1, 1}, 1, tensor.data + static_cast<std::size_t>(index) * row_bytes(tensor.dtype, columns), row_bytes(tensor.dtype, columns)};
      const std::vector<float> numbers = row_of(one);
      values.insert(values.end(), numbers.begin(), numbers.end());
    }
    return values;
  }

  /// All rows of a small table, one behind the other.
  const float* flat(const std::string& name, int columns, int rows) const {
    std::vector<int> all(static_cast<std::size_t>(rows));
    std::iota(all.begin(), all.end(), 0);
    return keep(host_rows(name, columns, rows, all));
  }

  /// Two matrices of `rows` outputs each, one behind the other in one tensor.
  std::pair<Matrix, Matrix> halves(const std::string& name, int columns, int rows, Op op) const {
    const Tensor& both = shaped(name, columns, 2 * rows);
    const Matrix first = matrix_part(both, 0, rows, op);
    return {first, matrix_part(both, rows, rows, op)};
  }

  /// Loads `stem.weight` and, where the file has it, `stem.bias`.
  Linear linear(const std::string& stem, int columns, int rows) const { return linear_part(stem, columns, rows, 0, rows); }

  /// Loads only outputs `first` .. `first + count - 1` of `stem.weight` and `stem.bias`.
  Linear linear_part(const std::string& stem, int columns, int rows, int first, int count) const {
    Linear linear{matrix_part(shaped(stem + ".weight", columns, rows), first, count, Op::linear), nullptr};
    if (!has(stem + ".bias")) return linear;
    const std::vector<float> bias = values(stem + ".bias", rows);
    linear.bias = ops_.load_vector(bias.data() + first, static_cast<std::size_t>(count));
    return linear;
  }

  /// Throws Error `unsupported_format` where the file has a tensor that was not read: the model would compute other results with it.
  void refuse_unused(const Config& config) const {
    for (const Tensor& tensor : file_.tensors()) {
      if (used_.contains(tensor.name) || is_needless(tensor.name, config.kind)) continue;
      throw Error(ErrorCode::unsupported_format, quoted(tensor.name) + " has no place in the model's architecture as it is supported.");
    }
  }

 private:
  Matrix place_experts(const std::vector<Tensor>& parts, bool of_file = true) const {
    for (const Tensor& part : parts) {
      must_support(Op::experts, part);
      if (part.dtype != parts.front().dtype) throw Error(ErrorCode::unsupported_format, quoted(part.name) + " has another type than the first expert's.");
    }
    const Matrix placed = ops_.load_matrix(parts.data(), static_cast<int>(parts.size()));
    for (const Tensor& part : parts) {
      if (of_file) file_.drop(part);
    }
    return placed;
  }

  /// Tensors that may be left out: the RoPE frequencies in files of early converters, which the metadata gives; the classifier of an embedding
  /// model, and the output matrix of every model that does not generate.
  static bool is_needless(std::string_view name, ModelKind kind) {
    if (name.ends_with(".attn_rot_embd.weight") || name.ends_with(".attn_rot_embd")) return true;
    if (kind == ModelKind::embedding && (name == "cls" || name.starts_with("cls."))) return true;
    return kind != ModelKind::chat && name == "output.weight";
  }

  static std::vector<float> row_of(const Tensor& tensor) {
    std::vector<float> numbers(static_cast<std::size_t>(tensor.row_length()));
    dequantise(tensor.dtype, tensor.data, tensor.row_length(), numbers.data());
    for (const float number : numbers) {
      if (!std::isfinite(number)) throw Error(ErrorCode::invalid_model, quoted(tensor.name) + " holds a value that is no finite number.");
    }
    return numbers;
  }

  void must_support(Op op, const Tensor& tensor) const {
    if (ops_.supports(op, tensor.dtype)) return;
    throw Error(ErrorCode::unsupported_format, quoted(tensor.name) + " has the type " + std::string(info_of(tensor.dtype).name) + ", which this device does not take there.");
  }

  const gguf::ModelFile& file_;
  WeightLoader& ops_;
  mutable std::unordered_set<std::string_view> used_;
};

}  // namespace lectern::llm
