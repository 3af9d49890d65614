// The operations of networks as CUDA kernels, emulated here: against the plain ones, in both precisions and both orders of threads.
#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/graph_ops.h"
#include "backend/precision.h"
#include "cpu/backend.h"
#include "cpu/graph/reference_graph_ops.h"
#include "cuda/emulation/fibers.h"
#include "cuda_places.h"
#include "harness.h"
#include "tensor/half.h"

namespace lectern::test {
namespace {

using Floats = std::vector<float>;

Floats random_numbers(std::int64_t count, std::mt19937& random) {
  std::normal_distribution<float> normal(0, 1);
  Floats values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

Floats as_halves(const Floats& values) {
  Floats rounded;
  for (const float value : values) rounded.push_back(float_from_f16(f16_from_float(value)));
  return rounded;
}

int between(int low, int high, std::mt19937& random) { return std::uniform_int_distribution<int>(low, high)(random); }

/// Tensors of floats on a device, and back. What lies beside them is guarded by the emulation.
class Device {
 public:
  explicit Device(const Place& place, Precision precision) : backend_(place.make()), ops_(backend_->make_graph_ops(1, storage_of(precision))) { ops_->split_factors(precision == Precision::f16x3); }

  GraphOps& ops() { return *ops_; }
  /// Null stays null.
  const float* place(const Floats* values) {
    if (values == nullptr) return nullptr;
    const auto count = static_cast<std::int64_t>(values->size());
    Memory& floats = memory_.emplace_back(*backend_, values->size() * sizeof(float));
    backend_->upload(floats.data(), values->data(), values->size() * sizeof(float));
    Memory& kept = memory_.emplace_back(*backend_, values->size() * ops_->stored_bytes(Element::f32));
    ops_->keep_floats(count, static_cast<const float*>(memory_[memory_.size() - 2].data()), kept.data());
    return kept.floats();
  }
  Floats run(std::size_t count, const std::function<void(float*)>& work) {
    Memory out(*backend_, count * ops_->stored_bytes(Element::f32));
    work(out.floats());
    Memory floats(*backend_, count * sizeof(float));
    ops_->give_floats(static_cast<std::int64_t>(count), out.data(), floats.floats());
    Floats values(count);
    backend_->download(values.data(), floats.data(), count * sizeof(float));
    memory_.clear();
    return values;
  }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<GraphOps> ops_;
  std::vector<Memory> memory_;
};

/// The greatest difference, relative to the root of the mean square of what is expected; infinite where one is no number.
double off_by(const Floats& got, const Floats& want) {
  double squares = 0;
  for (const float x : want) squares += static_cast<double>(x) * static_cast<double>(x);
  const double size = std::sqrt(squares / static_cast<double>(want.size())) + 1e-12;
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); i++) {
    const double off = std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])) / size;
    worst = off >= 0 ? std::max(worst, off) : INFINITY;
  }
  return worst;
}

/// Sums of floats in another order, or results rounded to 11 bits of which a few lie at four times the mean.
double allowed(Precision precision) { return precision == Precision::f16 ? 4e-3 : 2e-5; }

/// work(ops, place) gives what runs an op; all of it on every device, in every precision and both orders of threads.
using Place1 = std::function<const float*(const Floats*)>;
void hold(const std::string& what, std::size_t count, const std::function<void(GraphOps&, const Place1&, float*)>& work) {
  cpu::ReferenceGraphOps plain;
  for (const Place& place : places()) {
    for (const Precision precision : {Precision::f16, Precision::f16x3, Precision::f32}) {
      Device device(place, precision);
      // Where tensors are halves so are the numbers that are given, both ways: only the work differs.
      std::deque<Floats> given;
      Floats want(count);
      work(plain, [&](const Floats* values) { return values == nullptr ? nullptr : given.emplace_back(precision == Precision::f16 ? as_halves(*values) : *values).data(); }, want.data());
      Floats first;
      for (const bool reverse : {false, true}) {
        cuda::emulation::set_reverse(reverse);
        const Floats got = device.run(count, [&](float* out) { work(device.ops(), [&](const Floats* values) { return device.place(values); }, out); });
        cuda::emulation::set_reverse(false);
        const std::string title = place.name + ", " + name_of(precision) + ", " + what;
        const double off = off_by(got, want);
        check(off < allowed(precision), title + ": off by " + std::to_string(off));
        if (reverse) check(got == first, title + ": the same bits in the other order");
        first = got;
      }
    }
  }
}

Unary random_activation(std::mt19937& random) {
  constexpr UnaryKind kinds[] = {UnaryKind::identity, UnaryKind::relu, UnaryKind::silu, UnaryKind::hard_swish, UnaryKind::gelu};
  return {kinds[between(0, 4, random)], 1.0F, 0.5F, 1, 0};
}

LECTERN_TEST("cuda: products of networks, transposed, broadcast and with every tile") {
  if (!has_emulation()) return;
  std::mt19937 random(61);
  // rows, columns, inner: beside tiles, over them, and with vectors of eight.
  const int sizes[][3] = {{1, 1, 1}, {5, 70, 33}, {17, 40, 64}, {130, 136, 40}, {200, 33, 8}};
  for (const auto& [rows, columns, inner] : sizes) {
    for (int form = 0; form < 4; form++) {
      Product p{};
      p.rows = rows;
      p.columns = columns;
      p.inner = inner;
      p.a_transposed = form % 2 == 1;
      p.b_transposed = form >= 2;
      const int batch = rows > 100 ? 1 : 3;
      p.batches = Shape{2, batch};
      p.a_strides = {static_cast<std::int64_t>(batch) * rows * inner, static_cast<std::int64_t>(rows) * inner};
      p.b_strides = {0, form == 3 ? 0 : static_cast<std::int64_t>(inner) * columns};
      p.alpha = form == 2 ? 0.5F : 1;
      p.beta = form == 1 ? 2.0F : 1;
      p.bias_column_stride = 1;
      p.activation = random_activation(random);
      const Floats a = random_numbers(std::int64_t{2} * batch * rows * inner, random);
      const Floats b = random_numbers(std::int64_t{batch} * inner * columns, random);
      const Floats bias = random_numbers(columns, random);
      const std::string title = std::to_string(rows) + " x " + std::to_string(inner) + " x " + std::to_string(columns) + ", form " + std::to_string(form);
      hold(title, static_cast<std::size_t>(2 * batch * rows * columns), [&](GraphOps& ops, const Place1& place, float* out) {
        ops.multiply(p, place(&a), place(&b), nullptr, form == 0 ? nullptr : place(&bias), out);
      });
    }
  }
}

struct FilterCase {
  int inputs, outputs, groups, kernel, stride, dilation, height, width;
};

LECTERN_TEST("cuda: convolutions of networks, grouped, wide, pointwise, with residuals") {
  if (!has_emulation()) return;
  std::mt19937 random(62);
  const FilterCase cases[] = {{3, 16, 1, 3, 2, 1, 15, 13}, {8, 72, 1, 1, 1, 1, 12, 20}, {24, 136, 1, 1, 1, 1, 10, 14}, {6, 6, 6, 5, 1, 1, 9, 11}, {16, 32, 2, 3, 1, 2, 11, 7}, {8, 4, 1, 3, 1, 1, 8, 8}, {20, 10, 1, 1, 1, 1, 1, 1}};
  for (const FilterCase& c : cases) {
    Convolution convolution;
    convolution.filter = {c.outputs, c.inputs, c.groups, {c.kernel, c.kernel}, {c.stride, c.stride}, {c.dilation, c.dilation}};
    convolution.batch = 2;
    convolution.in = {c.height, c.width};
    const int pad = c.kernel / 2 * c.dilation;
    convolution.pads = {pad, pad};
    for (std::size_t i = 0; i < 2; i++) convolution.out[i] = (convolution.in[i] + 2 * pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1;
    convolution.activation = random_activation(random);
    const std::int64_t plane = convolution.out[0] * convolution.out[1];
    const Floats x = random_numbers(std::int64_t{2} * c.inputs * c.height * c.width, random);
    Floats w = random_numbers(std::int64_t{c.outputs} * c.inputs / c.groups * c.kernel * c.kernel, random);
    const Floats bias = random_numbers(c.outputs, random);
    const Floats residual = random_numbers(2 * c.outputs * plane, random);
    const std::string title = std::to_string(c.inputs) + " to " + std::to_string(c.outputs) + " in " + std::to_string(c.groups) + ", kernel " + std::to_string(c.kernel);
    hold(title, residual.size(), [&](GraphOps& ops, const Place1& place, float* out) {
      ops.convolve(convolution, place(&x), place(&w), ops.pack_filter(convolution.filter, w.data(), false), place(&bias), c.kernel == 1 ? place(&residual) : nullptr, out);
    });
    // Each picture alone gives the bits that it has in the batch.
    Convolution alone = convolution;
    alone.batch = 1;
    const Floats last(x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
    for (const Place& place : places()) for (const Precision precision : {Precision::f16x3, Precision::f16, Precision::f32}) {
      Device device(place, precision);
      const Floats both = device.run(residual.size(), [&](float* out) { device.ops().convolve(convolution, device.place(&x), device.place(&w), nullptr, device.place(&bias), nullptr, out); });
      const Floats one = device.run(residual.size() / 2, [&](float* out) { device.ops().convolve(alone, device.place(&last), device.place(&w), nullptr, device.place(&bias), nullptr, out); });
      check(std::equal(one.begin(), one.end(), both.begin() + static_cast<std::ptrdiff_t>(one.size())), place.name + ", " + title + ": alone as in the batch");
    }
  }
}

LECTERN_TEST("cuda: operands split into two f16, of every magnitude, constant or not, infinities included") {
  if (!has_emulation()) return;
  std::mt19937 random(65);
  Product p{};
  p.rows = 20, p.columns = 36, p.inner = 80;
  p.a_strides = {0}, p.b_strides = {0};
  for (const float size : {1e-3F, 1.0F, 1e4F}) {
    for (const float weight : {1e-9F, 1.0F, 3e6F}) {
      for (const bool halves : {false, true}) {
        Floats a = random_numbers(p.rows * p.inner, random);
        Floats b = random_numbers(p.inner * p.columns, random);
        if (halves) b = as_halves(b);
        for (float& value : a) value *= size;
        // A power of two keeps them halves.
        for (float& value : b) value *= std::exp2(std::round(std::log2(weight)));
        const std::string title = "factors of " + std::to_string(size) + " and " + std::to_string(weight) + (halves ? " in halves" : "");
        for (const Place& place : places()) {
          cpu::ReferenceGraphOps plain;
          Floats want(static_cast<std::size_t>(p.rows * p.columns));
          plain.multiply(p, a.data(), b.data(), nullptr, nullptr, want.data());
          Device device(place, Precision::f16x3);
          const void* packed = device.ops().pack_matrix(p.inner, p.columns, false, b.data());
          const Floats got = device.run(want.size(), [&](float* out) { device.ops().multiply(p, device.place(&a), device.place(&b), packed, nullptr, out); });
          check(off_by(got, want) < 4e-6, place.name + ", " + title + ": off by " + std::to_string(off_by(got, want)));
        }
      }
    }
  }
  // What is infinite or no number stays so in its row, and others do not know of it.
  Floats a(static_cast<std::size_t>(p.rows * p.inner), 1.0F);
  const Floats b(static_cast<std::size_t>(p.inner * p.columns), 0.1F);
  a[3 * 80 + 5] = INFINITY;
  a[4 * 80 + 79] = NAN;
  for (const Place& place : places()) {
    Device device(place, Precision::f16x3);
    const Floats got = device.run(static_cast<std::size_t>(p.rows * p.columns), [&](float* out) { device.ops().multiply(p, device.place(&a), device.place(&b), nullptr, nullptr, out); });
    check(std::isinf(got[3 * 36]) && std::isnan(got[4 * 36 + 35]) && std::abs(got[5 * 36] - 8.0F) < 1e-4F, place.name + ": infinities and NaN stay where they are");
  }
}

LECTERN_TEST("cuda: long lines of reductions, extremes, norms and softmax") {
  if (!has_emulation()) return;
  std::mt19937 random(63);
  const std::int64_t rows = 3;
  const std::int64_t columns = 700;
  const Floats x = random_numbers(rows * columns, random);
  const Floats scale = random_numbers(columns, random);
  for (const bool across : {false, true}) {
    const Axis axis = across ? Axis{1, columns, rows} : Axis{rows, columns, 1};
    for (const bool logarithm : {false, true}) {
      hold("softmax", x.size(), [&](GraphOps& ops, const Place1& place, float* out) { ops.softmax(axis, logarithm, place(&x), out); });
    }
    for (int kind = 0; kind <= static_cast<int>(ReductionKind::log_sum_exp); kind++) {
      const auto which = static_cast<ReductionKind>(kind);
      // The product of 700 numbers is none, nor is the logarithm of a sum that may be negative.
      if (which == ReductionKind::product || which == ReductionKind::log_sum) continue;
      const Reduction reduction{which, Shape{rows}, Shape{columns}, {across ? 1 : columns}, {across ? rows : 1}};
      hold("reduction " + std::to_string(kind), rows, [&](GraphOps& ops, const Place1& place, float* out) { ops.reduce(reduction, Element::f32, place(&x), out); });
    }
  }
  hold("layer norm", x.size(), [&](GraphOps& ops, const Place1& place, float* out) { ops.layer_normalise(rows, columns, 1e-5F, place(&scale), nullptr, place(&x), out, nullptr, nullptr); });
  hold("group norm", x.size(), [&](GraphOps& ops, const Place1& place, float* out) { ops.group_normalise({1, 700, 3}, 7, 1e-5F, place(&scale), place(&scale), place(&x), out); });
}

LECTERN_TEST("cuda: attention of networks with masks over several tiles of keys") {
  if (!has_emulation()) return;
  std::mt19937 random(64);
  for (const int size : {16, 40}) {
    const int wide = size == 40 ? 150 : 16;
    Attention a{};
    a.batch = 2, a.heads = 2, a.queries = 6, a.keys = 75, a.size = size, a.value_size = wide;
    a.scale = 0.3F;
    a.q_row = size, a.q_head = 6 * size, a.q_batch = 12 * size;
    a.k_row = size, a.k_head = 75 * size, a.k_batch = 150 * size;
    a.v_row = wide, a.v_head = 75 * wide, a.v_batch = 150 * wide;
    a.out_row = 2 * wide, a.out_head = wide, a.out_batch = 12 * wide;
    a.mask_row = 75;
    const Floats q = random_numbers(std::int64_t{24} * size, random);
    const Floats k = random_numbers(std::int64_t{300} * size, random);
    const Floats v = random_numbers(std::int64_t{300} * wide, random);
    Floats mask = random_numbers(6 * 75, random);
    // The whole first tile of keys of one query.
    std::fill_n(mask.begin(), 40, -INFINITY);
    hold("heads of " + std::to_string(size), static_cast<std::size_t>(24 * wide),
         [&](GraphOps& ops, const Place1& place, float* out) { ops.attend(a, place(&q), place(&k), place(&v), place(&mask), out); });
  }
}

}  // namespace
}  // namespace lectern::test
