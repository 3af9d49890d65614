#include "made_product.h"

#include "made_model.h"
#include "tensor/dequantise.h"

namespace lectern::test {

MadeMatrix::MadeMatrix(DType type, int rows_, int columns_, unsigned seed) : dtype(type), rows(rows_), columns(columns_) {
  std::mt19937 random(seed);
  bytes = random_weights(type, std::int64_t{rows} * columns, 0.1F, random);
  values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  dequantise(dtype, bytes.data(), static_cast<std::int64_t>(values.size()), values.data());
}

Matrix place_random(Backend& backend, Ops& ops, DType type, int rows, int columns, float spread, std::mt19937& random) {
  const std::vector<std::byte> bytes = random_weights(type, std::int64_t{rows} * columns, spread, random);
  const Tensor tensor{"made", type, {columns, rows, 1, 1}, 2, bytes.data(), bytes.size()};
  const Matrix placed = ops.load_matrix(&tensor, 1);
  backend.synchronise();
  return placed;
}

ProductBench::ProductBench(std::unique_ptr<Backend> made, int rows, int columns_, int outputs_) : backend(std::move(made)), columns(columns_), outputs(outputs_) {
  OpsShape shape{};
  shape.rows = shape.part_rows = rows;
  shape.columns = columns;
  shape.outputs = outputs;
  shape.logit_rows = shape.heads = 1;
  shape.kv = {1, 1, 1, 1, 8, DType::f16};
  ops = backend->make_ops(shape);
  in = Memory(*backend, bytes_of(rows, columns));
  out = Memory(*backend, bytes_of(rows, outputs));
}

Row random_row(std::size_t count, unsigned seed, float size) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, size);
  Row row(count);
  for (float& value : row) value = normal(random);
  return row;
}

/// W x[r], in double.
std::vector<double> product(const MadeMatrix& matrix, const Row& x, int rows) {
  std::vector<double> sums;
  for (int r = 0; r < rows; r++) {
    for (int o = 0; o < matrix.rows; o++) {
      double sum = 0;
      for (int c = 0; c < matrix.columns; c++) {
        sum += static_cast<double>(matrix.values[static_cast<std::size_t>(o * matrix.columns + c)]) * static_cast<double>(x[static_cast<std::size_t>(r * matrix.columns + c)]);
      }
      sums.push_back(sum);
    }
  }
  return sums;
}

double distance(const Row& got, const std::vector<double>& exact) {
  return relative_distance(got, Row(exact.begin(), exact.end()));
}

double allowed(DType dtype) { return dtype == DType::f32 ? 1e-6 : dtype == DType::f16 ? 3e-4 : 4e-3; }

Row part_of(const Row& whole, int first, int count, int width) {
  const auto at = whole.begin() + static_cast<std::ptrdiff_t>(first) * width;
  return {at, at + static_cast<std::ptrdiff_t>(count) * width};
}

}  // namespace lectern::test
