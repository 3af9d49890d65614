// Makes plans: infers shapes node after node, computes what is known already, lays out memory.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "cancel.h"
#include "onnx/plan.h"
#include "onnx/workspace.h"

namespace lectern::onnx {

/// `operators` has one for each node of the graph, empty for Loop and If. `before` says what is known of each value that exists
/// (constants of the graph need not be in it). Plans of `pending`, in this order, what can be planned: a node waits in Plan::rest when
/// it reads an output of a Loop or If, contents that are not there yet, or what such a node makes. Throws Error `invalid_model` naming
/// the node at fault, `too_large` for a tensor beyond the workspace's bound, `cancelled` before the next node.
std::unique_ptr<Plan> make_plan(const Graph& graph, const std::vector<Operator>& operators, Workspace& workspace, const std::vector<int>& pending,
                                const std::map<ValueId, Known>& before, const Cancel* cancel);

/// Computes nodes whose inputs are constants, at load; they leave the graph, as do values that are never read.
void fold_constants(Graph& graph, std::int64_t opset, Workspace& workspace);

}  // namespace lectern::onnx
