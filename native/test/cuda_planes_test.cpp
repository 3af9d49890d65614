// Weights on the device against the plain reference: repacked to planes, unpacked again, no value may have changed.
#include <random>
#include <string>
#include <vector>

#include "backend/ops.h"
#include "cuda_places.h"
#include "harness.h"
#include "made_model.h"
#include "opened_model.h"
#include "tensor/dequantise.h"

namespace lectern {
namespace {

using test::check;

struct Table {
  Table(DType dtype, int rows, int columns) : columns_(columns), bytes(test::random_weights(dtype, std::int64_t{rows} * columns, 1, random())) {
    tensor = {"table", dtype, {columns, rows, 1, 1}, 2, bytes.data(), bytes.size()};
  }
  test::Row expected() const {
    test::Row values(static_cast<std::size_t>(tensor.rows() * columns_));
    dequantise(tensor.dtype, bytes.data(), tensor.rows() * columns_, values.data());
    return values;
  }
  static std::mt19937& random() {
    static std::mt19937 generator(11);
    return generator;
  }

  int columns_;
  std::vector<std::byte> bytes;
  Tensor tensor;
};

OpsShape shape_of(int rows, int columns) {
  OpsShape shape{};
  shape.rows = shape.part_rows = rows;
  shape.logit_rows = 1;
  shape.columns = shape.outputs = columns;
  shape.heads = 1;
  shape.kv = {1, 1, 1, 1, 32, DType::f16};
  return shape;
}

/// Every row of the table, looked up by its number, the last first.
test::Row looked_up(Backend& backend, const Table& table) {
  const int rows = static_cast<int>(table.tensor.rows());
  const std::unique_ptr<Ops> ops = backend.make_ops(shape_of(rows, table.columns_));
  const Matrix placed = ops->load_table(table.tensor);
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(rows)), zeros(static_cast<std::size_t>(rows));
  for (int r = 0; r < rows; r++) numbers[static_cast<std::size_t>(r)] = rows - 1 - r;
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(table.columns_);
  const Memory x(backend, count * sizeof(float));
  ops->begin({rows, 0, numbers.data(), zeros.data(), zeros.data(), zeros.data(), zeros.data(), zeros.data()}, Rope{});
  ops->embed(placed, {0, rows}, x.floats());
  ops->end();
  test::Row backwards(count);
  backend.download(backwards.data(), x.data(), count * sizeof(float));
  test::Row values;
  for (int r = rows - 1; r >= 0; r--) values.insert(values.end(), backwards.begin() + std::ptrdiff_t{r} * table.columns_, backwards.begin() + std::ptrdiff_t{r + 1} * table.columns_);
  return values;
}

LECTERN_TEST("cuda: repacked weights have every value of the file, for every type") {
  for (const test::Place& place : test::places()) {
    for (const DTypeInfo& type : dtype_table) {
      // Rows whose planes end within, at and beyond what a plane is filled up to.
      for (const int blocks : {1, 3, 40}) {
        const Table table(type.dtype, 7, blocks * type.block_elements);
        const auto backend = place.make();
        // By value: of a weight of 0 the sign may differ.
        check(looked_up(*backend, table) == table.expected(), place.name + ": " + std::string(type.name) + ", rows of " + std::to_string(blocks) + " blocks");
      }
    }
  }
}

LECTERN_TEST("cuda: bit planes take the bytes of the file's blocks, plus padding") {
  for (const test::Place& place : test::places()) {
    const auto backend = place.make();
    for (const DTypeInfo& type : dtype_table) {
      const std::size_t file = row_bytes(type.dtype, 8192) * 100;
      const std::size_t placed = backend->matrix_bytes(type.dtype, 100, 8192, 1);
      // The head of Q3_K has 14 bytes of a file and 16 here.
      double most = type.dtype == DType::q3_k ? 1.02 : 1.001;
      // The blocks of MXFP4 and TQ1_0 have 17 and 54 bytes, and become 18 and 66; code books become indices or Q6_K.
      if (type.dtype == DType::mxfp4) most = 18.05 / 17;
      if (type.dtype == DType::tq1_0) most = 66.1 / 54;
      if (has_code_book(type.dtype)) most = 210.2 / type.block_bytes;
      check(placed >= file && static_cast<double>(placed) <= most * static_cast<double>(file), std::string(type.name) + ": " + std::to_string(placed) + " bytes for " + std::to_string(file));
    }
  }
}

}  // namespace
}  // namespace lectern
