// Loads a model's weights onto its device, or only counts their bytes.
#pragma once

#include <cstddef>
#include <functional>

#include "backend/backend.h"
#include "backend/ops.h"
#include "cancel.h"
#include "gguf/model_file.h"

namespace lectern::llm {

/// What load_weights() hands its tensors to. The functions are those of Ops.
class WeightLoader {
 public:
  virtual ~WeightLoader() = default;
  virtual bool supports(Op op, DType dtype) const = 0;
  /// Whether load_matrix() reads the bytes of its parts.
  virtual bool reads_bytes() const { return true; }
  virtual Matrix load_matrix(const Tensor* parts, int count) = 0;
  virtual Matrix load_table(const Tensor& table) = 0;
  virtual const float* load_vector(const float* values, std::size_t count) = 0;
};

/// The caller's view of a load: its cancel flag and its progress callback.
struct LoadWatch {
  const Cancel* cancel = nullptr;           // checked between tensors
  std::function<void(double)> on_progress;  // 0..1 of the weights' bytes, after each matrix; or empty
};

/// Into the ops. Between tensors it throws Error `cancelled`, and `invalid_model` when the file was changed meanwhile.
class OpsWeightLoader final : public WeightLoader {
 public:
  OpsWeightLoader(const gguf::ModelFile& file, Ops& ops, const LoadWatch& watch);

  bool supports(Op op, DType dtype) const override { return ops_.supports(op, dtype); }
  Matrix load_matrix(const Tensor* parts, int count) override;
  Matrix load_table(const Tensor& table) override;
  const float* load_vector(const float* values, std::size_t count) override { return ops_.load_vector(values, count); }

 private:
  const gguf::ModelFile& file_;
  Ops& ops_;
  const LoadWatch& watch_;
  double total_bytes_;
  double placed_bytes_ = 0;
};

/// Adds up what the backend would take for them.
class CountingWeightLoader final : public WeightLoader {
 public:
  explicit CountingWeightLoader(const Backend& backend) : backend_(backend) {}

  bool reads_bytes() const override { return false; }

  bool supports(Op op, DType dtype) const override { return backend_.supports(op, dtype); }
  Matrix load_matrix(const Tensor* parts, int count) override;
  Matrix load_table(const Tensor& table) override;
  const float* load_vector(const float* values, std::size_t count) override;

  std::size_t bytes() const { return bytes_; }

 private:
  const Backend& backend_;
  std::size_t bytes_ = 0;
};

}  // namespace lectern::llm
