#include "onnx/planner.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <set>

#include "error.h"
#include "tensor/quoted.h"

namespace lectern::onnx {
namespace {

// Planning computes shapes and indices; larger results are left to the run. Constants of the file are folded up to the
// size of any weight.
constexpr std::int64_t most_planned_bytes = 1 << 20;
constexpr std::int64_t most_folded_bytes = std::int64_t{1} << 31;

struct Entry {
  Known known;
  int slot = -1;
  bool lasting = false;  // a constant of the file
  bool made_here = false;
};

struct Reuse {
  int output;  // storages
  int input;
  int node;
};

class Planner {
 public:
  /// `cancel` may be null.
  Planner(const Graph& graph, Workspace& workspace, std::int64_t most_known_bytes, const Cancel* cancel)
      : graph_(graph), workspace_(workspace), most_known_bytes_(most_known_bytes), cancel_(cancel) {}

  void check_cancel() const {
    if (cancel_ != nullptr) cancel_->check();
  }

  void give(ValueId id, const Known& known) { entries_[id] = {known, -1, false, false}; }
  /// Null for an unknown value. Constants of the file are added at their first use.
  Entry* find(ValueId id) {
    const auto entry = entries_.find(id);
    if (entry != entries_.end()) return &entry->second;
    const auto constant = graph_.constants.find(id);
    if (constant == graph_.constants.end()) return nullptr;
    const Array& array = constant->second;
    return &(entries_[id] = {{array.element, array.shape, array}, -1, true, false});
  }

  /// False if the node waits for the contents of Plan::needs.
  bool add(int index, const Node& node, const Operator& work);
  std::unique_ptr<Plan> finish(const std::set<ValueId>& wanted);

 private:
  friend class Recording;

  void reuse_memory();

  const Graph& graph_;
  Workspace& workspace_;
  std::int64_t most_known_bytes_;
  const Cancel* cancel_;
  std::unordered_map<ValueId, Entry> entries_;
  std::unique_ptr<Plan> plan_ = std::make_unique<Plan>();
  std::vector<Reuse> reuses_;
  int at_ = 0;  // the number of added nodes
};

/// A node that is being added to the plan. It is removed again if it needs contents, or if all of it is known.
class Recording final : public NodePlan {
 public:
  Recording(Planner& planner, int index, const Node& node)
      : planner_(planner), plan_(*planner.plan_), node_(node), index_(index), first_slot_(plan_.slots.size()), first_storage_(plan_.storages.size()), first_step_(plan_.steps.size()),
        results_(node.outputs.size()) {}

  int inputs() const override { return static_cast<int>(node_.inputs.size()); }
  bool has(int input) const override { return input < inputs() && node_.inputs[static_cast<std::size_t>(input)] != absent; }
  Element element(int input) const override { return entry(input).known.element; }
  const Shape& shape(int input) const override { return entry(input).known.shape; }
  const Array* known(int input) const override {
    const auto& contents = entry(input).known.contents;
    return contents ? &*contents : nullptr;
  }
  const Array& need(int input) const override {
    const Array* array = known(input);
    if (array == nullptr) throw ContentsNeeded{input};
    return *array;
  }
  int outputs() const override { return static_cast<int>(node_.outputs.size()); }
  bool wants(int output) const override { return output < outputs() && node_.outputs[static_cast<std::size_t>(output)] != absent; }

  Operand in(int input) override {
    const int slot = slot_of(input);
    if (plan_.slots[static_cast<std::size_t>(slot)].kind == Slot::Kind::arena) reads_.push_back(plan_.slots[static_cast<std::size_t>(slot)].storage);
    return {slot};
  }
  Operand out(int output, Element element, const Shape& shape) override {
    const Operand operand = scratch(element, shape);
    if (wants(output)) results_[static_cast<std::size_t>(output)] = {{{element, shape, std::nullopt}, operand.slot, false, true}, true};
    return operand;
  }
  void same(int output, int input, const Shape& shape) override {
    if (!wants(output)) return;
    const Entry& from = entry(input);
    bound(from.known.element, shape);
    if (shape.elements() != from.known.shape.elements()) refuse("it makes " + shape.text() + " of " + from.known.shape.text());
    if (from.known.contents) {
      Array array = *from.known.contents;
      array.shape = shape;
      result(output, std::move(array));
      return;
    }
    const Operand read = in(input);
    Slot view = plan_.slots[static_cast<std::size_t>(read.slot)];
    view.shape = shape;
    plan_.slots.push_back(std::move(view));
    results_[static_cast<std::size_t>(output)] = {{{from.known.element, shape, std::nullopt}, static_cast<int>(plan_.slots.size()) - 1, false, true}, true};
  }
  void result(int output, Array array) override {
    if (!wants(output)) return;
    const Element element = array.element;
    const Shape shape = array.shape;
    bound(element, shape);
    results_[static_cast<std::size_t>(output)] = {{{element, shape, std::move(array)}, -1, false, true}, true};
  }
  Operand constant(Array array) override {
    Slot slot;
    slot.kind = Slot::Kind::constant;
    slot.element = array.element;
    slot.shape = array.shape;
    slot.array = std::move(array);
    plan_.slots.push_back(std::move(slot));
    return {static_cast<int>(plan_.slots.size()) - 1};
  }
  void bound(Element element, const Shape& shape) const override {
    const std::size_t most = planner_.workspace_.most_bytes();
    for (int axis = 0; axis < shape.rank; axis++) {
      if (shape[axis] < 0) refuse("its output would have the shape " + shape.text());
    }
    if (!shape.is_sane() || static_cast<std::size_t>(shape.elements()) > most / bytes_of(element)) {
      throw Error(ErrorCode::too_large, "The network's " + title_of(node_) + " makes a tensor of shape " + shape.text() + ", which is more than " + std::to_string(most >> 20) + " MiB.");
    }
  }
  Operand scratch(Element element, const Shape& shape) override {
    bound(element, shape);
    plan_.storages.push_back({planner_.workspace_.bytes(element, shape.elements()), planner_.at_, planner_.at_, 0});
    Slot slot;
    slot.element = element;
    slot.shape = shape;
    slot.storage = static_cast<int>(plan_.storages.size()) - 1;
    plan_.slots.push_back(std::move(slot));
    return {static_cast<int>(plan_.slots.size()) - 1};
  }
  void may_reuse(Operand output, Operand input) override {
    const Slot& to = plan_.slots[static_cast<std::size_t>(output.slot)];
    const Slot& from = plan_.slots[static_cast<std::size_t>(input.slot)];
    if (to.kind == Slot::Kind::arena && from.kind == Slot::Kind::arena) reuses_.push_back({to.storage, from.storage, planner_.at_});
  }
  void step(Work work) override { plan_.steps.push_back({std::move(work), index_}); }

  const void* packed_filter(int input, const Filter& filter, bool transposed) override {
    const Entry& weights = entry(input);
    return weights.lasting ? planner_.workspace_.packed_filter(*weights.known.contents, filter, transposed) : nullptr;
  }
  const void* packed_matrix(int input, std::int64_t inner, std::int64_t columns, bool transposed) override {
    const Entry& weights = entry(input);
    return weights.lasting ? planner_.workspace_.packed_matrix(*weights.known.contents, inner, columns, transposed) : nullptr;
  }

  const void* packed_recurrent(const Recurrent& recurrent) override {
    const Entry& weights = entry(1);
    const Entry& recurrence = entry(2);
    return weights.lasting && recurrence.lasting ? planner_.workspace_.packed_recurrent(*weights.known.contents, *recurrence.known.contents, recurrent) : nullptr;
  }

  std::shared_ptr<void> hold(std::size_t bytes) const override { return planner_.workspace_.counted(bytes); }
  void check_cancel() const override { planner_.check_cancel(); }
  void refuse(const std::string& why) const override { throw Error(ErrorCode::invalid_model, "The network's " + title_of(node_) + " cannot be computed: " + why + "."); }

  /// Adds the node to the plan. If all of it is known and small, computes it immediately instead.
  void commit() {
    bool all_known = true;
    for (int input = 0; input < inputs(); input++) all_known = all_known && (!has(input) || known(input) != nullptr);
    bool finished = true;
    std::int64_t bytes = 0;
    for (int output = 0; output < outputs(); output++) {
      if (!wants(output)) continue;
      const auto& [result, given] = results_[static_cast<std::size_t>(output)];
      if (!given) refuse("it has no output " + std::to_string(output));
      finished = finished && result.slot < 0;
      bytes += result.known.shape.elements() * static_cast<std::int64_t>(bytes_of(result.known.element));
    }
    if (!finished && all_known && bytes <= planner_.most_known_bytes_) {
      compute();
      finished = true;
    }
    if (finished) {
      forget();
    } else {
      keep();
    }
    for (int output = 0; output < outputs(); output++) {
      if (wants(output)) planner_.entries_[node_.outputs[static_cast<std::size_t>(output)]] = std::move(results_[static_cast<std::size_t>(output)].first);
    }
  }

  void forget() {
    plan_.slots.resize(first_slot_);
    plan_.storages.resize(first_storage_);
    plan_.steps.resize(first_step_);
    for (const ValueId id : fresh_) planner_.entries_[id].slot = -1;
  }

 private:
  const Entry& entry(int input) const {
    if (!has(input)) refuse("input " + std::to_string(input) + " is missing");
    return *planner_.find(node_.inputs[static_cast<std::size_t>(input)]);
  }

  int slot_of(int input) {
    (void)entry(input);
    const ValueId id = node_.inputs[static_cast<std::size_t>(input)];
    Entry& from = *planner_.find(id);
    if (from.slot < 0) {
      Slot slot;
      slot.kind = from.known.contents ? Slot::Kind::constant : Slot::Kind::given;
      slot.element = from.known.element;
      slot.shape = from.known.shape;
      slot.value = id;
      if (from.known.contents) slot.array = *from.known.contents;
      plan_.slots.push_back(std::move(slot));
      from.slot = static_cast<int>(plan_.slots.size()) - 1;
      fresh_.push_back(id);
    }
    return from.slot;
  }

  void compute() {
    std::vector<void*> addresses(plan_.slots.size(), nullptr);
    std::vector<Bytes> memory(plan_.storages.size() - first_storage_);
    for (std::size_t i = 0; i < addresses.size(); i++) {
      const Slot& slot = plan_.slots[i];
      if (slot.kind == Slot::Kind::constant) addresses[i] = const_cast<std::byte*>(slot.array.data());
      if (i < first_slot_ || slot.kind != Slot::Kind::arena) continue;
      // In the host's representation, whatever the plan's own operations use.
      Bytes& bytes = memory[static_cast<std::size_t>(slot.storage) - first_storage_];
      if (bytes.empty()) bytes.resize(static_cast<std::size_t>(slot.shape.elements()) * bytes_of(slot.element));
      addresses[i] = bytes.data();
    }
    const Call call(planner_.workspace_.host_ops(), addresses.data(), planner_.cancel_);
    try {
      for (std::size_t i = first_step_; i < plan_.steps.size(); i++) plan_.steps[i].work(call);
    } catch (const Error& error) {
      throw Error(error.code(), error.what() + in_node(node_));
    }
    for (auto& [result, given] : results_) {
      if (!given || result.slot < 0) continue;
      Bytes& bytes = memory[static_cast<std::size_t>(plan_.slots[static_cast<std::size_t>(result.slot)].storage) - first_storage_];
      result.known.contents = make_array(result.known.element, result.known.shape, Bytes(bytes));
      result.slot = -1;
    }
  }

  void keep() {
    for (const int storage : reads_) plan_.storages[static_cast<std::size_t>(storage)].last = planner_.at_;
    for (const Reuse& reuse : reuses_) {
      // A second read of the same memory, perhaps in another order, would read the written elements.
      if (std::count(reads_.begin(), reads_.end(), reuse.input) == 1) planner_.reuses_.push_back(reuse);
    }
    for (std::size_t i = first_slot_; i < plan_.slots.size(); i++) {
      Slot& slot = plan_.slots[i];
      if (slot.kind != Slot::Kind::constant || slot.placed) continue;
      slot.placed = planner_.workspace_.place(slot.array, slot.value != absent && planner_.entries_.at(slot.value).lasting);
    }
  }

  Planner& planner_;
  Plan& plan_;
  const Node& node_;
  int index_;
  std::size_t first_slot_, first_storage_, first_step_;
  std::vector<std::pair<Entry, bool>> results_;
  std::vector<int> reads_;  // storages, one entry per read
  std::vector<Reuse> reuses_;
  std::vector<ValueId> fresh_;  // values whose slot this node created
};

bool Planner::add(int index, const Node& node, const Operator& work) {
  Recording recording(*this, index, node);
  try {
    work(recording);
  } catch (const ContentsNeeded& needed) {
    recording.forget();
    plan_->needs.push_back(node.inputs[static_cast<std::size_t>(needed.input)]);
    return false;
  }
  recording.commit();
  at_++;
  return true;
}

void Planner::reuse_memory() {
  std::vector<Storage>& storages = plan_->storages;
  std::vector<int> root(storages.size());
  std::iota(root.begin(), root.end(), 0);
  for (const Reuse& reuse : reuses_) {
    const int input = root[static_cast<std::size_t>(reuse.input)];
    Storage& from = storages[static_cast<std::size_t>(input)];
    Storage& to = storages[static_cast<std::size_t>(reuse.output)];
    if (root[static_cast<std::size_t>(reuse.output)] != reuse.output || from.last != reuse.node || from.bytes < to.bytes) continue;
    from.last = to.last;
    to.bytes = 0;
    root[static_cast<std::size_t>(reuse.output)] = input;
  }
  plan_->arena_bytes = lay_out(storages);
  for (Slot& slot : plan_->slots) {
    if (slot.kind == Slot::Kind::arena) slot.storage = root[static_cast<std::size_t>(slot.storage)];
  }
}

std::unique_ptr<Plan> Planner::finish(const std::set<ValueId>& wanted) {
  for (const ValueId id : wanted) {
    const Entry* entry = find(id);
    if (entry == nullptr || !entry->made_here) continue;
    plan_->results.push_back({id, entry->known, entry->slot});
    if (entry->slot < 0) continue;
    const Slot& slot = plan_->slots[static_cast<std::size_t>(entry->slot)];
    if (slot.kind == Slot::Kind::arena) plan_->storages[static_cast<std::size_t>(slot.storage)].last = INT_MAX;
  }
  reuse_memory();
  if (plan_->arena_bytes > workspace_.most_bytes()) {
    throw Error(ErrorCode::too_large, "The network needs " + std::to_string(plan_->arena_bytes >> 20) + " MiB for one run, which is more than " +
                                          std::to_string(workspace_.most_bytes() >> 20) + " MiB.");
  }
  return std::move(plan_);
}

}  // namespace

std::unique_ptr<Plan> make_plan(const Graph& graph, const std::vector<Operator>& operators, Workspace& workspace, const std::vector<int>& pending,
                                const std::map<ValueId, Known>& before, const Cancel* cancel) {
  Planner planner(graph, workspace, most_planned_bytes, cancel);
  for (const auto& [id, known] : before) planner.give(id, known);
  std::vector<int> controls;
  std::vector<int> rest;
  for (const int index : pending) {
    planner.check_cancel();
    const Node& node = graph.nodes[static_cast<std::size_t>(index)];
    const auto there = [&](ValueId id) { return id == absent || planner.find(id) != nullptr; };
    const bool ready = std::all_of(node.inputs.begin(), node.inputs.end(), there) && std::all_of(node.captured.begin(), node.captured.end(), there);
    if (ready && is_control(node)) {
      controls.push_back(index);
    } else if (!ready || !planner.add(index, node, operators[static_cast<std::size_t>(index)])) {
      rest.push_back(index);
    }
  }
  std::set<ValueId> wanted;
  for (const Port& output : graph.outputs) wanted.insert(output.value);
  for (const auto* list : {&controls, &rest}) {
    for (const int index : *list) {
      const Node& node = graph.nodes[static_cast<std::size_t>(index)];
      wanted.insert(node.inputs.begin(), node.inputs.end());
      wanted.insert(node.captured.begin(), node.captured.end());
    }
  }
  std::unique_ptr<Plan> plan = planner.finish(wanted);
  plan->controls = std::move(controls);
  plan->rest = std::move(rest);
  return plan;
}

void fold_constants(Graph& graph, std::int64_t opset, Workspace& workspace) {
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    const auto constant = [&](ValueId id) { return id == absent || graph.constants.count(id) > 0; };
    if (is_control(node) || !std::all_of(node.inputs.begin(), node.inputs.end(), constant)) {
      kept.push_back(std::move(node));
      continue;
    }
    Planner planner(graph, workspace, most_folded_bytes, nullptr);
    const bool planned = planner.add(0, node, make_operator(node, opset));
    const bool known = planned && std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return id == absent || planner.find(id)->known.contents.has_value(); });
    if (!known) {
      kept.push_back(std::move(node));
      continue;
    }
    for (const ValueId id : node.outputs) {
      if (id != absent) graph.constants.emplace(id, *planner.find(id)->known.contents);
    }
  }
  graph.nodes = std::move(kept);
  drop_unread(graph);
}

}  // namespace lectern::onnx
