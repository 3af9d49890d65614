// Convolutions and pooling, over one or two axes.
#include <algorithm>
#include <utility>

#include "onnx/operator.h"
#include "onnx/operators/activation.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

// The limit of kernel sizes, strides, dilations and pads. Products of two do not overflow.
constexpr std::int64_t most_window = 1 << 20;

/// The window's attributes for one or two axes; empty lists for absent ones.
struct Window {
  std::string auto_pad;
  std::vector<std::int64_t> kernel, strides, dilations, pads, output_padding, output_shape;
  bool ceil = false;
};

Window read_window(Attributes& a) {
  Window window;
  window.auto_pad = a.text("auto_pad", "NOTSET");
  window.kernel = a.integers("kernel_shape");
  window.strides = a.integers("strides");
  window.dilations = a.integers("dilations");
  window.pads = a.integers("pads");
  const char* const known[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
  if (std::find(std::begin(known), std::end(known), window.auto_pad) == std::end(known)) a.unsupported("auto_pad " + window.auto_pad);
  const auto check = [&](const std::vector<std::int64_t>& list, std::int64_t least, const char* name) {
    if (list.size() > 4) a.unsupported(std::string(name) + " of more than two axes");
    for (const std::int64_t entry : list) {
      if (entry < least || entry > most_window) a.unsupported(std::string(name) + " of " + std::to_string(entry));
    }
  };
  check(window.kernel, 1, "a kernel");
  check(window.strides, 1, "a stride");
  check(window.dilations, 1, "a dilation");
  check(window.pads, 0, "a pad");
  return window;
}

/// The same over exactly two axes. If there is only one axis, the first gets size 1.
struct Axes {
  std::array<std::int64_t, 2> in{1, 1}, out{1, 1}, kernel{1, 1}, strides{1, 1}, dilations{1, 1}, pads{}, pads_after{}, output_padding{};
  int count = 0;
};

Axes read_axes(NodePlan& plan, const Window& window, const std::vector<std::int64_t>& kernel) {
  const Shape& x = plan.shape(0);
  if (x.rank != 3 && x.rank != 4) plan.refuse("its input " + x.text() + " is no picture or line; other numbers of axes are not supported");
  Axes axes;
  axes.count = x.rank - 2;
  const auto count = static_cast<std::size_t>(axes.count);
  const auto fits = [&](const std::vector<std::int64_t>& list, std::size_t length) { return list.empty() || list.size() == length; };
  if (kernel.size() != count || !fits(window.strides, count) || !fits(window.dilations, count) || !fits(window.pads, 2 * count) || !fits(window.output_padding, count) ||
      !fits(window.output_shape, count)) {
    plan.refuse("its kernel, strides, dilations or pads do not fit its input " + x.text());
  }
  for (std::size_t i = 0; i < count; i++) {
    const std::size_t at = i + 2 - count;
    axes.in[at] = x[static_cast<int>(i) + 2];
    axes.kernel[at] = kernel[i];
    if (axes.kernel[at] < 1 || axes.kernel[at] > most_window) plan.refuse("its kernel has the size " + std::to_string(axes.kernel[at]));
    if (axes.in[at] > (std::int64_t{1} << 40)) plan.refuse("its input is too large");
    if (!window.strides.empty()) axes.strides[at] = window.strides[i];
    if (!window.dilations.empty()) axes.dilations[at] = window.dilations[i];
    if (!window.pads.empty()) axes.pads[at] = window.pads[i], axes.pads_after[at] = window.pads[i + count];
    if (!window.output_padding.empty()) axes.output_padding[at] = window.output_padding[i];
    if (window.auto_pad == "VALID") axes.pads[at] = axes.pads_after[at] = 0;
  }
  return axes;
}

bool is_same(const Window& window) { return window.auto_pad == "SAME_UPPER" || window.auto_pad == "SAME_LOWER"; }

/// The output sizes of a window that moves over the input. ceil: the last window may extend beyond the input, but has to begin inside.
void slide(NodePlan& plan, const Window& window, Axes& axes) {
  for (std::size_t i = 0; i < 2; i++) {
    const std::int64_t reach = (axes.kernel[i] - 1) * axes.dilations[i] + 1;
    if (is_same(window)) {
      axes.out[i] = (axes.in[i] + axes.strides[i] - 1) / axes.strides[i];
      const std::int64_t pad = std::max<std::int64_t>(0, (axes.out[i] - 1) * axes.strides[i] + reach - axes.in[i]);
      axes.pads[i] = window.auto_pad == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
      axes.pads_after[i] = pad - axes.pads[i];
      continue;
    }
    const std::int64_t room = axes.in[i] + axes.pads[i] + axes.pads_after[i] - reach;
    if (room < 0) plan.refuse("its kernel is larger than its padded input " + plan.shape(0).text());
    axes.out[i] = (room + (window.ceil ? axes.strides[i] - 1 : 0)) / axes.strides[i] + 1;
    if (window.ceil && (axes.out[i] - 1) * axes.strides[i] >= axes.in[i] + axes.pads[i]) axes.out[i]--;
  }
}

Shape shape_of(std::int64_t batch, std::int64_t channels, const Axes& axes) {
  Shape shape{batch, channels};
  for (int i = 2 - axes.count; i < 2; i++) shape.push(axes.out[static_cast<std::size_t>(i)]);
  return shape;
}

std::vector<std::int64_t> kernel_of(const NodePlan& plan, const Window& window) {
  const Shape& weights = plan.shape(1);
  std::vector<std::int64_t> kernel;
  for (int axis = 2; axis < weights.rank; axis++) kernel.push_back(weights[axis]);
  if (!window.kernel.empty() && window.kernel != kernel) plan.refuse("its kernel does not fit its weights " + weights.text());
  return kernel;
}

void demand_floats(NodePlan& plan, int inputs) {
  for (int i = 0; i < inputs; i++) {
    if (i < 2 || plan.has(i)) plan.demand(i, {Element::f32});
  }
}

/// The addend has another shape and is broadcast to the result, or the result to it: the node is computed in two parts.
void plan_with_spread(NodePlan& plan, Convolution convolution, const Shape& shape, Operand in, Operand filter, const void* packed, Operand bias) {
  const Unary activation = std::exchange(convolution.activation, Unary{});
  const Shape whole = broadcast_shape(plan, shape, plan.shape(3));
  const Operand added = plan.in(3);
  const Operand alone = plan.scratch(Element::f32, shape);
  const Operand out = plan.out(0, Element::f32, whole);
  const Broadcast both = walk(whole, {shape, plan.shape(3)});
  const std::int64_t count = whole.elements();
  plan.step([=](const Call& call) {
    call.ops.convolve(convolution, call.at(in), call.at(filter), packed, call.at(bias), nullptr, call.at(alone));
    call.ops.binary(BinaryKind::add, Element::f32, both, call.at<void>(alone), call.at<void>(added), call.at<void>(out));
    call.ops.unary(activation, Element::f32, count, call.at<void>(out), call.at<void>(out));
  });
}

/// Inputs x, weights, bias; fused nodes also have a residual and attributes of an activation.
Operator make_convolution(Attributes& a) {
  const Window window = read_window(a);
  const std::int64_t groups = a.integer("group", 1);
  if (groups < 1) a.unsupported("group " + std::to_string(groups));
  const Unary activation = read_activation(a);
  return [=](NodePlan& plan) {
    demand_floats(plan, 4);
    Axes axes = read_axes(plan, window, kernel_of(plan, window));
    slide(plan, window, axes);
    const Shape& x = plan.shape(0);
    const Shape& weights = plan.shape(1);
    if (weights.rank != x.rank || x[1] % groups != 0 || weights[0] % groups != 0 || weights[1] != x[1] / groups) {
      plan.refuse("its weights " + weights.text() + " do not fit its input " + x.text() + " in " + std::to_string(groups) + " groups");
    }
    Convolution convolution;
    convolution.filter = {weights[0], x[1], groups, axes.kernel, axes.strides, axes.dilations};
    convolution.batch = x[0];
    convolution.in = axes.in;
    convolution.out = axes.out;
    convolution.pads = axes.pads;
    convolution.activation = activation;
    const Shape shape = shape_of(x[0], weights[0], axes);
    if (plan.has(2) && plan.shape(2).elements() != weights[0]) plan.refuse("its bias " + plan.shape(2).text() + " does not fit its weights " + weights.text());
    const Operand in = plan.in(0);
    const Operand filter = plan.in(1);
    const Operand bias = plan.has(2) ? plan.in(2) : Operand{};
    const void* packed = plan.packed_filter(1, convolution.filter, false);
    if (plan.has(3) && plan.shape(3) != shape) return plan_with_spread(plan, convolution, shape, in, filter, packed, bias);
    const Operand residual = plan.has(3) ? plan.in(3) : Operand{};
    const Operand out = plan.out(0, Element::f32, shape);
    if (plan.has(3)) plan.may_reuse(out, residual);
    plan.step([=](const Call& call) { call.ops.convolve(convolution, call.at(in), call.at(filter), packed, call.at(bias), call.at(residual), call.at(out)); });
  };
}

Operator make_convolution_transposed(Attributes& a) {
  Window window = read_window(a);
  window.output_padding = a.integers("output_padding");
  window.output_shape = a.integers("output_shape");
  const std::int64_t groups = a.integer("group", 1);
  if (groups < 1) a.unsupported("group " + std::to_string(groups));
  for (const auto* list : {&window.output_padding, &window.output_shape}) {
    for (const std::int64_t entry : *list) {
      if (entry < 0 || entry > most_window) a.unsupported("an output size of " + std::to_string(entry));
    }
  }
  const Unary activation = read_activation(a);
  return [=](NodePlan& plan) {
    demand_floats(plan, 3);
    Axes axes = read_axes(plan, window, kernel_of(plan, window));
    const Shape& x = plan.shape(0);
    const Shape& weights = plan.shape(1);
    if (weights.rank != x.rank || weights[0] != x[1] || x[1] % groups != 0 || weights[1] > (std::int64_t{1} << 40) / groups) {
      plan.refuse("its weights " + weights.text() + " do not fit its input " + x.text() + " in " + std::to_string(groups) + " groups");
    }
    for (std::size_t i = 0; i < 2; i++) {
      // An absent padded axis stays 1.
      const std::int64_t whole = axes.strides[i] * (axes.in[i] - 1) + axes.output_padding[i] + (axes.kernel[i] - 1) * axes.dilations[i] + 1;
      const bool real = i >= 2 - static_cast<std::size_t>(axes.count);
      std::int64_t pad = axes.pads[i] + axes.pads_after[i];
      if (real && (!window.output_shape.empty() || is_same(window))) {
        axes.out[i] = window.output_shape.empty() ? axes.in[i] * axes.strides[i] : window.output_shape[i + static_cast<std::size_t>(axes.count) - 2];
        // If a larger output is requested than results, zeros are appended at the end.
        pad = std::max<std::int64_t>(0, whole - axes.out[i]);
        axes.pads[i] = window.auto_pad == "SAME_UPPER" ? pad / 2 : pad - pad / 2;
      } else {
        axes.out[i] = whole - pad;
      }
      if (axes.out[i] < 1) plan.refuse("its pads take away more than there is");
    }
    Convolution convolution;
    const std::int64_t outputs = weights[1] * groups;
    convolution.filter = {outputs, x[1], groups, axes.kernel, axes.strides, axes.dilations};
    convolution.batch = x[0];
    convolution.in = axes.in;
    convolution.out = axes.out;
    convolution.pads = axes.pads;
    convolution.activation = activation;
    if (plan.has(2) && plan.shape(2).elements() != outputs) plan.refuse("its bias " + plan.shape(2).text() + " does not fit its weights " + weights.text());
    const Operand in = plan.in(0);
    const Operand filter = plan.in(1);
    const Operand bias = plan.has(2) ? plan.in(2) : Operand{};
    const Operand out = plan.out(0, Element::f32, shape_of(x[0], outputs, axes));
    const void* packed = plan.packed_filter(1, convolution.filter, true);
    plan.step([=](const Call& call) { call.ops.convolve_transposed(convolution, call.at(in), call.at(filter), packed, call.at(bias), call.at(out)); });
  };
}

Operator make_pool(Attributes& a, bool average) {
  Window window = read_window(a);
  window.ceil = a.flag("ceil_mode", false);
  const bool count_padding = average && a.flag("count_include_pad", false);
  const bool column_major = !average && a.integer("storage_order", 0) != 0;
  if (window.kernel.empty()) a.unsupported("no kernel_shape");
  return [=](NodePlan& plan) {
    if (average) plan.demand(0, {Element::f32});
    else plan.demand(0, {Element::f32, Element::i8, Element::u8});
    Axes axes = read_axes(plan, window, window.kernel);
    slide(plan, window, axes);
    const Shape& x = plan.shape(0);
    const Shape shape = shape_of(x[0], x[1], axes);
    Pool pool;
    pool.average = average;
    pool.count_padding = count_padding;
    pool.column_major = column_major;
    pool.planes = x[0] * x[1];
    pool.in = axes.in;
    pool.out = axes.out;
    pool.kernel = axes.kernel;
    pool.strides = axes.strides;
    pool.dilations = axes.dilations;
    pool.pads = axes.pads;
    pool.pads_after = axes.pads_after;
    const Operand in = plan.in(0);
    const Element element = plan.element(0);
    const Operand out = plan.out(0, element, shape);
    const Operand indices = !average && plan.wants(1) ? plan.out(1, Element::i64, shape) : Operand{};
    plan.step([=](const Call& call) { call.ops.pool(pool, element, call.at<void>(in), call.at<void>(out), call.at<std::int64_t>(indices)); });
  };
}

Operator make_max_pool(Attributes& a) { return make_pool(a, false); }
Operator make_average_pool(Attributes& a) { return make_pool(a, true); }

/// Over the whole plane, for any number of axes.
Operator make_global_pool(ReductionKind kind) {
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    const Shape& x = plan.shape(0);
    if (x.rank < 2) plan.refuse("its input " + x.text() + " has no channels");
    Shape shape{x[0], x[1]};
    for (int axis = 2; axis < x.rank; axis++) shape.push(1);
    const std::int64_t inner = x.product(2, x.rank);
    if (inner == 0) plan.refuse("its input " + x.text() + " is empty");
    Reduction reduction{kind, Shape{x[0] * x[1]}, Shape{inner}, {inner}, {1}};
    const Operand in = plan.in(0);
    const Operand out = plan.out(0, Element::f32, shape);
    plan.step([=](const Call& call) { call.ops.reduce(reduction, Element::f32, call.at<void>(in), call.at<void>(out)); });
  };
}

template <ReductionKind kind>
Operator make_global(Attributes&) {
  return make_global_pool(kind);
}

}  // namespace

void add_convolution_operators(OperatorTable& table) {
  table.insert({{"Conv", make_convolution}, {"lectern.Conv", make_convolution}, {"ConvTranspose", make_convolution_transposed}, {"lectern.ConvTranspose", make_convolution_transposed},
                {"MaxPool", make_max_pool}, {"AveragePool", make_average_pool}, {"GlobalAveragePool", make_global<ReductionKind::mean>},
                {"GlobalMaxPool", make_global<ReductionKind::maximum>}});
}

}  // namespace lectern::onnx
