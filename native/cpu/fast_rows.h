// The parts of FastOps that run for each operation: prepare rows, multiply, finish.
#pragma once

#include <algorithm>

#include "cpu/fast_ops.h"
#include "cpu/packed.h"

namespace lectern::cpu {

inline const PackedMatrix& packed_of(const Matrix& matrix) { return *static_cast<const PackedMatrix*>(matrix.data); }

template <class Work>
void FastOps::each_part(int parts, Work& work) {
  const Cancel* const cancel = batch_.cancel;
  auto wanted = [&work, cancel](int part, int thread) {
    if (cancel == nullptr || !cancel->requested()) work(part, thread);
  };
  threads_.each(parts, wanted);
}

template <class Work>
void FastOps::each_row(int rows, Work& work) {
  constexpr int few = 4;
  if (rows >= few) return each_part(rows, work);
  for (int row = 0; row < rows; row++) work(row, 0);
}

template <class RowAt>
void FastOps::prepare(const Norm& norm, int count, int columns, std::initializer_list<const PackedMatrix*> readers, RowAt row_at) {
  bool bytes = false;
  bool words = false;
  bool floats = false;
  for (const PackedMatrix* reader : readers) {
    const int bits = activation_bits(reader->dtype);
    (bits == 8 ? bytes : bits == 16 ? words : floats) = true;
  }
  const std::ptrdiff_t blocks = (columns + 31) / 32;
  auto work = [&](int row, int thread) {
    int first = 0;
    while (first + tile_rows(count - first) <= row) first += tile_rows(count - first);
    const int tile = tile_rows(count - first);
    const float* values = row_at(row);
    if (norm.weight != nullptr) {
      float* normed = scratch_[static_cast<std::size_t>(thread)].row.data();
      kernels_.norm(values, norm.weight, norm.bias, norm.epsilon, columns, normed);
      values = normed;
    }
    if (bytes) kernels_.quantise(values, columns, tile, row - first, quantised_.data() + first * blocks * quantised_bytes);
    if (words) kernels_.quantise_wide(values, columns, tile, row - first, wide_.data() + first * blocks * wide_bytes);
    if (floats) kernels_.spread(values, columns, tile, row - first, floats_.floats() + std::ptrdiff_t{first} * columns);
  };
  each_row(count, work);
}

template <class Finish>
void FastOps::multiply_all(std::initializer_list<const PackedMatrix*> matrices, int part, int count, Finish finish) {
  int all_groups = 0;
  for (const PackedMatrix* matrix : matrices) all_groups += group_count(matrix->rows);
  const int chunk = chunk_groups(all_groups, count);
  int chunks = 0;
  for (const PackedMatrix* matrix : matrices) chunks += (group_count(matrix->rows) + chunk - 1) / chunk;
  auto work = [&](int index, int thread) {
    int which = 0;
    for (const PackedMatrix* matrix : matrices) {
      const int groups = group_count(matrix->rows);
      const int own = (groups + chunk - 1) / chunk;
      if (index >= own) {
        index -= own;
        which++;
        continue;
      }
      const int first = index * chunk;
      const int taken = std::min(chunk, groups - first);
      float* products = scratch_[static_cast<std::size_t>(thread)].products.floats();
      multiply(*matrix, part, first, taken, count, products);
      const int column = first * group_rows;
      const int columns = std::min(taken * group_rows, matrix->rows - column);
      for (int r = 0; r < count; r++) finish(which, r, column, columns, products + std::ptrdiff_t{r} * taken * group_rows);
      return;
    }
  };
  each_part(chunks, work);
}

}  // namespace lectern::cpu
