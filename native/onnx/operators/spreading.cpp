// Operators that repeat elements, pad them, mask them, or exchange a picture's blocks and channels.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "onnx/operator.h"
#include "onnx/operators/walks.h"

namespace lectern::onnx {
namespace {

Operator make_expand(Attributes&) {
  return [](NodePlan& plan) {
    Shape wanted;
    for (const std::int64_t size : plan.need_integers(1)) {
      if (wanted.rank == max_rank || size < 0) plan.refuse("its shape is impossible");
      wanted.push(size);
    }
    const Shape shape = broadcast_shape(plan, plan.shape(0), wanted);
    if (shape.elements() == plan.shape(0).elements()) return plan.same(0, 0, shape);
    const Operand in = plan.in(0);
    const Operand out = plan.out(0, plan.element(0), shape);
    const Broadcast broadcast = walk(shape, {plan.shape(0)});
    Move move;
    move.shape = broadcast.shape;
    move.in_strides = broadcast.strides[0];
    move.out_strides = strides_of(move.shape);
    add_move(plan, move, plan.element(0), in, out);
  };
}

/// out[i...] = in[tables[axis][i]...]; an empty table leaves its axis as it is.
void plan_take(NodePlan& plan, std::vector<std::vector<std::int32_t>> tables, const Shape& shape, const std::array<std::byte, 8>& fill) {
  const Operand in = plan.in(0);
  const Operand out = plan.out(0, plan.element(0), shape);
  const auto kept = NodePlan::keep(std::move(tables));
  Take take;
  take.in = plan.shape(0);
  take.out = shape;
  take.fill = fill;
  for (std::size_t axis = 0; axis < kept->size(); axis++) take.tables[axis] = (*kept)[axis].empty() ? nullptr : (*kept)[axis].data();
  const Element element = plan.element(0);
  plan.step([take, element, in, out, kept](const Call& call) { call.ops.take(take, element, call.at<void>(in), call.at<void>(out)); });
}

Operator make_tile(Attributes&) {
  return [](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    const std::vector<std::int64_t> repeats = plan.need_integers(1);
    if (repeats.size() != static_cast<std::size_t>(from.rank)) plan.refuse("it has not one number of repeats for each axis");
    Shape shape;
    std::vector<std::vector<std::int32_t>> tables(static_cast<std::size_t>(from.rank));
    for (int axis = 0; axis < from.rank; axis++) {
      const std::int64_t times = repeats[static_cast<std::size_t>(axis)];
      if (times < 0 || (from[axis] > 0 && times > INT32_MAX / from[axis])) plan.refuse("it repeats " + std::to_string(times) + " times");
      shape.push(times * from[axis]);
    }
    plan.bound(plan.element(0), shape);
    for (int axis = 0; axis < from.rank && shape.elements() > 0; axis++) {
      if (shape[axis] == from[axis]) continue;
      auto& table = tables[static_cast<std::size_t>(axis)];
      for (std::int64_t i = 0; i < shape[axis]; i++) table.push_back(static_cast<std::int32_t>(i % from[axis]));
    }
    plan_take(plan, std::move(tables), shape, {});
  };
}

enum class PadMode { constant, edge, reflect, wrap };

/// The source of the element before (i < 0) or behind the axis; -1: none.
std::int64_t padded_place(PadMode mode, std::int64_t i, std::int64_t size) {
  if (i >= 0 && i < size) return i;
  if (mode == PadMode::constant) return -1;
  if (mode == PadMode::edge) return i < 0 ? 0 : size - 1;
  if (mode == PadMode::wrap) return ((i % size) + size) % size;
  if (size == 1) return 0;
  const std::int64_t period = 2 * (size - 1);
  const std::int64_t phase = ((i % period) + period) % period;
  return phase < size ? phase : period - phase;
}

void plan_pad(NodePlan& plan, PadMode mode, const std::vector<std::int64_t>& pads, const std::vector<int>& axes, const std::array<std::byte, 8>& fill) {
  const Shape& from = plan.shape(0);
  if (pads.size() != 2 * axes.size()) plan.refuse("it has not two pads for each axis");
  Shape shape = from;
  std::vector<std::vector<std::int32_t>> tables(static_cast<std::size_t>(from.rank));
  for (std::size_t k = 0; k < axes.size(); k++) {
    const int axis = axes[k];
    const std::int64_t before = pads[k];
    const std::int64_t after = pads[k + axes.size()];
    constexpr std::int64_t most = std::int64_t{1} << 30;
    if (before > most || after > most || before < -most || after < -most || from[axis] > most) plan.refuse("a pad is too large");
    const std::int64_t size = from[axis] + before + after;
    if (size < 0) plan.refuse("its pads take away more than there is");
    if (from[axis] == 0 && mode != PadMode::constant && size > 0) plan.refuse("it pads an empty axis with what lies there");
    shape[axis] = size;
  }
  plan.bound(plan.element(0), shape);
  for (std::size_t k = 0; k < axes.size() && shape.elements() > 0; k++) {
    const int axis = axes[k];
    if (pads[k] == 0 && pads[k + axes.size()] == 0) continue;
    for (std::int64_t i = 0; i < shape[axis]; i++) tables[static_cast<std::size_t>(axis)].push_back(static_cast<std::int32_t>(padded_place(mode, i - pads[k], from[axis])));
  }
  plan_take(plan, std::move(tables), shape, fill);
}

Operator make_pad(Attributes& a) {
  const std::string name = a.text("mode", "constant");
  const char* const names[] = {"constant", "edge", "reflect", "wrap"};
  const auto found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) a.unsupported("mode " + name);
  const auto mode = static_cast<PadMode>(found - std::begin(names));
  const auto all_axes = [](int rank) {
    std::vector<int> axes(static_cast<std::size_t>(rank));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
  };
  if (a.opset() < 11) {
    const std::vector<std::int64_t> pads = a.integers("pads");
    const float value = a.number("value", 0);
    return [=](NodePlan& plan) {
      plan.demand(0, {Element::f32});
      std::array<std::byte, 8> fill{};
      std::memcpy(fill.data(), &value, sizeof value);
      plan_pad(plan, mode, pads, all_axes(plan.shape(0).rank), fill);
    };
  }
  return [=](NodePlan& plan) {
    const int rank = plan.shape(0).rank;
    std::array<std::byte, 8> fill{};
    if (plan.has(2)) {
      const Array& value = plan.need(2);
      if (value.element != plan.element(0)) plan.refuse("its value is of another type than its input");
      if (value.elements() > 1) plan.refuse("its value is no single number");
      if (value.elements() == 1) std::memcpy(fill.data(), value.data(), bytes_of(value.element));
    }
    std::vector<int> axes = all_axes(rank);
    if (plan.has(3)) {
      axes.clear();
      for (const std::int64_t axis : plan.need_integers(3)) {
        axes.push_back(plan.axis_of(axis, rank));
        if (std::count(axes.begin(), axes.end(), axes.back()) > 1) plan.refuse("an axis stands twice");
      }
    }
    plan_pad(plan, mode, plan.need_integers(1), axes, fill);
  };
}

/// Exchanges a picture's blocks and channels; both directions are a transposition of six axes.
Operator make_depth_to_space(Attributes& a) {
  const std::int64_t block = a.integer("blocksize", 0);
  const std::string mode = a.text("mode", "DCR");
  if (block <= 0 || block > 1 << 16) a.unsupported("a block of " + std::to_string(block));
  if (mode != "DCR" && mode != "CRD") a.unsupported("mode " + mode);
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    if (from.rank != 4 || from[1] % (block * block) != 0) plan.refuse("its input " + from.text() + " does not come apart in blocks");
    const std::int64_t depth = from[1] / (block * block);
    const Shape shape{from[0], depth, from[2] * block, from[3] * block};
    // Checked before any stride: without channels the picture may have any size.
    plan.bound(plan.element(0), shape);
    const std::int64_t picture = from[2] * from[3];
    Move move;
    move.shape = {from[0], depth, from[2], block, from[3], block};
    const std::int64_t column = mode == "DCR" ? depth * picture : picture;
    move.in_strides = {from[1] * picture, mode == "DCR" ? picture : block * block * picture, from[3], column * block, 1, column};
    move.out_strides = strides_of(move.shape);
    const Operand in = plan.in(0);
    add_move(plan, move, plan.element(0), in, plan.out(0, plan.element(0), shape));
  };
}

Operator make_space_to_depth(Attributes& a) {
  const std::int64_t block = a.integer("blocksize", 0);
  if (block <= 0 || block > 1 << 16) a.unsupported("a block of " + std::to_string(block));
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    if (from.rank != 4 || from[2] % block != 0 || from[3] % block != 0) plan.refuse("its input " + from.text() + " does not come apart in blocks");
    if (from[1] > (std::int64_t{1} << 30)) plan.refuse("it has too many channels");
    const Shape shape{from[0], from[1] * block * block, from[2] / block, from[3] / block};
    plan.bound(plan.element(0), shape);
    const std::int64_t picture = from[2] * from[3];
    Move move;
    move.shape = {from[0], block, block, from[1], shape[2], shape[3]};
    move.in_strides = {from[1] * picture, from[3], 1, picture, from[3] * block, block};
    move.out_strides = strides_of(move.shape);
    const Operand in = plan.in(0);
    add_move(plan, move, plan.element(0), in, plan.out(0, plan.element(0), shape));
  };
}

/// Keeps the elements above or below the diagonal; the others become 0.
Operator make_trilu(Attributes& a) {
  const bool upper = a.flag("upper", true);
  return [=](NodePlan& plan) {
    const Shape& from = plan.shape(0);
    if (from.rank < 2) plan.refuse("its input has less than two axes");
    const std::int64_t diagonal = std::clamp<std::int64_t>(plan.has(1) ? plan.need_integer(1) : 0, -(std::int64_t{1} << 40), std::int64_t{1} << 40);
    const Shape matrix{from[from.rank - 2], from[from.rank - 1]};
    const Operand in = plan.in(0);
    const Operand out = plan.out(0, plan.element(0), from);
    Bytes mask(static_cast<std::size_t>(from.elements() == 0 ? 0 : matrix.elements()));
    for (std::size_t i = 0; i < mask.size(); i++) {
      const std::int64_t row = static_cast<std::int64_t>(i) / matrix[1];
      const std::int64_t column = static_cast<std::int64_t>(i) % matrix[1];
      mask[i] = std::byte{upper ? column - row >= diagonal : column - row <= diagonal};
    }
    if (mask.empty()) return plan.step([](const Call&) {});
    const Operand kept = plan.constant(make_array(Element::boolean, matrix, std::move(mask)));
    const Operand zero = plan.constant(make_array(plan.element(0), Shape{}, Bytes(bytes_of(plan.element(0)))));
    const Broadcast broadcast = walk(from, {matrix, from, Shape{}});
    const Element element = plan.element(0);
    plan.step([=](const Call& call) { call.ops.select(broadcast, element, call.at<std::uint8_t>(kept), call.at<void>(in), call.at<void>(zero), call.at<void>(out)); });
  };
}

}  // namespace

void add_spreading_operators(OperatorTable& table) {
  table.insert({{"Expand", make_expand}, {"Tile", make_tile}, {"Pad", make_pad}, {"DepthToSpace", make_depth_to_space}, {"SpaceToDepth", make_space_to_depth}, {"Trilu", make_trilu}});
}

}  // namespace lectern::onnx
