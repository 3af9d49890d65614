// One product of many rows: a made matrix, the operations of a backend with memory for it, and what comes out in double.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/ops.h"
#include "cuda_places.h"
#include "harness.h"
#include "opened_model.h"
#include "tensor/tensor.h"

namespace lectern::test {

/// A matrix of random blocks as a file has it, and what it means.
struct MadeMatrix {
  DType dtype;
  int rows, columns;
  std::vector<std::byte> bytes;
  Row values;

  MadeMatrix(DType type, int rows_, int columns_, unsigned seed);
  Tensor tensor() const { return {"made", dtype, {columns, rows, 1, 1}, 2, bytes.data(), bytes.size()}; }
};

/// A matrix of random blocks on the device, with values of about `spread`.
Matrix place_random(Backend& backend, Ops& ops, DType type, int rows, int columns, float spread, std::mt19937& random);

/// The ops of a backend and memory for one product.
struct ProductBench {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Ops> ops;
  Memory in, out;
  int columns, outputs;

  ProductBench(const test::Place& place, int rows, int columns_, int outputs_) : ProductBench(place.make(), rows, columns_, outputs_) {}
  ProductBench(std::unique_ptr<Backend> made, int rows, int columns_, int outputs_);
  static std::size_t bytes_of(int rows, int width) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) * sizeof(float); }

  /// `work` on the rows of x from `first` on, added to what `before` holds.
  template <class Work>
  Row run(const Row& x, const Row& before, int first, int count, const Work& work) {
    const std::vector<std::int32_t> zeros(static_cast<std::size_t>(count));
    std::vector<std::int32_t> positions(zeros);
    std::iota(positions.begin(), positions.end(), 0);
    backend->upload(in.data(), x.data() + static_cast<std::ptrdiff_t>(first) * columns, bytes_of(count, columns));
    backend->upload(out.data(), before.data() + static_cast<std::ptrdiff_t>(first) * outputs, bytes_of(count, outputs));
    ops->begin({count, 0, zeros.data(), zeros.data(), positions.data(), positions.data(), zeros.data(), positions.data()}, Rope{});
    work(count);
    ops->end();
    Row got(static_cast<std::size_t>(count) * static_cast<std::size_t>(outputs));
    backend->download(got.data(), out.data(), bytes_of(count, outputs));
    return got;
  }
};

/// Numbers of about `size`.
Row random_row(std::size_t count, unsigned seed, float size);

/// W x[r], in double.
std::vector<double> product(const MadeMatrix& matrix, const Row& x, int rows);

/// Of a result from such sums, as a share of their size.
double distance(const Row& got, const std::vector<double>& exact);

/// bf16 has 8 bits, both factors rounded; a half has 11, and a half's weights are exact.
double allowed(DType dtype);

/// `count` rows of `width` from `first` on.
Row part_of(const Row& whole, int first, int count, int width);

}  // namespace lectern::test
