// The operations other than attention and experts.
#include "cpu/fast_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/fast_rows.h"
#include "cpu/packed.h"
#include "tensor/dequantise.h"

namespace lectern::cpu {
namespace {

auto gate_of(const Kernels& kernels, Activation activation) {
  switch (activation) {
    case Activation::silu: break;
    case Activation::gelu_tanh: return kernels.gate_gelu_tanh;
    case Activation::gelu: return kernels.gate_gelu;
    case Activation::clamped_swiglu: return kernels.gate_clamped;
  }
  return kernels.gate;
}

/// values[r, c] += bias[c], rows `stride` apart.
void add_bias(const float* bias, int rows, int columns, int stride, float* values) {
  for (int r = 0; r < rows; r++, values += stride) {
    for (int c = 0; c < columns; c++) values[c] += bias[c];
  }
}

}  // namespace

void FastOps::begin(const Batch& batch, const Rope& rope, const Rope& second) {
  batch_ = batch;
  ropes_[0] = rope;
  ropes_[1] = second;
  auto angles = [&](int row, int) {
    for (int which = 0; which < 2; which++) {
      const Rope& turned = ropes_[which];
      const int pairs = turned.rotated / 2;
      for (int i = 0; i < pairs; i++) {
        const double angle = batch.positions[row] * turned.frequencies[i];
        const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(pairs) + static_cast<std::size_t>(i);
        cosines_[which][at] = static_cast<float>(std::cos(angle)) * turned.magnitude;
        sines_[which][at] = static_cast<float>(std::sin(angle)) * turned.magnitude;
      }
    }
  };
  if (rope.rotated + second.rotated > 0) each_row(batch.rows, angles);
}

void FastOps::embed(const Matrix& table, Rows rows, float* x, float scale) {
  const Tensor& tensor = *static_cast<const Tensor*>(table.data);
  const std::size_t bytes = row_bytes(tensor.dtype, table.columns);
  for (int r = 0; r < rows.count; r++) {
    const auto token = static_cast<std::size_t>(batch_.tokens[rows.first + r]);
    float* const row = x + std::ptrdiff_t{r} * table.columns;
    dequantise(tensor.dtype, tensor.data + token * bytes, table.columns, row);
    if (scale == 1.0F) continue;
    for (int c = 0; c < table.columns; c++) row[c] *= scale;
  }
}

void FastOps::add_positions(const Matrix& positions, const float* type_row, Rows rows, float* x) {
  if (positions.data == nullptr) {
    for (int r = 0; r < rows.count && type_row != nullptr; r++, x += positions.columns) {
      for (int c = 0; c < positions.columns; c++) x[c] += type_row[c];
    }
    return;
  }
  std::vector<float>& row = scratch_.front().row;
  for (int r = 0; r < rows.count; r++, x += positions.columns) {
    const Tensor& tensor = *static_cast<const Tensor*>(positions.data);
    const auto position = static_cast<std::size_t>(batch_.positions[rows.first + r]);
    dequantise(tensor.dtype, tensor.data + position * row_bytes(tensor.dtype, positions.columns), positions.columns, row.data());
    for (int c = 0; c < positions.columns; c++) x[c] += row[static_cast<std::size_t>(c)] + (type_row == nullptr ? 0.0F : type_row[c]);
  }
}

void FastOps::multiply(const PackedMatrix& matrix, int part, int first_group, int groups, int count, float* out) const {
  const int bits = activation_bits(matrix.dtype);
  const LargeMemory& activations = bits == 8 ? quantised_ : bits == 16 ? wide_ : floats_;
  const std::byte* packed = matrix.memory.data() + static_cast<std::size_t>(part) * matrix.part_bytes + static_cast<std::size_t>(first_group) * matrix.group_bytes;
  kernels_.multiply[static_cast<int>(matrix.dtype)](packed, matrix.group_bytes, matrix.columns, groups, activations.data(), count, out,
                                                    std::ptrdiff_t{groups} * group_rows);
}

/// The number of groups that one thread takes at a time: a pass over a large matrix is divided evenly among the threads, and the
/// products of one part stay in the cache.
int FastOps::chunk_groups(int groups, int count) const {
  const int fitting = static_cast<int>(products_floats_) / (group_rows * count);
  const int even = groups / (threads_.count() * 8);
  return std::clamp(even, 1, std::clamp(fitting, 1, 32));
}

void FastOps::gate_all(const GatedPart& work, int count, float* out) {
  const auto gate_rows = gate_of(kernels_, work.activation);
  const PackedMatrix& gate = work.gate;
  const int groups = group_count(gate.rows);
  const int chunk = chunk_groups(groups, count);
  auto chunk_work = [&](int index, int thread) {
    const int first = index * chunk;
    const int taken = std::min(chunk, groups - first);
    float* gates = scratch_[static_cast<std::size_t>(thread)].products.floats();
    float* ups = gates + products_floats_;
    const int column = first * group_rows;
    const int columns = std::min(taken * group_rows, gate.rows - column);
    multiply(gate, work.part, first, taken, count, gates);
    multiply(work.up, work.part, first, taken, count, ups);
    if (work.gate_bias != nullptr) {
      add_bias(work.gate_bias + column, count, columns, taken * group_rows, gates);
      add_bias(work.up_bias + column, count, columns, taken * group_rows, ups);
    }
    gate_rows(gates, ups, count * taken * group_rows);
    for (int r = 0; r < count; r++) {
      std::memcpy(out + std::ptrdiff_t{r} * gate.rows + column, gates + std::ptrdiff_t{r} * taken * group_rows, static_cast<std::size_t>(columns) * sizeof(float));
    }
  };
  each_part((groups + chunk - 1) / chunk, chunk_work);
}

PreparedRows FastOps::project_add(const Linear& weights, int rows, const float* in, float* x, const PreparedRows&, const Norm*) {
  const PackedMatrix& matrix = packed_of(weights.weight);
  prepare(Norm{}, rows, matrix.columns, {&matrix}, [&](int r) { return in + std::ptrdiff_t{r} * matrix.columns; });
  multiply_all({&matrix}, 0, rows, [&](int, int r, int column, int columns, const float* values) {
    float* to = x + std::ptrdiff_t{r} * matrix.rows + column;
    for (int i = 0; i < columns; i++) to[i] += values[i] + (weights.bias == nullptr ? 0.0F : weights.bias[column + i]);
  });
  return {};
}

void FastOps::project(const Linear& weights, int rows, const float* in, float* out, const PreparedRows&) {
  const PackedMatrix& matrix = packed_of(weights.weight);
  prepare(Norm{}, rows, matrix.columns, {&matrix}, [&](int r) { return in + std::ptrdiff_t{r} * matrix.columns; });
  multiply_all({&matrix}, 0, rows, [&](int, int r, int column, int columns, const float* values) {
    float* to = out + std::ptrdiff_t{r} * matrix.rows + column;
    for (int i = 0; i < columns; i++) to[i] = values[i] + (weights.bias == nullptr ? 0.0F : weights.bias[column + i]);
  });
}

void FastOps::add_normed(const Norm& norm, int rows, int columns, const float* in, float* x) {
  auto work = [&](int r, int thread) {
    float* normed = scratch_[static_cast<std::size_t>(thread)].row.data();
    kernels_.norm(in + std::ptrdiff_t{r} * columns, norm.weight, norm.bias, norm.epsilon, columns, normed);
    float* to = x + std::ptrdiff_t{r} * columns;
    for (int c = 0; c < columns; c++) to[c] += normed[c];
  };
  each_row(rows, work);
}

void FastOps::cap_values(float cap, std::size_t count, float* values) {
  for (std::size_t i = 0; i < count; i++) values[i] = cap * std::tanh(values[i] / cap);
}

PreparedRows FastOps::gated(const GatedWeights& weights, int rows, const float* x, float* out, const PreparedRows&) {
  const PackedMatrix& gate = packed_of(weights.gate);
  const PackedMatrix& up = packed_of(weights.up);
  prepare(weights.norm, rows, gate.columns, {&gate, &up}, [&](int r) { return x + std::ptrdiff_t{r} * gate.columns; });
  gate_all({gate, up, weights.activation}, rows, out);
  return {};
}

void FastOps::project_gelu(const Linear& weights, int rows, const float* x, float* out, const PreparedRows&) {
  const PackedMatrix& matrix = packed_of(weights.weight);
  prepare(Norm{}, rows, matrix.columns, {&matrix}, [&](int r) { return x + std::ptrdiff_t{r} * matrix.columns; });
  multiply_all({&matrix}, 0, rows, [&](int, int r, int column, int columns, const float* values) {
    float* to = out + std::ptrdiff_t{r} * matrix.rows + column;
    for (int i = 0; i < columns; i++) to[i] = values[i] + (weights.bias == nullptr ? 0.0F : weights.bias[column + i]);
    kernels_.gelu(to, columns);
  });
}

PreparedRows FastOps::normalise(const Norm& norm, int rows, int columns, float* x) {
  auto work = [&](int r, int) {
    float* row = x + std::ptrdiff_t{r} * columns;
    kernels_.norm(row, norm.weight, norm.bias, norm.epsilon, columns, row);
  };
  each_row(rows, work);
  return {};
}

/// Row 2i of `out` is the i-th row normalised, row 2i + 1 the rounding error of its 8 bits.
void FastOps::split_rows(const Norm& norm, const std::int32_t* chosen, int count, int columns, const float* x, float* out) {
  std::byte* const bytes = quantised_.data();
  for (int i = 0; i < count; i++) {
    float* row = out + std::ptrdiff_t{2} * i * columns;
    float* rest = row + columns;
    kernels_.norm(x + std::ptrdiff_t{chosen[i]} * columns, norm.weight, norm.bias, norm.epsilon, columns, row);
    kernels_.quantise(row, columns, 1, 0, bytes);
    for (int c = 0; c < columns; c++) {
      const std::byte* block = bytes + std::ptrdiff_t{c / 32} * quantised_bytes;
      float scale;
      std::memcpy(&scale, block + 32, sizeof scale);
      rest[c] = row[c] - scale * static_cast<float>(static_cast<std::int8_t>(block[c % 32]));
    }
  }
}

void FastOps::logits(const Norm& norm, const Matrix& weights, const std::int32_t* chosen, int count, const float* x, float* logits) {
  const PackedMatrix& matrix = packed_of(weights);
  if (activation_bits(matrix.dtype) != 8) {
    prepare(norm, count, matrix.columns, {&matrix}, [&](int i) { return x + std::ptrdiff_t{chosen[i]} * matrix.columns; });
    return multiply_all({&matrix}, 0, count, [&](int, int r, int column, int columns, const float* values) {
      std::memcpy(logits + std::ptrdiff_t{r} * matrix.rows + column, values, static_cast<std::size_t>(columns) * sizeof(float));
    });
  }
  // Rounding to 8 bits would directly change the logits, unlike all other results. They use 16 bits, as two rows that share one pass over the weights.
  split_rows(norm, chosen, count, matrix.columns, x, logit_rows_.floats());
  prepare(Norm{}, 2 * count, matrix.columns, {&matrix}, [&](int i) { return logit_rows_.floats() + std::ptrdiff_t{i} * matrix.columns; });
  multiply_all({&matrix}, 0, 2 * count, [&](int, int r, int column, int columns, const float* values) {
    float* to = logits + std::ptrdiff_t{r / 2} * matrix.rows + column;
    if (r % 2 == 0) {
      std::memcpy(to, values, static_cast<std::size_t>(columns) * sizeof(float));
    } else {
      for (int i = 0; i < columns; i++) to[i] += values[i];
    }
  });
}

void FastOps::pool(Pooling pooling, int rows, int columns, const float* x, float* out) {
  const int first = pooling == Pooling::last ? rows - 1 : 0;
  const int last = pooling == Pooling::first ? 0 : rows - 1;
  for (int c = 0; c < columns; c++) {
    double sum = 0;
    for (int r = first; r <= last; r++) sum += static_cast<double>(x[std::ptrdiff_t{r} * columns + c]);
    out[c] = static_cast<float>(sum / (last - first + 1));
  }
}

}  // namespace lectern::cpu
