// Rows that a norm, a gelu or a product packs as f16 or bf16 for the next product: they neither overflow nor vanish, and are the
// same whatever packs them and whatever the other rows are.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "backend/ops.h"
#include "cuda_places.h"
#include "harness.h"
#include "made_product.h"
#include "opened_model.h"

namespace lectern {
namespace {

using test::allowed;
using test::check;
using test::distance;
using test::MadeMatrix;
using test::part_of;
using test::product;
using test::ProductBench;
using test::random_row;
using test::Row;

/// Rows and outputs that need more than one tile of each kind, the last one not full.
constexpr int rows = 133;
constexpr int outputs = 150;

/// x += Wdown gelu(Wup x + bias) + bias, in double.
std::vector<double> gelu_block(const MadeMatrix& up, const Row& up_bias, const MadeMatrix& down, const Row& down_bias, const Row& x, int count) {
  std::vector<double> hidden = product(up, x, count);
  for (std::size_t i = 0; i < hidden.size(); i++) {
    const double z = hidden[i] + static_cast<double>(up_bias[i % up_bias.size()]);
    hidden[i] = z / 2 * (1 + std::erf(z / std::sqrt(2.0)));
  }
  std::vector<double> sums = product(down, Row(hidden.begin(), hidden.end()), count);
  for (std::size_t i = 0; i < sums.size(); i++) sums[i] += static_cast<double>(down_bias[i % down_bias.size()]) + static_cast<double>(x[i]);
  return sums;
}

LECTERN_TEST("prefill rows: the output of gelu is packed as f16 without overflow, whatever the other rows are") {
  constexpr int width = 96;
  constexpr int hidden = 128;
  for (const test::Place& place : test::places_and_warpgroups()) {
    const MadeMatrix up(DType::f16, hidden, width, 7);
    const MadeMatrix down(DType::f16, width, hidden, 8);
    ProductBench bench(place, rows, hidden, width);
    const Tensor tensors[2] = {up.tensor(), down.tensor()};
    const Matrix placed[2] = {bench.ops->load_matrix(&tensors[0], 1), bench.ops->load_matrix(&tensors[1], 1)};
    for (const float size : {1e-6F, 1.0F, 1e6F, 1e25F}) {
      const Row x = random_row(std::size_t{rows} * width, 3, size);
      const Row biases[2] = {random_row(hidden, 4, size), random_row(width, 5, size)};
      const Linear linears[2] = {{placed[0], bench.ops->load_vector(biases[0].data(), hidden)}, {placed[1], bench.ops->load_vector(biases[1].data(), width)}};
      const Row mark(std::size_t{rows} * hidden, 5.0F);
      const auto block = [&](int count) { bench.ops->project_gelu_add(linears[0], linears[1], count, bench.in.floats(), bench.out.floats()); };
      const std::string name = place.name + ", rows of " + std::to_string(size);
      const Row whole = bench.run(mark, x, 0, rows, block);
      Row left(mark.size());
      bench.backend->download(left.data(), bench.in.data(), left.size() * sizeof(float));
      check(test::same_bits(left, mark), name + ": nothing went through memory as floats");
      std::vector<double> exact = gelu_block(up, biases[0], down, biases[1], x, rows);
      Row scaled = whole;
      for (std::size_t i = 0; i < exact.size(); i++) exact[i] /= static_cast<double>(size), scaled[i] /= size;
      const double error = distance(scaled, exact);
      check(error > 0 && error < 2 * allowed(DType::f16), name + ": distance " + std::to_string(error));
      for (const int count : {90, 20}) check(test::same_bits(bench.run(mark, x, 0, count, block), part_of(whole, 0, count, width)), name + ": " + std::to_string(count) + " rows");
      Row broken = x;
      broken[width + 5] = std::nanf("");
      const Row result = bench.run(mark, broken, 0, 4, block);
      bool right = true;
      for (std::size_t i = 0; i < result.size(); i++) right = right && std::isfinite(result[i]) == (i / width != 1);
      check(right, name + ": one bad value makes its own row bad and no other");
    }
  }
}

LECTERN_TEST("prefill rows: rows that a norm packed are what the next product would pack, and no other op reads them") {
  constexpr int width = 96;
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const DType type : {DType::f16, DType::q8_0}) {
      const MadeMatrix matrix(type, width, width, 7);
      const Tensor tensor = matrix.tensor();
      const Row x = random_row(std::size_t{rows} * width, 3, 1);
      const Row zeros(x.size());
      const Row parameters[2] = {random_row(width, 4, 1), random_row(width, 5, 1)};
      const auto result = [&](bool known) {
        ProductBench bench(place, rows, width, width);
        const Linear linear{bench.ops->load_matrix(&tensor, 1), nullptr};
        const Norm norm{bench.ops->load_vector(parameters[0].data(), width), bench.ops->load_vector(parameters[1].data(), width), 1e-5F};
        PreparedRows prepared;
        const auto gelu = [&](int count) { bench.ops->project_gelu(linear, count, bench.in.floats(), bench.out.floats(), prepared); };
        // The form in which products read their input is known from the last one.
        const Row plain = known ? bench.run(x, zeros, 0, rows, gelu) : Row();
        const Row normed = bench.run(x, zeros, 0, rows, [&](int count) {
          prepared = bench.ops->normalise(norm, count, width, bench.in.floats());
          gelu(count);
        });
        if (known) {
          bench.run(x, zeros, 0, rows, [&](int count) { prepared = bench.ops->normalise(norm, count, width, bench.in.floats()); });
          check(test::same_bits(bench.run(x, zeros, 0, rows, gelu), plain), place.name + ": rows that were uploaded since are not the norm's");
          bench.run(x, x, 0, rows, [&](int count) {
            prepared = bench.ops->normalise(norm, count, width, bench.out.floats());
            bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats());
            bench.ops->project_gelu(linear, count, bench.out.floats(), bench.in.floats(), prepared);
          });
          Row in(x.size());
          bench.backend->download(in.data(), bench.in.data(), in.size() * sizeof(float));
          Row out(x.size());
          bench.backend->download(out.data(), bench.out.data(), out.size() * sizeof(float));
          check(test::same_bits(in, bench.run(out, zeros, 0, rows, gelu)), place.name + ": rows that were written since are not the norm's");
        }
        return normed;
      };
      check(test::same_bits(result(true), result(false)), place.name + ", " + std::string(info_of(type).name) + ": the same bits");
    }
  }
}

LECTERN_TEST("prefill rows: f16 rows neither overflow nor vanish, and NaN reaches the result") {
  constexpr int columns = 64;
  for (const test::Place& place : test::places()) {
    const MadeMatrix matrix(DType::f16, outputs, columns, 9);
    ProductBench bench(place, 4, columns, outputs);
    const Tensor tensor = matrix.tensor();
    const Linear linear{bench.ops->load_matrix(&tensor, 1), nullptr};
    for (const float size : {1e-30F, 1e-7F, 1e6F, 1e30F}) {
      const Row x = random_row(std::size_t{4} * columns, 3, size);
      const auto add = [&](int count) { bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats()); };
      const Row got = bench.run(x, Row(std::size_t{4} * outputs), 0, 4, add);
      std::vector<double> exact = product(matrix, x, 4);
      Row scaled = got;
      for (std::size_t i = 0; i < exact.size(); i++) exact[i] /= static_cast<double>(size), scaled[i] /= size;
      const double error = distance(scaled, exact);
      check(error > 0 && error < allowed(DType::f16), place.name + ", rows of " + std::to_string(size) + ": distance " + std::to_string(error));
      for (const float bad : {std::nanf(""), INFINITY}) {
        Row broken = x;
        broken[columns + 5] = bad;
        const Row result = bench.run(broken, Row(std::size_t{4} * outputs), 0, 4, add);
        bool right = true;
        for (std::size_t i = 0; i < result.size(); i++) right = right && std::isfinite(result[i]) == (i / outputs != 1);
        check(right, place.name + ": one bad value makes its own row bad and no other");
      }
    }
  }
}

/// A warp packs rows of up to 1,024 columns, a block of 256 threads those of up to 8,192, one of 1,024 longer ones without a norm; longer ones with a norm are read several times.
LECTERN_TEST("prefill rows: rows of every length are packed, with a norm and without") {
  constexpr int few = 3;
  constexpr int narrow = 32;
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const DType type : {DType::f16, DType::q8_0}) {
      for (const int columns : {32, 1056, 8224}) {
        const MadeMatrix matrix(type, narrow, columns, 7);
        const Tensor tensor = matrix.tensor();
        const Row x = random_row(std::size_t{few} * static_cast<std::size_t>(columns), 3, 1);
        const Row weight = random_row(static_cast<std::size_t>(columns), 6, 1), shift = random_row(static_cast<std::size_t>(columns), 5, 1);
        const Row before(std::size_t{few} * narrow);
        for (const int norms : {0, 1, 2}) {
          ProductBench bench(place, few, columns, narrow);
          const Linear linear{bench.ops->load_matrix(&tensor, 1), nullptr};
          const Norm norm{bench.ops->load_vector(weight.data(), weight.size()), norms == 2 ? bench.ops->load_vector(shift.data(), shift.size()) : nullptr, 1e-5F};
          Row normed = x;
          for (int r = 0; r < few && norms > 0; r++) {
            float* const row = normed.data() + static_cast<std::ptrdiff_t>(r) * columns;
            double mean = 0, squares = 0;
            for (int c = 0; c < columns && norms == 2; c++) mean += static_cast<double>(row[c]) / columns;
            for (int c = 0; c < columns; c++) squares += std::pow(static_cast<double>(row[c]) - mean, 2);
            const double scale = 1 / std::sqrt(squares / columns + 1e-5);
            for (int c = 0; c < columns; c++) {
              const auto i = static_cast<std::size_t>(c);
              row[c] = static_cast<float>((static_cast<double>(row[c]) - mean) * scale * static_cast<double>(weight[i]) + (norms == 2 ? static_cast<double>(shift[i]) : 0.0));
            }
          }
          const auto work = [&](int count) {
            const PreparedRows prepared = norms > 0 ? bench.ops->normalise(norm, count, columns, bench.in.floats()) : PreparedRows{};
            bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats(), prepared);
          };
          const std::string name = place.name + ", " + std::string(info_of(type).name) + " of " + std::to_string(columns) + (norms == 0 ? "" : norms == 1 ? ", normed" : ", normed and shifted");
          // Alone before the form of the input is known, then packed by the norm.
          const Row alone = bench.run(x, before, 1, 1, work);
          const Row whole = bench.run(x, before, 0, few, work);
          check(test::same_bits(alone, part_of(whole, 1, 1, narrow)), name + ": the same bits alone");
          const double error = distance(whole, product(matrix, normed, few));
          check(error > 0 && error < allowed(type), name + ": distance " + std::to_string(error));
          if (norms == 0) continue;
          Row left(normed.size());
          bench.backend->download(left.data(), bench.in.data(), left.size() * sizeof(float));
          check(test::relative_distance(left, normed) < 1e-6, name + ": the norm as floats");
          Row broken = x;
          broken[static_cast<std::size_t>(columns + 5)] = INFINITY;
          const Row result = bench.run(broken, before, 0, few, work);
          bool right = true;
          for (std::size_t i = 0; i < result.size(); i++) right = right && std::isfinite(result[i]) == (i / narrow != 1);
          check(right, name + ": one bad value makes its own row bad and no other");
        }
      }
    }
  }
}

}  // namespace
}  // namespace lectern
