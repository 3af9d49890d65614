#include "llm/weight_loader.h"

#include <algorithm>

namespace lectern::llm {

OpsWeightLoader::OpsWeightLoader(const gguf::ModelFile& file, Ops& ops, const LoadWatch& watch)
    : file_(file), ops_(ops), watch_(watch), total_bytes_(static_cast<double>(std::max<std::size_t>(file.tensor_bytes(), 1))) {}

Matrix OpsWeightLoader::load_matrix(const Tensor* parts, int count) {
  if (watch_.cancel != nullptr) watch_.cancel->check();
  file_.check_unchanged();
  const Matrix placed = ops_.load_matrix(parts, count);
  for (int i = 0; i < count; i++) placed_bytes_ += static_cast<double>(parts[i].bytes);
  // A tied table counts twice: as the output too.
  if (watch_.on_progress) watch_.on_progress(std::min(1.0, placed_bytes_ / total_bytes_));
  return placed;
}

Matrix OpsWeightLoader::load_table(const Tensor& table) {
  placed_bytes_ += static_cast<double>(table.bytes);
  return ops_.load_table(table);
}

Matrix CountingWeightLoader::load_matrix(const Tensor* parts, int count) {
  bytes_ += backend_.matrix_bytes(parts->dtype, parts->rows(), parts->row_length(), count);
  return {};
}

Matrix CountingWeightLoader::load_table(const Tensor& table) {
  bytes_ += backend_.table_bytes(table.dtype, table.rows(), table.row_length());
  return {};
}

const float* CountingWeightLoader::load_vector(const float*, std::size_t count) {
  bytes_ += count * sizeof(float);
  return nullptr;
}

}  // namespace lectern::llm
