// Shapes that are walked together: broadcasting and copies of boxes.
#pragma once

#include <vector>

#include "backend/graph_ops.h"
#include "onnx/operator.h"

namespace lectern::onnx {

/// The broadcast shape of two by ONNX's (numpy's) rule; throws if they do not fit.
Shape broadcast_shape(const NodePlan& plan, const Shape& a, const Shape& b);

/// The strides of operands with these `shapes` (at most 3, each broadcastable to `out`) over `out`. Neighbouring axes are merged where possible.
Broadcast walk(const Shape& out, const std::vector<Shape>& shapes);

/// Merges axes that are contiguous on both sides, and drops those of size 1.
Move simplified(const Move& move);

/// A step that copies.
void add_move(NodePlan& plan, const Move& move, Element element, Operand from, Operand to);

}  // namespace lectern::onnx
