// The fast operations of networks against their plain twin, at every instruction level, on random shapes and strides.
#include <cstring>
#include <limits>

#include "cpu/graph/fast_graph_ops.h"
#include "network_cases.h"

namespace lectern {
namespace {

using namespace test;

struct Twins {
  cpu::ReferenceGraphOps plain;
  std::vector<std::pair<std::string, std::unique_ptr<cpu::FastGraphOps>>> fast;

  Twins() {
    for (const Instructions level : network_levels()) fast.emplace_back(std::string(name_of(level)), std::make_unique<cpu::FastGraphOps>(level, 2));
  }

  /// run(ops, out) writes `count` floats; both of all must be near, or with `exactly` the same bits.
  template <class Run>
  void hold(const std::string& what, std::int64_t count, int depth, bool exactly, Run&& run) {
    const auto size = static_cast<std::size_t>(count);
    std::vector<float> expected = output_of(size);
    run(plain, expected.data());
    const std::vector<double> wide(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(size));
    for (const auto& [name, ops] : fast) {
      std::vector<float> out = output_of(size);
      run(*ops, out.data());
      check(unspoiled(out), name + ", " + what + ": nothing is written behind the output");
      if (exactly) {
        check(std::memcmp(out.data(), expected.data(), size * sizeof(float)) == 0, name + ", " + what);
      } else {
        const double worst = worst_of(out, wide, depth);
        check(worst < 4, name + ", " + what + ", off by " + std::to_string(worst));
      }
    }
  }
};

int between(int low, int high, std::mt19937& random) { return std::uniform_int_distribution<int>(low, high)(random); }

Shape random_shape(int rank, int most, std::mt19937& random) {
  Shape shape;
  for (int axis = 0; axis < rank; axis++) shape.push(between(1, most, random));
  return shape;
}

/// Of a dense shape, along the axes whose bits are in `chosen`.
Reduction reduction_of(ReductionKind kind, const Shape& shape, int chosen) {
  const Strides strides = strides_of(shape);
  Reduction reduction{kind, {}, {}, {}, {}};
  for (int axis = 0; axis < shape.rank; axis++) {
    const bool reduced = (chosen >> axis & 1) != 0;
    Shape& side = reduced ? reduction.reduced : reduction.kept;
    (reduced ? reduction.reduced_strides : reduction.kept_strides)[static_cast<std::size_t>(side.rank)] = strides[static_cast<std::size_t>(axis)];
    side.push(shape[axis]);
  }
  return reduction;
}

}  // namespace

LECTERN_TEST("graph ops: pairs of elements, broadcast in every way") {
  std::mt19937 random(21);
  Twins twins;
  for (int round = 0; round < 40; round++) {
    const Shape shape = round == 0 ? Shape{300, 400} : random_shape(between(0, 4, random), 9, random);
    Broadcast broadcast{shape, {}};
    for (std::size_t operand = 0; operand < 2; operand++) {
      std::int64_t stride = 1;
      for (int axis = shape.rank - 1; axis >= 0; axis--) {
        if (between(0, 2, random) == 0) continue;
        broadcast.strides[operand][static_cast<std::size_t>(axis)] = stride;
        stride *= shape[axis];
      }
    }
    const auto size = static_cast<std::size_t>(shape.elements());
    const std::vector<float> a = random_floats(size, random);
    const std::vector<float> b = random_floats(size, random);
    for (int kind = 0; kind <= static_cast<int>(BinaryKind::prelu); kind++) {
      if (kind == static_cast<int>(BinaryKind::power) || kind == static_cast<int>(BinaryKind::modulo) || kind == static_cast<int>(BinaryKind::remainder)) continue;
      twins.hold("kind " + std::to_string(kind) + " over " + shape.text(), shape.elements(), 1, true, [&](GraphOps& ops, float* out) {
        ops.binary(static_cast<BinaryKind>(kind), Element::f32, broadcast, a.data(), b.data(), out);
      });
    }
  }
  const std::vector<float> bases = random_floats(5000, random);
  for (const float exponent : {2.0F, -1.0F, 3.0F}) {
    const Broadcast all{{50, 100}, {strides_of({50, 100}), Strides{}}};
    twins.hold("to the power of " + std::to_string(exponent), 5000, 1, false, [&](GraphOps& ops, float* out) { ops.binary(BinaryKind::power, Element::f32, all, bases.data(), &exponent, out); });
  }
  const float nan = std::nanf("");
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> a{nan, 1, infinity, infinity, -infinity, 2, nan};
  const std::vector<float> b{1, nan, infinity, 3, 3, 2, nan};
  for (const BinaryKind kind : {BinaryKind::minimum, BinaryKind::maximum}) {
    for (const auto& [name, ops] : twins.fast) {
      std::vector<float> out(7);
      std::vector<float> expected(7);
      const Broadcast broadcast{{7}, {strides_of({7}), strides_of({7})}};
      ops->binary(kind, Element::f32, broadcast, a.data(), b.data(), out.data());
      twins.plain.binary(kind, Element::f32, broadcast, a.data(), b.data(), expected.data());
      bool same = true;
      for (std::size_t i = 0; i < 7; i++) same = same && (std::isnan(expected[i]) ? std::isnan(out[i]) : out[i] == expected[i]);
      check(same, name + ": bounds of NaN and infinity");
    }
  }
}

LECTERN_TEST("graph ops: functions of elements") {
  std::mt19937 random(22);
  Twins twins;
  for (const int count : {1, 17, 70001}) {
    const std::vector<float> x = random_floats(static_cast<std::size_t>(count), random);
    for (int kind = 0; kind <= static_cast<int>(UnaryKind::clip); kind++) {
      if (kind == static_cast<int>(UnaryKind::log) || kind == static_cast<int>(UnaryKind::sqrt)) continue;
      twins.hold("function " + std::to_string(kind) + " of " + std::to_string(count), count, 1, false,
                 [&](GraphOps& ops, float* out) { ops.unary({static_cast<UnaryKind>(kind), count == 17 ? 1.0F : 0.5F, 1.25F, 1.5F, -0.25F}, Element::f32, count, x.data(), out); });
    }
  }
}

LECTERN_TEST("graph ops: boxes and transpositions") {
  std::mt19937 random(23);
  Twins twins;
  for (int round = 0; round < 60; round++) {
    const Shape in = random_shape(between(1, 4, random), round % 10 == 0 ? 40 : 9, random);
    const Strides in_strides = strides_of(in);
    std::vector<int> order;
    for (int axis = 0; axis < in.rank; axis++) order.push_back(axis);
    std::shuffle(order.begin(), order.end(), random);
    Move move;
    Shape padded;
    for (const int axis : order) {
      const auto first = between(0, static_cast<int>(in[axis]) - 1, random);
      move.in_offset += first * in_strides[static_cast<std::size_t>(axis)];
      move.in_strides[static_cast<std::size_t>(move.shape.rank)] = in_strides[static_cast<std::size_t>(axis)];
      move.shape.push(in[axis] - first);
      padded.push(in[axis] - first + round % 3);
    }
    move.out_strides = strides_of(padded);
    const std::vector<float> x = random_floats(static_cast<std::size_t>(in.elements()), random);
    twins.hold("from " + in.text() + " to " + move.shape.text(), padded.elements(), 1, true, [&](GraphOps& ops, float* out) { ops.move(move, Element::f32, x.data(), out); });
  }
}

LECTERN_TEST("graph ops: rows and columns taken by tables") {
  std::mt19937 random(24);
  Twins twins;
  for (int round = 0; round < 20; round++) {
    Take take{random_shape(4, 6, random), {}, {}, {}};
    std::vector<std::vector<std::int32_t>> tables(4);
    take.out = take.in;
    for (int axis = round % 4 == 3 ? 1 : 2; axis < 4; axis++) {
      if (between(0, 3, random) == 0) continue;
      take.out[axis] = between(1, 14, random);
      std::vector<std::int32_t>& table = tables[static_cast<std::size_t>(axis)];
      for (std::int64_t i = 0; i < take.out[axis]; i++) table.push_back(between(-1, static_cast<int>(take.in[axis]) - 1, random));
      take.tables[static_cast<std::size_t>(axis)] = table.data();
    }
    const float fill = 2.5F;
    std::memcpy(take.fill.data(), &fill, sizeof fill);
    const std::vector<float> x = random_floats(static_cast<std::size_t>(take.in.elements()), random);
    twins.hold("of " + take.in.text() + " to " + take.out.text(), take.out.elements(), 1, true, [&](GraphOps& ops, float* out) { ops.take(take, Element::f32, x.data(), out); });
  }
}

LECTERN_TEST("graph ops: sums and the largest of rows, of columns and of both, of long ones and where one is no number") {
  std::mt19937 random(29);
  Twins twins;
  for (const Shape& shape : {Shape{3, 5, 130, 70}, Shape{2, 7, 33, 8}, Shape{1, 3, 2, 301}}) {
    std::vector<float> x = random_floats(static_cast<std::size_t>(shape.elements()), random);
    for (const ReductionKind kind : {ReductionKind::sum, ReductionKind::mean, ReductionKind::maximum}) {
      const bool largest = kind == ReductionKind::maximum;
      if (largest) x[x.size() / 2] = std::numeric_limits<float>::quiet_NaN();
      for (int chosen = 1; chosen < 16; chosen++) {
        const Reduction reduction = reduction_of(kind, shape, chosen);
        const auto length = static_cast<int>(reduction.reduced.elements());
        twins.hold("reduced " + shape.text() + " to " + reduction.kept.text(), reduction.kept.elements(), length, largest, [&](GraphOps& ops, float* out) { ops.reduce(reduction, Element::f32, x.data(), out); });
      }
      if (largest) x[x.size() / 2] = 0;
    }
  }
}

LECTERN_TEST("graph ops: sums, softmax and norms along axes") {
  std::mt19937 random(25);
  Twins twins;
  for (int round = 0; round < 20; round++) {
    const Shape shape = random_shape(4, 9, random);
    const std::vector<float> x = random_floats(static_cast<std::size_t>(shape.elements()), random);
    for (const ReductionKind kind : {ReductionKind::sum, ReductionKind::mean, ReductionKind::maximum}) {
      const Reduction reduction = reduction_of(kind, shape, between(1, 15, random));
      twins.hold("reduced " + shape.text() + " to " + reduction.kept.text(), reduction.kept.elements(), static_cast<int>(reduction.reduced.elements()), false,
                 [&](GraphOps& ops, float* out) { ops.reduce(reduction, Element::f32, x.data(), out); });
    }
    const Axis axis{shape[0] * shape[1], shape[2], round % 2 == 0 ? 1 : shape[3]};
    twins.hold("softmax", axis.outer * axis.size * axis.inner, 1, false, [&](GraphOps& ops, float* out) { ops.softmax(axis, round % 3 == 0, x.data(), out); });
    const std::int64_t columns = shape[2] * shape[3];
    const std::int64_t rows = shape[0] * shape[1];
    if (columns < 4) continue;
    const std::vector<float> scale = random_floats(static_cast<std::size_t>(columns), random);
    twins.hold("layer norm", rows * columns, 1, false,
               [&](GraphOps& ops, float* out) { ops.layer_normalise(rows, columns, 0.01F, scale.data(), round % 2 == 0 ? scale.data() : nullptr, x.data(), out, nullptr, nullptr); });
    const std::vector<float> variance(static_cast<std::size_t>(shape[1]), 0.5F);
    const std::vector<float> some = random_floats(static_cast<std::size_t>(shape[1]), random);
    twins.hold("batch norm", shape.elements(), 1, false, [&](GraphOps& ops, float* out) {
      ops.batch_normalise({shape[0], shape[1], columns}, 0.01F, some.data(), some.data(), some.data(), variance.data(), {round % 2 == 0 ? UnaryKind::relu : UnaryKind::softplus}, x.data(), out);
    });
  }
}

LECTERN_TEST("graph ops: matrix products of every form") {
  std::mt19937 random(26);
  Twins twins;
  for (int round = 0; round < 48; round++) {
    Product product;
    product.rows = between(1, 20, random);
    product.columns = between(1, 70, random);
    product.inner = between(1, 40, random);
    product.batches = round % 3 == 0 ? Shape{} : Shape{2, 3};
    product.a_transposed = round % 2 == 1;
    product.b_transposed = round % 4 >= 2;
    const bool packs = round % 5 < 2;
    if (round % 3 == 1) {
      product.a_strides = {3 * product.rows * product.inner, product.rows * product.inner};
    } else if (round % 3 == 2) {
      product.a_strides = {0, product.rows * product.inner};
    }
    if (!packs && round % 3 != 0) product.b_strides = {product.inner * product.columns, 0};
    if (round % 7 == 0) product.alpha = 0.5F;
    product.activation = {round % 2 == 0 ? UnaryKind::gelu : UnaryKind::softplus};
    const int bias_form = round % 6;
    product.bias_row_stride = bias_form == 2 ? product.columns : bias_form == 3 ? 1 : 0;
    product.bias_column_stride = bias_form == 1 || bias_form == 2 ? 1 : 0;
    const std::vector<float> a = random_floats(static_cast<std::size_t>(6 * product.rows * product.inner), random);
    const std::vector<float> b = random_floats(static_cast<std::size_t>(2 * product.inner * product.columns), random);
    const std::vector<float> bias = random_floats(static_cast<std::size_t>(product.rows * product.columns), random);
    twins.hold("product " + std::to_string(round), product.batches.elements() * product.rows * product.columns, static_cast<int>(product.inner), false, [&](GraphOps& ops, float* out) {
      const void* packed = packs ? ops.pack_matrix(product.inner, product.columns, product.b_transposed, b.data()) : nullptr;
      ops.multiply(product, a.data(), b.data(), packed, bias_form == 5 ? nullptr : bias.data(), out);
    });
  }
}

LECTERN_TEST("graph ops: convolutions, pools and attention through the seam") {
  std::mt19937 random(27);
  Twins twins;
  for (int round = 0; round < 24; round++) {
    Convolution c;
    const int group = between(1, 3, random);
    const int groups = between(1, 3, random);
    c.filter = {group * groups * 2, group * groups, groups, {between(1, 4, random), between(1, 4, random)}, {between(1, 3, random), between(1, 3, random)}, {between(1, 2, random), 1}};
    c.batch = between(1, 2, random);
    c.in = {between(8, 14, random), between(8, 30, random)};
    c.pads = {between(0, 2, random), between(0, 2, random)};
    c.activation = {round % 2 == 0 ? UnaryKind::relu : UnaryKind::mish};
    const bool transposed = round % 3 == 0;
    for (std::size_t i = 0; i < 2; i++) {
      const std::int64_t reach = (c.filter.kernel[i] - 1) * c.filter.dilations[i] + 1;
      c.out[i] = transposed ? (c.in[i] - 1) * c.filter.strides[i] + reach - c.pads[i] : (c.in[i] + 2 * c.pads[i] - reach) / c.filter.strides[i] + 1;
    }
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    const std::int64_t out_size = c.batch * c.filter.outputs * c.out[0] * c.out[1];
    const std::vector<float> in = random_floats(size(c.batch * c.filter.inputs * c.in[0] * c.in[1]), random);
    const std::vector<float> weights = random_floats(size(c.filter.outputs * c.filter.inputs * 16), random);
    const std::vector<float> bias = random_floats(size(c.filter.outputs), random);
    const std::vector<float> residual = random_floats(size(out_size), random);
    twins.hold("convolution " + std::to_string(round), out_size, group * 16, false, [&](GraphOps& ops, float* out) {
      const void* packed = round % 2 == 0 ? ops.pack_filter(c.filter, weights.data(), transposed) : nullptr;
      if (transposed) return ops.convolve_transposed(c, in.data(), weights.data(), packed, bias.data(), out);
      ops.convolve(c, in.data(), weights.data(), packed, round % 4 == 0 ? nullptr : bias.data(), round % 4 < 2 ? residual.data() : nullptr, out);
    });
    Pool pool;
    pool.average = round % 2 == 0;
    pool.count_padding = round % 4 == 0;
    pool.planes = c.batch * c.filter.inputs;
    pool.in = c.in;
    pool.kernel = c.filter.kernel;
    pool.strides = c.filter.strides;
    pool.dilations = c.filter.dilations;
    for (std::size_t i = 0; i < 2; i++) {
      pool.pads[i] = std::min(c.pads[i], pool.kernel[i] - 1);
      pool.pads_after[i] = pool.pads[i];
      pool.out[i] = (pool.in[i] + 2 * pool.pads[i] - (pool.kernel[i] - 1) * pool.dilations[i] - 1) / pool.strides[i] + 1;
    }
    twins.hold("pool " + std::to_string(round), pool.planes * pool.out[0] * pool.out[1], 1, false, [&](GraphOps& ops, float* out) { ops.pool(pool, Element::f32, in.data(), out, nullptr); });
  }
  for (int round = 0; round < 8; round++) {
    Attention a{};
    a.batch = between(1, 2, random);
    a.heads = between(1, 4, random);
    a.queries = between(1, 60, random);
    a.keys = between(1, 60, random);
    a.size = between(1, 20, random);
    a.value_size = round % 2 == 0 ? a.size : between(1, 60, random);
    a.scale = 0.3F;
    a.q_row = a.heads * a.size, a.q_head = a.size, a.q_batch = a.queries * a.q_row;
    a.k_row = a.heads * a.size, a.k_head = a.size, a.k_batch = a.keys * a.k_row;
    a.v_row = a.value_size, a.v_head = a.keys * a.v_row, a.v_batch = a.heads * a.v_head;
    a.out_row = a.heads * a.value_size, a.out_head = a.value_size, a.out_batch = a.queries * a.out_row;
    a.mask_row = a.keys, a.mask_batch = a.queries * a.keys;
    const auto floats = [&](std::int64_t count) { return random_floats(static_cast<std::size_t>(count), random); };
    const std::vector<float> q = floats(a.batch * a.q_batch);
    const std::vector<float> k = floats(a.batch * a.k_batch);
    const std::vector<float> v = floats(a.batch * a.v_batch);
    const std::vector<float> mask = floats(a.batch * a.mask_batch);
    twins.hold("attention " + std::to_string(round), a.batch * a.out_batch, static_cast<int>(a.size), false,
               [&](GraphOps& ops, float* out) { ops.attend(a, q.data(), k.data(), v.data(), round % 2 == 0 ? mask.data() : nullptr, out); });
  }
}

LECTERN_TEST("graph ops: pictures at other sizes and at given points") {
  std::mt19937 random(28);
  Twins twins;
  for (int round = 0; round < 16; round++) {
    Resample resample{random_shape(4, 7, random), {}, {}, 1.5F};
    resample.out = resample.in;
    std::vector<std::vector<std::int32_t>> indices(4);
    std::vector<std::vector<float>> weights(4);
    for (int axis = round % 8 == 7 ? 1 : 2; axis < 4; axis++) {
      if (between(0, 3, random) == 0) continue;
      const auto at = static_cast<std::size_t>(axis);
      resample.out[axis] = between(1, 15, random);
      const int count = between(1, 4, random);
      weights[at] = random_floats(static_cast<std::size_t>(resample.out[axis] * count), random);
      for (std::int64_t i = 0; i < resample.out[axis]; i++) {
        const bool outside = between(0, 8, random) == 0;
        for (int tap = 0; tap < count; tap++) indices[at].push_back(outside ? -1 : between(0, static_cast<int>(resample.in[axis]) - 1, random));
      }
      resample.axes[at] = {count, indices[at].data(), weights[at].data()};
    }
    const std::vector<float> x = random_floats(static_cast<std::size_t>(resample.in.elements()), random);
    twins.hold("resample " + resample.in.text() + " to " + resample.out.text(), resample.out.elements(), 4, false, [&](GraphOps& ops, float* out) { ops.resample(resample, x.data(), out); });

    GridSample sample{round % 4 == 3 ? SampleMode::nearest : SampleMode::linear, static_cast<SamplePadding>(round % 3), round % 2 == 0, 2, between(1, 2, random), between(1, 5, random), {1, between(1, 9, random), between(1, 9, random)}, {1, 5, 7}};
    const std::vector<float> picture = random_floats(static_cast<std::size_t>(sample.batch * sample.channels * sample.in[1] * sample.in[2]), random);
    std::vector<float> grid = random_floats(static_cast<std::size_t>(sample.batch * 70), random);
    for (const float odd : {1.0F, -1.0F, 0.0F, std::nanf(""), std::numeric_limits<float>::infinity(), -1e30F}) grid[static_cast<std::size_t>(between(0, 69, random))] = odd;
    twins.hold("points of " + std::to_string(sample.in[1]) + " x " + std::to_string(sample.in[2]), sample.batch * sample.channels * 35, 1, false,
               [&](GraphOps& ops, float* out) { ops.grid_sample(sample, picture.data(), grid.data(), out); });
  }
}

LECTERN_TEST("graph ops: recurrent layers") {
  std::mt19937 random(29);
  Twins twins;
  for (int round = 0; round < 12; round++) {
    Recurrent r{};
    r.gru = round % 6 == 5;
    r.directions = 1 + round % 2;
    r.reverse = r.directions == 1 && round % 4 == 2;
    r.steps = between(1, 9, random);
    r.batch = between(1, 3, random);
    r.inputs = between(1, 20, random);
    r.hidden = between(1, 20, random);
    for (std::size_t i = 0; i < 6; i++) r.activations[i] = {i % 3 == 0 ? UnaryKind::sigmoid : UnaryKind::tanh};
    if (round == 3) r.activations[1] = {UnaryKind::softsign};
    const std::int64_t gates = (r.gru ? 3 : 4) * r.hidden;
    const auto floats = [&](std::int64_t count) {
      std::vector<float> values = random_floats(static_cast<std::size_t>(count), random);
      for (float& value : values) value *= 0.4F;
      return values;
    };
    const std::vector<float> x = floats(r.steps * r.batch * r.inputs);
    const std::vector<float> weights = floats(r.directions * gates * r.inputs);
    const std::vector<float> recurrence = floats(r.directions * gates * r.hidden);
    const std::vector<float> bias = floats(r.directions * gates * 2);
    const std::int64_t state = r.directions * r.batch * r.hidden;
    const std::vector<float> start = floats(state);
    const std::vector<float> peepholes = floats(r.directions * 3 * r.hidden);
    const float* given = round % 3 == 0 ? nullptr : start.data();
    std::vector<float> sums(static_cast<std::size_t>(r.directions * r.steps * r.batch * 4 * r.hidden));
    twins.hold("layer " + std::to_string(round), (r.steps + 2) * state, static_cast<int>(r.steps), false, [&](GraphOps& ops, float* out) {
      float* last = out + r.steps * state;
      if (r.gru) std::fill(last + state, last + 2 * state, 0.0F);
      ops.recur(r, {x.data(), weights.data(), recurrence.data(), round % 4 == 1 ? nullptr : bias.data(), given, r.gru ? nullptr : given, round == 7 ? peepholes.data() : nullptr, nullptr, out, last,
                    r.gru ? nullptr : last + state, nullptr, sums.data()});
    });
  }
}

}  // namespace lectern
