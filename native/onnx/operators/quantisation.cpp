// Small integers with a scale and a zero point, and the way back: the form in which files hold weights. All arithmetic is in floats.
#include "onnx/operator.h"
#include "onnx/operators/walks.h"
#include "onnx/tensor_reader.h"

namespace lectern::onnx {
namespace {

struct Grid {
  std::int64_t axis, block;
};

Grid read_grid(Attributes& a) {
  Grid grid{a.integer("axis", 1), a.opset() >= 21 ? a.integer("block_size", 0) : 0};
  if (grid.block < 0 || grid.block > (std::int64_t{1} << 40)) a.unsupported("block_size " + std::to_string(grid.block));
  return grid;
}

/// The scale or the zero point as floats that can be walked with the input: one number, one for each place along the axis, or one for each block.
struct Level {
  Operand operand;
  Shape shape;
};

Level plan_level(NodePlan& plan, int input, const Grid& grid) {
  const Shape& x = plan.shape(0);
  const Shape& given = plan.shape(input);
  const Operand numbers = plan.in_as(input, Element::f32);
  if (given.elements() == 1 && grid.block == 0) return {numbers, Shape{}};
  const int axis = plan.axis_of(grid.axis, x.rank);
  if (grid.block == 0) {
    if (given != Shape{x[axis]}) plan.refuse("its input " + std::to_string(input) + " " + given.text() + " does not fit " + x.text());
    Shape line;
    for (int i = 0; i < x.rank; i++) line.push(i == axis ? x[axis] : 1);
    return {numbers, line};
  }
  Shape blocks = x;
  blocks[axis] = (x[axis] + grid.block - 1) / grid.block;
  if (given != blocks) plan.refuse("its input " + std::to_string(input) + " " + given.text() + " does not fit " + x.text());
  std::vector<std::int32_t> table;
  for (std::int64_t i = 0; i < x[axis]; i++) table.push_back(static_cast<std::int32_t>(i / grid.block));
  const auto kept = NodePlan::keep(std::move(table));
  Take take;
  take.in = blocks;
  take.out = x;
  take.tables[static_cast<std::size_t>(axis)] = kept->data();
  const Operand spread = plan.scratch(Element::f32, x);
  plan.step([take, numbers, spread, kept](const Call& call) { call.ops.take(take, Element::f32, call.at<void>(numbers), call.at<void>(spread)); });
  return {spread, x};
}

Operator make_dequantise(Attributes& a) {
  const Grid grid = read_grid(a);
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::i8, Element::u8, Element::i32});
    plan.demand(1, {Element::f32});
    const Shape shape = plan.shape(0);
    const Operand x = plan.in_as(0, Element::f32);
    const Level scale = plan_level(plan, 1, grid);
    const bool shifted = plan.has(2);
    if (shifted) plan.demand(2, {plan.element(0)});
    const Level zero = shifted ? plan_level(plan, 2, grid) : Level{};
    const Operand out = plan.out(0, Element::f32, shape);
    const Broadcast with_zero = walk(shape, {shape, zero.shape});
    const Broadcast with_scale = walk(shape, {shape, scale.shape});
    plan.step([=](const Call& call) {
      const void* from = call.at<void>(x);
      void* to = call.at<void>(out);
      if (shifted) call.ops.binary(BinaryKind::subtract, Element::f32, with_zero, from, call.at<void>(zero.operand), to);
      call.ops.binary(BinaryKind::multiply, Element::f32, with_scale, shifted ? to : from, call.at<void>(scale.operand), to);
    });
  };
}

Operator make_quantise(Attributes& a) {
  const Grid grid = read_grid(a);
  a.ignore("saturate");  // for 8-bit floats, which are refused
  if (a.integer("precision", 0) != 0) a.unsupported("a precision of its own");
  const std::int64_t type = a.integer("output_dtype", 0);
  const Element* wanted = type == 0 ? nullptr : find_element(type);
  if (type != 0 && (wanted == nullptr || (*wanted != Element::u8 && *wanted != Element::i8))) a.unsupported("output_dtype " + std::to_string(type));
  const Element otherwise = wanted != nullptr ? *wanted : Element::u8;
  return [=](NodePlan& plan) {
    plan.demand(0, {Element::f32});
    plan.demand(1, {Element::f32});
    const Shape shape = plan.shape(0);
    const bool shifted = plan.has(2);
    if (shifted) plan.demand(2, {Element::u8, Element::i8});
    const Element element = shifted ? plan.element(2) : otherwise;
    const Operand x = plan.in(0);
    const Level scale = plan_level(plan, 1, grid);
    const Level zero = shifted ? plan_level(plan, 2, grid) : Level{};
    const Operand steps = plan.scratch(Element::f32, shape);
    const Operand out = plan.out(0, element, shape);
    const Broadcast with_zero = walk(shape, {shape, zero.shape});
    const Broadcast with_scale = walk(shape, {shape, scale.shape});
    const std::int64_t count = shape.elements();
    plan.step([=](const Call& call) {
      void* to = call.at<void>(steps);
      call.ops.binary(BinaryKind::divide, Element::f32, with_scale, call.at<void>(x), call.at<void>(scale.operand), to);
      call.ops.unary({UnaryKind::round}, Element::f32, count, to, to);
      if (shifted) call.ops.binary(BinaryKind::add, Element::f32, with_zero, to, call.at<void>(zero.operand), to);
      call.ops.cast(Element::f32, element, count, to, call.at<void>(out));
    });
  };
}

}  // namespace

void add_quantisation_operators(OperatorTable& table) { table.insert({{"DequantizeLinear", make_dequantise}, {"QuantizeLinear", make_quantise}}); }

}  // namespace lectern::onnx
