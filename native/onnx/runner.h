// Runs a graph: keeps plans by shape and memory between runs, and executes Loop and If.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cancel.h"
#include "onnx/graph.h"
#include "onnx/plan.h"
#include "onnx/profile.h"
#include "onnx/workspace.h"

namespace lectern::onnx {

/// A value during a run.
struct Held {
  Element element = Element::f32;
  Shape shape;
  std::shared_ptr<const void> data;  // memory of the backend; null if only the contents exist
  std::optional<Array> contents;
};

/// One run of a network, for all its graphs.
struct Run {
  const Cancel* cancel = nullptr;
  Profile* profile = nullptr;
  std::int64_t iterations_left = 0;  // of all loops together
};

class Runner {
 public:
  /// Makes the operators of all nodes, also in subgraphs. Throws Error `invalid_model` with the part that is not supported.
  Runner(Graph& graph, std::int64_t opset, Workspace& workspace, bool fuses);

  /// `inputs` and `captures` in the order of the graph. The returned values lie in memory that the next run of this graph reuses.
  std::vector<Held> run(const std::vector<Held>& inputs, const std::vector<Held>& captures, Run& run);

 private:
  using Values = std::map<ValueId, Held>;

  struct Control {
    std::vector<std::unique_ptr<Runner>> bodies;  // one for a Loop; then and else for an If
    std::vector<std::size_t> captured;            // the number of the node's captured values that belong to each
  };

  Plan& plan_for(std::unique_ptr<Plan>& transient, std::map<std::string, std::unique_ptr<Plan>>& known_plans, const std::vector<int>& pending, const std::vector<ValueId>& fresh,
                 const Values& values, const Cancel* cancel);
  void execute(const Plan& plan, std::size_t part, Values& values, std::vector<ValueId>& fresh, Run& run);
  void run_control(int index, Values& values, std::vector<ValueId>& fresh, Run& run);
  std::vector<Held> run_if(const Node& node, Control& control, Values& values, Run& run);
  std::vector<Held> run_loop(const Node& node, Control& control, Values& values, Run& run);
  std::vector<Held> captures_of(const Node& node, const Control& control, std::size_t body, Values& values);
  /// Stacks the values along a new first axis; returns nothing for no values.
  Held join(const Node& node, const Port& port, std::vector<Held>& pieces);
  Held& held(Values& values, ValueId id);
  const Array& contents_of(Held& value);
  /// Contents that are not part of the value: plans depend on them, so that the key of a plan contains them.
  Array look_at(Held value);
  /// In separate memory, for values that outlive the next run of the graph that made them.
  Held copy(const Held& value);
  const void* address_of(Held& value);

  Graph& graph_;
  Workspace& workspace_;
  std::vector<Operator> operators_;
  std::map<int, Control> controls_;  // by node
  std::map<std::string, std::unique_ptr<Plan>> plans_;
  std::vector<std::shared_ptr<void>> arenas_;  // of the first part of a run, the second, ...
  std::vector<std::size_t> arena_bytes_;
  std::vector<void*> addresses_;
};

}  // namespace lectern::onnx
