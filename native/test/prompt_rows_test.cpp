// Products of many rows through the CUDA kernels, on the emulation and on a device where there is one, against sums in double: every
// weight type, every tile, edges that fit no tile, and the same bits whatever company a row has.
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "backend/ops.h"
#include "cuda/backend.h"
#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "harness.h"
#include "made_model.h"
#include "opened_model.h"
#include "tensor/dequantise.h"

namespace lectern {
namespace {

using test::check;
using test::Row;

/// A matrix of random blocks as a file has it, and what it means.
struct MadeMatrix {
  DType dtype;
  int rows, columns;
  std::vector<std::byte> bytes;
  Row values;

  MadeMatrix(DType type, int rows_, int columns_, unsigned seed) : dtype(type), rows(rows_), columns(columns_) {
    std::mt19937 random(seed);
    bytes = test::random_weights(type, std::int64_t{rows} * columns, 0.1F, random);
    values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    dequantise(dtype, bytes.data(), static_cast<std::int64_t>(values.size()), values.data());
  }
  Tensor tensor() const { return {"made", dtype, {columns, rows, 1, 1}, 2, bytes.data(), bytes.size()}; }
};

/// The ops of a backend and memory for one product.
struct Bench {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Ops> ops;
  Memory in, out;
  int columns, outputs;

  Bench(const test::Place& place, int rows, int columns_, int outputs_) : Bench(place.make(), rows, columns_, outputs_) {}
  Bench(std::unique_ptr<Backend> made, int rows, int columns_, int outputs_) : backend(std::move(made)), columns(columns_), outputs(outputs_) {
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
  return test::relative_distance(got, Row(exact.begin(), exact.end()));
}

/// bf16 has 8 bits, both factors rounded; a half has 11, and a half's weights are exact.
double allowed(DType dtype) { return dtype == DType::f32 ? 1e-6 : dtype == DType::f16 ? 3e-4 : 4e-3; }

Row part_of(const Row& whole, int first, int count, int width) {
  const auto at = whole.begin() + static_cast<std::ptrdiff_t>(first) * width;
  return {at, at + static_cast<std::ptrdiff_t>(count) * width};
}

/// Rows and outputs that need more than one tile of each kind, and whole tiles of none.
constexpr int rows = 133;
constexpr int outputs = 150;

namespace emulation = cuda::emulation;

/// Types of which there are kernels for warpgroups.
bool may_go_by_groups(DType type) {
  return type == DType::q4_k || type == DType::q5_k || type == DType::q6_k || type == DType::q5_0 || type == DType::q8_0 || type == DType::f16;
}

void check_products(const test::Place& place, bool groups) {
  for (const DTypeInfo& type : dtype_table) {
    if (groups && !may_go_by_groups(type.dtype)) continue;
    const int columns = type.block_elements == 256 ? 256 : 96;
    const MadeMatrix matrix(type.dtype, outputs, columns, 7);
    const Row x = random_row(std::size_t{rows} * static_cast<std::size_t>(columns), 3, 1);
    const Row before = random_row(std::size_t{rows} * outputs, 4, 1);
    const Row bias = random_row(outputs, 5, 1);
    Bench bench(place, rows, columns, outputs);
    const Tensor tensor = matrix.tensor();
    const Linear linear{bench.ops->place_matrix(&tensor, 1), bench.ops->place_vector(bias.data(), bias.size())};
    const auto add = [&](int count) { bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats()); };
    std::vector<double> exact = product(matrix, x, rows);
    for (std::size_t i = 0; i < exact.size(); i++) exact[i] += static_cast<double>(bias[i % outputs] + before[i]);
    const std::string name = place.name + ", " + std::string(type.name);
    const Row whole = bench.run(x, before, 0, rows, add);
    const double error = distance(whole, exact);
    check(error > 0 && error < allowed(type.dtype), name + ": distance " + std::to_string(error));
    // 133 rows are large tiles there, 100 medium ones, the others small.
    for (const auto& [first, count] : std::vector<std::pair<int, int>>{{0, 100}, {33, 100}, {100, 33}, {70, 1}}) {
      check(test::same_bits(bench.run(x, before, first, count, add), part_of(whole, first, count, outputs)), name + ": " + std::to_string(count) + " rows by themselves");
    }
  }
}

LECTERN_TEST("prompt rows: products of every weight type, the same bits in every tile") {
  for (const test::Place& place : test::places()) check_products(place, false);
  const std::string remarks = cuda::take_remarks();
  if (!remarks.empty()) test::note(remarks);
}

LECTERN_TEST("prompt rows: products by warpgroups, the same bits in every tile") {
  if (!test::tests_emulation()) return;
  for (const bool reverse : {false, true}) {
    emulation::set_reverse(reverse);
    emulation::group_products = 0;
    emulation::remarks.clear();
    check_products(test::warpgroup_place(), true);
    // Where they are wrong others are used, and the products are right nevertheless.
    check(emulation::group_products > 0 && emulation::remarks.empty(), "they are made by warpgroups: " + emulation::remarks);
  }
  emulation::set_reverse(false);
}

LECTERN_TEST("prompt rows: warpgroups that do not multiply as they should are left alone, and it is said") {
  if (!test::tests_emulation()) return;
  constexpr int columns = 256;
  const MadeMatrix matrix(DType::q4_k, outputs, columns, 7);
  const Tensor tensor = matrix.tensor();
  const Row x = random_row(std::size_t{rows} * columns, 3, 1);
  const Row nothing(std::size_t{rows} * outputs);
  const auto result = [&](int device, bool wrong) {
    emulation::groups_multiply_wrongly = wrong;
    emulation::remarks.clear();
    Bench bench(cuda_emulated::make_backend(device), rows, columns, outputs);
    const Linear linear{bench.ops->place_matrix(&tensor, 1), nullptr};
    emulation::groups_multiply_wrongly = false;
    emulation::group_products = 0;
    return bench.run(x, nothing, 0, rows, [&](int count) { bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats()); });
  };
  const Row single = result(0, false);
  const Row refused = result(1, true);
  check(emulation::group_products == 0 && test::same_bits(refused, single), "single warps multiply");
  check(emulation::remarks.find("weights of Q4_K go by single warps") != std::string::npos, "said: " + emulation::remarks);
  const Row taken = result(1, false);
  check(emulation::group_products > 0 && emulation::remarks.empty(), "where nothing is wrong they are used, and nothing is said: " + emulation::remarks);
  check(test::relative_distance(taken, single) < 1e-6, "to the same sums");
}

LECTERN_TEST("prompt rows: gated pairs and gelu, of one type or two") {
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const auto& [first, second] : std::vector<std::pair<DType, DType>>{{DType::q4_0, DType::q4_0}, {DType::q5_0, DType::q5_0}, {DType::f16, DType::f16}, {DType::q8_0, DType::f16}, {DType::f32, DType::f32}}) {
      constexpr int columns = 96;
      const MadeMatrix gate(first, outputs, columns, 7);
      const MadeMatrix up(second, outputs, columns, 8);
      const Row x = random_row(std::size_t{rows} * columns, 3, 0.2F);
      const Row nothing(std::size_t{rows} * outputs);
      const Row weight = random_row(columns, 6, 1);
      Bench bench(place, rows, columns, outputs);
      const Tensor tensors[2] = {gate.tensor(), up.tensor()};
      const Norm norm{bench.ops->place_vector(weight.data(), weight.size()), nullptr, 1e-5F};
      const GatedWeights weights{norm, bench.ops->place_matrix(&tensors[0], 1), bench.ops->place_matrix(&tensors[1], 1)};
      Row normed = x;
      for (int r = 0; r < rows; r++) {
        double squares = 0;
        for (int c = 0; c < columns; c++) squares += std::pow(static_cast<double>(x[static_cast<std::size_t>(r * columns + c)]), 2);
        const double scale = 1 / std::sqrt(squares / columns + 1e-5);
        for (int c = 0; c < columns; c++) normed[static_cast<std::size_t>(r * columns + c)] *= static_cast<float>(scale) * weight[static_cast<std::size_t>(c)];
      }
      std::vector<double> exact = product(gate, normed, rows);
      const std::vector<double> factor = product(up, normed, rows);
      for (std::size_t i = 0; i < exact.size(); i++) exact[i] = exact[i] / (1 + std::exp(-exact[i])) * factor[i];
      const std::string name = place.name + ", " + std::string(info_of(first).name) + " and " + std::string(info_of(second).name);
      const auto gated = [&](int count) { bench.ops->gated(weights, count, bench.in.floats(), bench.out.floats()); };
      const Row whole = bench.run(x, nothing, 0, rows, gated);
      const double error = distance(whole, exact);
      check(error > 0 && error < 2 * std::max(allowed(first), allowed(second)), name + ": distance " + std::to_string(error));
      for (const int count : {90, 20}) check(test::same_bits(bench.run(x, nothing, 0, count, gated), part_of(whole, 0, count, outputs)), name + ": " + std::to_string(count) + " rows");

      exact = product(gate, x, rows);
      for (double& value : exact) value = value / 2 * (1 + std::erf(value / std::sqrt(2.0)));
      const Linear linear{weights.gate, nullptr};
      const double gelu = distance(bench.run(x, nothing, 0, rows, [&](int count) { bench.ops->project_gelu(linear, count, bench.in.floats(), bench.out.floats()); }), exact);
      check(gelu > 0 && gelu < 2 * allowed(first), name + ": gelu, distance " + std::to_string(gelu));
    }
  }
}

/// x += Wdown gelu(Wup x + bias) + bias in double.
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

LECTERN_TEST("prompt rows: what gelu leaves goes on as halves that no row overflows, whatever its company") {
  constexpr int width = 96;
  constexpr int hidden = 128;
  for (const test::Place& place : test::places_and_warpgroups()) {
    const MadeMatrix up(DType::f16, hidden, width, 7);
    const MadeMatrix down(DType::f16, width, hidden, 8);
    Bench bench(place, rows, hidden, width);
    const Tensor tensors[2] = {up.tensor(), down.tensor()};
    const Matrix placed[2] = {bench.ops->place_matrix(&tensors[0], 1), bench.ops->place_matrix(&tensors[1], 1)};
    for (const float size : {1e-6F, 1.0F, 1e6F, 1e25F}) {
      const Row x = random_row(std::size_t{rows} * width, 3, size);
      const Row biases[2] = {random_row(hidden, 4, size), random_row(width, 5, size)};
      const Linear linears[2] = {{placed[0], bench.ops->place_vector(biases[0].data(), hidden)}, {placed[1], bench.ops->place_vector(biases[1].data(), width)}};
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

LECTERN_TEST("prompt rows: what a norm has packed is what the next product would pack, and is not used for anything else") {
  constexpr int width = 96;
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const DType type : {DType::f16, DType::q8_0}) {
      const MadeMatrix matrix(type, width, width, 7);
      const Tensor tensor = matrix.tensor();
      const Row x = random_row(std::size_t{rows} * width, 3, 1);
      const Row zeros(x.size());
      const Row parameters[2] = {random_row(width, 4, 1), random_row(width, 5, 1)};
      const auto result = [&](bool known) {
        Bench bench(place, rows, width, width);
        const Linear linear{bench.ops->place_matrix(&tensor, 1), nullptr};
        const Norm norm{bench.ops->place_vector(parameters[0].data(), width), bench.ops->place_vector(parameters[1].data(), width), 1e-5F};
        const auto gelu = [&](int count) { bench.ops->project_gelu(linear, count, bench.in.floats(), bench.out.floats()); };
        // How products want their input is known from the last.
        const Row plain = known ? bench.run(x, zeros, 0, rows, gelu) : Row();
        const Row normed = bench.run(x, zeros, 0, rows, [&](int count) {
          bench.ops->normalise(norm, count, width, bench.in.floats());
          gelu(count);
        });
        if (known) {
          bench.run(x, zeros, 0, rows, [&](int count) { bench.ops->normalise(norm, count, width, bench.in.floats()); });
          check(test::same_bits(bench.run(x, zeros, 0, rows, gelu), plain), place.name + ": rows that were uploaded since are not the norm's");
          bench.run(x, x, 0, rows, [&](int count) {
            bench.ops->normalise(norm, count, width, bench.out.floats());
            bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats());
            bench.ops->project_gelu(linear, count, bench.out.floats(), bench.in.floats());
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

LECTERN_TEST("prompt rows: halves neither overflow nor vanish, and what is no number reaches the result") {
  constexpr int columns = 64;
  for (const test::Place& place : test::places()) {
    const MadeMatrix matrix(DType::f16, outputs, columns, 9);
    Bench bench(place, 4, columns, outputs);
    const Tensor tensor = matrix.tensor();
    const Linear linear{bench.ops->place_matrix(&tensor, 1), nullptr};
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

/// Of a matrix that has no room to be unpacked whole: both matrices of a gated pair, and outputs with a bias that are added.
LECTERN_TEST("prompt rows: a matrix that is unpacked in parts gives the bits of tiles that unpack it on their way") {
  constexpr int columns = 64;
  constexpr int wide = 1100;
  constexpr int wider = 2100;
  for (const test::Place& place : test::places_and_warpgroups()) {
    const MadeMatrix gate(DType::q8_0, wide, columns, 7), up(DType::q8_0, wide, columns, 8), one(DType::q8_0, wider, columns, 9);
    const Tensor tensors[3] = {gate.tensor(), up.tensor(), one.tensor()};
    const Row x = random_row(std::size_t{rows} * columns, 3, 0.2F);
    const Row ones(columns, 1.0F);
    const Row bias = random_row(wider, 5, 1);
    for (const int outputs_here : {wide, wider}) {
      Bench bench(place, rows, columns, outputs_here);
      const Row before = random_row(std::size_t{rows} * static_cast<std::size_t>(outputs_here), 4, 1);
      const GatedWeights pair{{bench.ops->place_vector(ones.data(), ones.size()), nullptr, 1e-5F}, bench.ops->place_matrix(&tensors[0], 1), bench.ops->place_matrix(&tensors[1], 1)};
      const Linear linear{bench.ops->place_matrix(&tensors[2], 1), bench.ops->place_vector(bias.data(), bias.size())};
      const auto work = [&](int count) {
        if (outputs_here == wide) bench.ops->gated(pair, count, bench.in.floats(), bench.out.floats());
        else bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats());
      };
      emulation::own_copies = 0;
      const Row whole = bench.run(x, before, 0, rows, work);
      const std::string name = place.name + ", " + std::to_string(outputs_here) + " outputs";
      check((emulation::own_copies > 0) == (place.name == test::warpgroup_place().name), name + ": unpacked where there are warpgroups");
      if (outputs_here == wider) {
        std::vector<double> exact = product(one, x, rows);
        for (std::size_t i = 0; i < exact.size(); i++) exact[i] += static_cast<double>(bias[i % wider] + before[i]);
        const double error = distance(whole, exact);
        check(error > 0 && error < allowed(DType::q8_0), name + ": distance " + std::to_string(error));
      }
      check(test::same_bits(bench.run(x, before, 0, 90, work), part_of(whole, 0, 90, outputs_here)), name + ": 90 rows by themselves");
      check(test::same_bits(bench.run(x, before, 90, rows - 90, work), part_of(whole, 90, rows - 90, outputs_here)), name + ": the others");
    }
  }
}

/// More tiles of rows than are taken beside one another before the next outputs; and more steps of columns than a block has stages, on from tile to tile. As many rows as a device
/// wants before it unpacks a matrix.
LECTERN_TEST("prompt rows: hundreds and thousands of rows, the same bits as few of them") {
  struct Case {
    DType type;
    int rows, columns;
  };
  constexpr int wide = 264;
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const Case& made : {Case{DType::f16, 17 * 128 + 5, 8}, Case{DType::q8_0, 17 * 128 + 5, 32}, Case{DType::q8_0, 261, 352}, Case{DType::q6_k, 261, 256}}) {
      const MadeMatrix matrix(made.type, wide, made.columns, 7);
      const Tensor tensor = matrix.tensor();
      const Row x = random_row(static_cast<std::size_t>(made.rows) * static_cast<std::size_t>(made.columns), 3, 1);
      const Row before(static_cast<std::size_t>(made.rows) * wide);
      Bench bench(place, made.rows, made.columns, wide);
      const Linear linear{bench.ops->place_matrix(&tensor, 1), nullptr};
      const auto add = [&](int count) { bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats()); };
      const std::string name = place.name + ", " + std::to_string(made.rows) + " rows of " + std::string(info_of(made.type).name);
      emulation::own_copies = 0;
      const Row whole = bench.run(x, before, 0, made.rows, add);
      check((emulation::own_copies > 0) == (place.name == test::warpgroup_place().name), name + ": by copies of boxes where there are warpgroups");
      const double error = distance(whole, product(matrix, x, made.rows));
      check(error > 0 && error < allowed(made.type), name + ": distance " + std::to_string(error));
      for (const int first : {0, 100, made.rows - 70}) {
        check(test::same_bits(bench.run(x, before, first, 70, add), part_of(whole, first, 70, wide)), name + ": 70 rows from " + std::to_string(first) + " on");
      }
    }
  }
}

/// A warp packs rows of up to 1,024 columns, a block of 256 threads those of up to 8,192, one of 1,024 longer ones without a norm; longer ones with a norm are read anew.
LECTERN_TEST("prompt rows: rows of every length are packed, normed or not") {
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
          Bench bench(place, few, columns, narrow);
          const Linear linear{bench.ops->place_matrix(&tensor, 1), nullptr};
          const Norm norm{bench.ops->place_vector(weight.data(), weight.size()), norms == 2 ? bench.ops->place_vector(shift.data(), shift.size()) : nullptr, 1e-5F};
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
            if (norms > 0) bench.ops->normalise(norm, count, columns, bench.in.floats());
            bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats());
          };
          const std::string name = place.name + ", " + std::string(info_of(type).name) + " of " + std::to_string(columns) + (norms == 0 ? "" : norms == 1 ? ", normed" : ", normed and shifted");
          // Alone before anything is known of how products want their input, then packed by the norm.
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
