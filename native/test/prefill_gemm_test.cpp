// Products of prefill rows through the CUDA kernels, on the emulation and on a device where there is one, against sums in double: every
// weight type, every tile, edges that fit no tile, and the same bits beside any other rows.
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/ops.h"
#include "cuda/runtime/backend.h"
#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"
#include "cuda/emulation/fibers.h"
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

namespace emulation = cuda::emulation;

/// Types with wgmma kernels.
bool may_go_by_groups(DType type) {
  return type == DType::q4_k || type == DType::q5_k || type == DType::q6_k || type == DType::q5_0 || type == DType::q8_0 || type == DType::f16;
}

void check_products(const test::Place& place, bool groups) {
  for (const DTypeInfo& type : dtype_table) {
    if (groups && !may_go_by_groups(type.dtype)) continue;
    if (has_code_book(type.dtype) && type.dtype != DType::iq2_s) continue;  // they lie on the device as other types
    const int columns = type.block_elements == 256 ? 256 : 96;
    const MadeMatrix matrix(type.dtype, outputs, columns, 7);
    const Row x = random_row(std::size_t{rows} * static_cast<std::size_t>(columns), 3, 1);
    const Row before = random_row(std::size_t{rows} * outputs, 4, 1);
    const Row bias = random_row(outputs, 5, 1);
    ProductBench bench(place, rows, columns, outputs);
    const Tensor tensor = matrix.tensor();
    const Linear linear{bench.ops->load_matrix(&tensor, 1), bench.ops->load_vector(bias.data(), bias.size())};
    const auto add = [&](int count) { bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats()); };
    std::vector<double> exact = product(matrix, x, rows);
    for (std::size_t i = 0; i < exact.size(); i++) exact[i] += static_cast<double>(bias[i % outputs] + before[i]);
    const std::string name = place.name + ", " + std::string(type.name);
    const Row whole = bench.run(x, before, 0, rows, add);
    const double error = distance(whole, exact);
    check(error > 0 && error < allowed(type.dtype), name + ": distance " + std::to_string(error));
    // 133 rows use large tiles there, 100 medium ones, the others small ones.
    for (const auto& [first, count] : std::vector<std::pair<int, int>>{{0, 100}, {33, 100}, {100, 33}, {70, 1}}) {
      check(test::same_bits(bench.run(x, before, first, count, add), part_of(whole, first, count, outputs)), name + ": " + std::to_string(count) + " rows by themselves");
    }
  }
}

LECTERN_TEST("prefill rows: products of every weight type, with the same bits in every tile") {
  for (const test::Place& place : test::places()) check_products(place, false);
  const std::string remarks = cuda::take_remarks();
  if (!remarks.empty()) test::note(remarks);
}

LECTERN_TEST("prefill rows: products by wgmma, with the same bits in every tile") {
  if (!test::tests_emulation()) return;
  for (const bool reverse : {false, true}) {
    emulation::set_reverse(reverse);
    emulation::wgmma_count = 0;
    emulation::remarks.clear();
    check_products(test::warpgroup_place(), true);
    // Where a kernel is wrong others are used, and the products are right nevertheless.
    check(emulation::wgmma_count > 0 && emulation::remarks.empty(), "wgmma is used: " + emulation::remarks);
  }
  emulation::set_reverse(false);
}

LECTERN_TEST("prefill rows: wgmma that multiplies wrongly is not used, and that is remarked") {
  if (!test::tests_emulation()) return;
  constexpr int columns = 256;
  const MadeMatrix matrix(DType::q4_k, outputs, columns, 7);
  const Tensor tensor = matrix.tensor();
  const Row x = random_row(std::size_t{rows} * columns, 3, 1);
  const Row nothing(std::size_t{rows} * outputs);
  const auto result = [&](int device, bool wrong) {
    emulation::wgmma_is_wrong = wrong;
    emulation::remarks.clear();
    ProductBench bench(cuda_emulated::make_backend(device), rows, columns, outputs);
    const Linear linear{bench.ops->load_matrix(&tensor, 1), nullptr};
    emulation::wgmma_is_wrong = false;
    emulation::wgmma_count = 0;
    return bench.run(x, nothing, 0, rows, [&](int count) { bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats()); });
  };
  const Row single = result(0, false);
  const Row refused = result(1, true);
  check(emulation::wgmma_count == 0 && test::same_bits(refused, single), "mma.sync is used");
  check(emulation::remarks.find("weights of Q4_K uses mma.sync") != std::string::npos, "said: " + emulation::remarks);
  const Row taken = result(1, false);
  check(emulation::wgmma_count > 0 && emulation::remarks.empty(), "where nothing is wrong they are used, and nothing is said: " + emulation::remarks);
  check(test::relative_distance(taken, single) < 1e-6, "to the same sums");
}

LECTERN_TEST("prefill rows: gated products and gelu, of one type or two") {
  for (const test::Place& place : test::places_and_warpgroups()) {
    for (const auto& [first, second] : std::vector<std::pair<DType, DType>>{{DType::q4_0, DType::q4_0}, {DType::q5_0, DType::q5_0}, {DType::f16, DType::f16}, {DType::q8_0, DType::f16}, {DType::f32, DType::f32}}) {
      constexpr int columns = 96;
      const MadeMatrix gate(first, outputs, columns, 7);
      const MadeMatrix up(second, outputs, columns, 8);
      const Row x = random_row(std::size_t{rows} * columns, 3, 0.2F);
      const Row nothing(std::size_t{rows} * outputs);
      const Row weight = random_row(columns, 6, 1);
      ProductBench bench(place, rows, columns, outputs);
      const Tensor tensors[2] = {gate.tensor(), up.tensor()};
      const Norm norm{bench.ops->load_vector(weight.data(), weight.size()), nullptr, 1e-5F};
      const GatedWeights weights{norm, bench.ops->load_matrix(&tensors[0], 1), bench.ops->load_matrix(&tensors[1], 1)};
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

/// For a matrix that is unpacked in parts: both matrices of a gated product, and outputs with a bias and a residual.
LECTERN_TEST("prefill rows: a matrix that is unpacked in parts gives the bits of kernels that unpack it on the way") {
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
      ProductBench bench(place, rows, columns, outputs_here);
      const Row before = random_row(std::size_t{rows} * static_cast<std::size_t>(outputs_here), 4, 1);
      const GatedWeights pair{{bench.ops->load_vector(ones.data(), ones.size()), nullptr, 1e-5F}, bench.ops->load_matrix(&tensors[0], 1), bench.ops->load_matrix(&tensors[1], 1)};
      const Linear linear{bench.ops->load_matrix(&tensors[2], 1), bench.ops->load_vector(bias.data(), bias.size())};
      const auto work = [&](int count) {
        if (outputs_here == wide) bench.ops->gated(pair, count, bench.in.floats(), bench.out.floats());
        else bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats());
      };
      emulation::bulk_copy_count = 0;
      const Row whole = bench.run(x, before, 0, rows, work);
      const std::string name = place.name + ", " + std::to_string(outputs_here) + " outputs";
      check((emulation::bulk_copy_count > 0) == (place.name == test::warpgroup_place().name), name + ": unpacked where there are warpgroups");
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

/// More row tiles than are rasterised together, and more K tiles than there are stages, on from tile to tile. As many rows as make a device
/// unpack the matrix.
LECTERN_TEST("prefill rows: hundreds and thousands of rows have the bits of few rows") {
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
      ProductBench bench(place, made.rows, made.columns, wide);
      const Linear linear{bench.ops->load_matrix(&tensor, 1), nullptr};
      const auto add = [&](int count) { bench.ops->project_add(linear, count, bench.in.floats(), bench.out.floats()); };
      const std::string name = place.name + ", " + std::to_string(made.rows) + " rows of " + std::string(info_of(made.type).name);
      emulation::bulk_copy_count = 0;
      const Row whole = bench.run(x, before, 0, made.rows, add);
      check((emulation::bulk_copy_count > 0) == (place.name == test::warpgroup_place().name), name + ": by copies of boxes where there are warpgroups");
      const double error = distance(whole, product(matrix, x, made.rows));
      check(error > 0 && error < allowed(made.type), name + ": distance " + std::to_string(error));
      for (const int first : {0, 100, made.rows - 70}) {
        check(test::same_bits(bench.run(x, before, first, 70, add), part_of(whole, first, 70, wide)), name + ": 70 rows from " + std::to_string(first) + " on");
      }
    }
  }
}

}  // namespace
}  // namespace lectern
