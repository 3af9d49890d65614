// Makes plans: infers shapes node by node, computes values that are already known, and lays out memory.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "cancel.h"
#include "onnx/plan.h"
#include "onnx/workspace.h"

namespace lectern::onnx {

/// `operators` has one for each node of the graph, empty for Loop and If. `before` describes each value that exists
/// (constants of the graph may be left out). Plans the nodes of `pending`, in this order, as far as possible. A node waits in Plan::rest if
/// it reads an output of a Loop or If, contents that are not known yet, or an output of such a node. Throws Error `invalid_model` with
/// the node at fault, `too_large` for a tensor above the workspace's limit, `cancelled` before the next node.
std::unique_ptr<Plan> make_plan(const Graph& graph, const std::vector<Operator>& operators, Workspace& workspace, const std::vector<int>& pending,
                                const std::map<ValueId, Known>& before, const Cancel* cancel);

/// Computes nodes whose inputs are constants, at load. They leave the graph, as do values that are never read.
void fold_constants(Graph& graph, std::int64_t opset, Workspace& workspace);

}  // namespace lectern::onnx
