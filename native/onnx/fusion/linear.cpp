#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "onnx/fusion/rewriter.h"
#include "onnx/operators/activation.h"

namespace lectern::onnx {
namespace {

bool is(const Node& node, const char* op) { return node.domain.empty() && node.op == op; }

/// Whether no fused operation follows the node yet.
bool is_linear(const Node& node, const char* op) { return node.op == op && (node.domain.empty() || (node.domain == "lectern" && node.find("activation") == nullptr)); }

/// y = scale x + shift, for each channel.
struct PerChannel {
  std::vector<double> scale, shift;
};

std::vector<double> spread(const Array& array, std::int64_t channels) {
  const auto values = array.as<float>();
  std::vector<double> all(static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < all.size(); i++) all[i] = static_cast<double>(values[values.size() == 1 ? 0 : i]);
  return all;
}

/// A vector with one element per channel.
const Array* channel_vector(Rewriter& rewriter, const Node& node, std::size_t input, std::int64_t channels) {
  const Array* array = input < node.inputs.size() ? rewriter.constant(node.inputs[input]) : nullptr;
  return array != nullptr && array->element == Element::f32 && array->elements() == channels ? array : nullptr;
}

std::optional<PerChannel> of_normalisation(Rewriter& rewriter, const Node& node, std::int64_t channels) {
  if (!is(node, "BatchNormalization") || node.inputs.size() != 5 || node.outputs.size() != 1) return std::nullopt;
  const Array* scale = channel_vector(rewriter, node, 1, channels);
  const Array* bias = channel_vector(rewriter, node, 2, channels);
  const Array* mean = channel_vector(rewriter, node, 3, channels);
  const Array* variance = channel_vector(rewriter, node, 4, channels);
  if (scale == nullptr || bias == nullptr || mean == nullptr || variance == nullptr) return std::nullopt;
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name != "epsilon" && attribute.name != "momentum") return std::nullopt;
  }
  const Attribute* attribute = node.find("epsilon");
  const float* given = attribute == nullptr ? nullptr : std::get_if<float>(&attribute->value);
  const double epsilon = static_cast<double>(given == nullptr ? 1e-5F : *given);
  PerChannel change{spread(*scale, channels), spread(*bias, channels)};
  const std::vector<double> means = spread(*mean, channels);
  const std::vector<double> variances = spread(*variance, channels);
  for (std::size_t i = 0; i < means.size(); i++) {
    change.scale[i] /= std::sqrt(variances[i] + epsilon);
    change.shift[i] -= means[i] * change.scale[i];
    if (!std::isfinite(change.scale[i]) || !std::isfinite(change.shift[i])) return std::nullopt;
  }
  return change;
}

/// A constant that is one number, or one for each channel: with `axes` axes behind the channels.
bool fits_channels(const Shape& shape, std::int64_t channels, int axes) {
  if (shape.elements() == 1) return shape.rank <= axes + 2;
  const int at = shape.rank - 1 - axes;
  return (at == 0 || (at == 1 && shape[0] == 1)) && shape[at] == channels && shape.elements() == channels;
}

std::optional<PerChannel> of_constant(Rewriter& rewriter, const Node& node, ValueId x, std::int64_t channels, int axes) {
  if ((!is(node, "Mul") && !is(node, "Add")) || node.inputs.size() != 2) return std::nullopt;
  const Array* array = rewriter.constant(node.inputs[node.inputs[0] == x ? 1 : 0]);
  if (array == nullptr || array->element != Element::f32 || !fits_channels(array->shape, channels, axes)) return std::nullopt;
  const std::vector<double> values = spread(*array, channels);
  const std::vector<double> ones(values.size(), 1);
  const std::vector<double> zeros(values.size(), 0);
  return is(node, "Mul") ? PerChannel{values, zeros} : PerChannel{ones, values};
}

/// The same for a node that fuse_function() made for one number.
std::optional<PerChannel> of_function(const Node& node, std::int64_t channels) {
  if (node.domain != "lectern" || node.op != "Unary" || std::get<std::int64_t>(node.find("rank")->value) > 1) return std::nullopt;
  if (std::get<std::int64_t>(node.find("activation")->value) != static_cast<std::int64_t>(UnaryKind::identity)) return std::nullopt;
  const auto number = [&](const char* name) { return static_cast<double>(std::get<float>(node.find(name)->value)); };
  const auto count = static_cast<std::size_t>(channels);
  return PerChannel{std::vector<double>(count, number("activation_scale")), std::vector<double>(count, number("activation_shift"))};
}

std::int64_t groups_of(const Node& node) {
  const Attribute* attribute = node.find("group");
  const auto* groups = attribute == nullptr ? nullptr : std::get_if<std::int64_t>(&attribute->value);
  return groups == nullptr ? 1 : *groups;
}

/// Merges a normalisation, or constants for each channel, into the weights and the bias of the convolution before.
bool fuse_channels(Rewriter& rewriter, int index) {
  const Node& node = rewriter.node(index);
  for (std::size_t input = 0; input < std::min<std::size_t>(node.inputs.size(), 2); input++) {
    const ValueId x = node.inputs[input];
    const int maker = rewriter.private_maker(x);
    if (maker < 0) continue;
    const Node& before = rewriter.node(maker);
    const bool transposed = is_linear(before, "ConvTranspose");
    if ((!transposed && !is_linear(before, "Conv")) || before.inputs.size() < 2 || before.inputs.size() > 3) continue;
    const Array* weights = rewriter.constant(before.inputs[1]);
    if (weights == nullptr || weights->element != Element::f32 || weights->shape.rank < 3) continue;
    const std::int64_t groups = groups_of(before);
    if (groups < 1 || (transposed && (weights->shape[0] % groups != 0 || weights->shape[0] == 0))) continue;
    const std::int64_t channels = transposed ? weights->shape[1] * groups : weights->shape[0];
    if (channels < 1 || channels > (1 << 24)) continue;
    const bool has_bias = before.inputs.size() == 3 && before.inputs[2] != absent;
    const Array* bias = has_bias ? channel_vector(rewriter, before, 2, channels) : nullptr;
    if (has_bias && bias == nullptr) continue;
    auto change = input == 0 ? of_normalisation(rewriter, node, channels) : std::nullopt;
    if (!change) change = of_constant(rewriter, node, x, channels, weights->shape.rank - 2);
    if (!change && input == 0) change = of_function(node, channels);
    if (!change) continue;
    Bytes bytes(weights->bytes->size());
    auto* scaled = reinterpret_cast<float*>(bytes.data());
    const auto old = weights->as<float>();
    const std::int64_t kernel = weights->shape.product(2, weights->shape.rank);
    for (std::size_t i = 0; i < old.size(); i++) {
      const std::int64_t plane = static_cast<std::int64_t>(i) / kernel;
      // Weights are (outputs, inputs of a group, ...); transposed ones (inputs, outputs of a group, ...).
      const std::int64_t channel = transposed ? plane / weights->shape[1] / (weights->shape[0] / groups) * weights->shape[1] + plane % weights->shape[1] : plane / weights->shape[1];
      scaled[i] = static_cast<float>(static_cast<double>(old[i]) * change->scale[static_cast<std::size_t>(channel)]);
    }
    std::vector<float> moved(static_cast<std::size_t>(channels));
    for (std::size_t i = 0; i < moved.size(); i++) moved[i] = static_cast<float>((bias == nullptr ? 0 : static_cast<double>(bias->as<float>()[i])) * change->scale[i] + change->shift[i]);
    Node made = before;
    const Shape shape = weights->shape;
    const ValueId new_weights = rewriter.add_constant(make_array(Element::f32, shape, std::move(bytes)));
    const ValueId new_bias = rewriter.add_constant(make_array(Element::f32, Shape{channels}, moved.data()));
    made.inputs = {made.inputs[0], new_weights, new_bias};
    rewriter.replace(index, std::move(made), {maker});
    return true;
  }
  return false;
}

/// Merges a constant vector into a product with constant weights.
bool fuse_bias(Rewriter& rewriter, int index) {
  const Node& node = rewriter.node(index);
  if (!is(node, "Add") || node.inputs.size() != 2) return false;
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const int maker = rewriter.private_maker(node.inputs[at]);
    if (maker < 0 || !is_linear(rewriter.node(maker), "MatMul") || rewriter.node(maker).inputs.size() != 2) continue;
    const Array* weights = rewriter.constant(rewriter.node(maker).inputs[1]);
    const Array* bias = rewriter.constant(node.inputs[1 - at]);
    if (weights == nullptr || bias == nullptr || weights->shape.rank != 2 || bias->element != Element::f32 || bias->shape != Shape{weights->shape[1]}) continue;
    Node made = rewriter.node(maker);
    made.domain = "lectern";
    made.inputs.push_back(node.inputs[1 - at]);
    rewriter.replace(index, std::move(made), {maker});
    return true;
  }
  return false;
}

/// Merges an addition into a convolution. If both operands are convolutions, the later one takes the result of the other.
bool fuse_residual(Rewriter& rewriter, int index) {
  const Node& node = rewriter.node(index);
  if (!is(node, "Add") || node.inputs.size() != 2 || node.inputs[0] == node.inputs[1]) return false;
  int best = -1;
  std::size_t input = 0;
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
    const int maker = rewriter.private_maker(node.inputs[at]);
    if (maker <= best || !is_linear(rewriter.node(maker), "Conv") || rewriter.node(maker).inputs.size() > 3 || rewriter.constant(node.inputs[1 - at]) != nullptr) continue;
    best = maker;
    input = at;
  }
  if (best < 0) return false;
  Node made = rewriter.node(best);
  made.domain = "lectern";
  made.inputs.resize(3, absent);
  made.inputs.push_back(node.inputs[1 - input]);
  rewriter.replace(index, std::move(made), {best});
  return true;
}

}  // namespace

bool fuse_linear(Rewriter& rewriter, int index) { return fuse_channels(rewriter, index) || fuse_bias(rewriter, index) || fuse_residual(rewriter, index); }

}  // namespace lectern::onnx
