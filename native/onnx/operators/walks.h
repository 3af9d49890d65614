// Shapes walked together: broadcasting, and boxes copied.
#pragma once

#include <vector>

#include "backend/graph_ops.h"
#include "onnx/operator.h"

namespace lectern::onnx {

/// The shape that two become, by ONNX's (numpy's) rule; refuses where they do not fit.
Shape broadcast_shape(const NodePlan& plan, const Shape& a, const Shape& b);

/// How operands of `shapes` (at most 3, each broadcastable to `out`) are walked for `out`; neighbouring axes become one where they can.
Broadcast walk(const Shape& out, const std::vector<Shape>& shapes);

/// Puts axes that lie one after the other on both sides together, and drops those of size 1.
Move simplified(const Move& move);

/// A step that copies.
void add_move(NodePlan& plan, const Move& move, Element element, Operand from, Operand to);

}  // namespace lectern::onnx
