#include "onnx/runner.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "error.h"
#include "onnx/fusion/rewriter.h"
#include "onnx/planner.h"
#include "onnx/wire.h"
#include "tensor/quoted.h"

namespace lectern::onnx {
namespace {

// The most plans of one graph, or that follow one plan. Text lines have any width, and each of their plans takes a few KB.
constexpr std::size_t most_plans = 64;
// Contents up to this size are part of a plan's key; a plan that depends on more is not kept.
constexpr std::size_t most_key_bytes = 512;

template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Copies the constants of the surrounding graph that a subgraph reads into the subgraph, so that they are folded and packed like its own.
void inherit_constants(const Graph& outer, Node& node) {
  std::vector<ValueId> captured;
  std::size_t at = 0;
  for (Attribute& attribute : node.attributes) {
    auto* body = std::get_if<std::shared_ptr<Graph>>(&attribute.value);
    if (body == nullptr) continue;
    std::vector<ValueId> captures;
    for (const ValueId inner : (*body)->captures) {
      const ValueId id = node.captured[at++];
      const auto constant = outer.constants.find(id);
      if (constant != outer.constants.end()) {
        (*body)->constants.emplace(inner, constant->second);
      } else {
        captures.push_back(inner);
        captured.push_back(id);
      }
    }
    (*body)->captures = std::move(captures);
  }
  node.captured = std::move(captured);
}

const char* const if_bodies[] = {"then_branch", "else_branch"};
const char* const loop_bodies[] = {"body"};

}  // namespace

Runner::Runner(Graph& graph, std::int64_t opset, Workspace& workspace, bool fuses) : graph_(graph), workspace_(workspace) {
  fold_constants(graph, opset, workspace);
  if (fuses) {
    fuse(graph);
    drop_unread(graph);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); i++) {
    Node& node = graph.nodes[i];
    if (!is_control(node)) {
      operators_.push_back(make_operator(node, opset));
      continue;
    }
    operators_.emplace_back();
    Attributes attributes(node, opset);
    Control control;
    inherit_constants(graph, node);
    const bool loop = node.op == "Loop";
    for (const char* name : loop ? std::vector<const char*>(loop_bodies, loop_bodies + 1) : std::vector<const char*>(if_bodies, if_bodies + 2)) {
      const std::shared_ptr<Graph> body = attributes.graph(name);
      if (body == nullptr) refuse("the attribute " + quoted_name(name) + " of " + title_of(node) + " is missing");
      control.captured.push_back(body->captures.size());
      const std::size_t carried = loop && node.inputs.size() > 2 ? node.inputs.size() - 2 : 0;
      const bool fits = loop ? node.inputs.size() >= 2 && body->inputs.size() == carried + 2 && body->outputs.size() >= carried + 1 && node.outputs.size() <= body->outputs.size() - 1
                             : node.inputs.size() == 1 && body->inputs.empty() && node.outputs.size() <= body->outputs.size();
      if (!fits) refuse("the inputs and outputs of " + title_of(node) + " do not fit its graph");
      control.bodies.push_back(std::make_unique<Runner>(*body, opset, workspace, fuses));
    }
    if (!loop && control.bodies.size() == 2) {
      // The order of attributes is free; captures follow the file's order.
      const bool turned = std::find_if(node.attributes.begin(), node.attributes.end(), [](const Attribute& a) { return a.name == "then_branch"; }) >
                          std::find_if(node.attributes.begin(), node.attributes.end(), [](const Attribute& a) { return a.name == "else_branch"; });
      if (turned) std::rotate(node.captured.begin(), node.captured.begin() + static_cast<std::ptrdiff_t>(control.captured[1]), node.captured.end());
    }
    attributes.refuse_unread();
    controls_.emplace(static_cast<int>(i), std::move(control));
  }
}

Held& Runner::held(Values& values, ValueId id) {
  const auto [entry, fresh] = values.try_emplace(id);
  if (fresh) {
    const Array& array = graph_.constants.at(id);
    entry->second = {array.element, array.shape, workspace_.place(array, true), array};
  }
  return entry->second;
}

const void* Runner::address_of(Held& value) {
  if (value.data == nullptr && value.contents) value.data = workspace_.place(*value.contents, false);
  return value.data.get();
}

const Array& Runner::contents_of(Held& value) {
  if (!value.contents) {
    Bytes bytes(static_cast<std::size_t>(value.shape.elements()) * bytes_of(value.element));
    if (!bytes.empty()) workspace_.download(value.element, value.shape.elements(), value.data.get(), bytes.data());
    value.contents = make_array(value.element, value.shape, std::move(bytes));
  }
  return *value.contents;
}

Array Runner::look_at(Held value) { return contents_of(value); }

Held Runner::copy(const Held& value) {
  if (value.contents) return {value.element, value.shape, nullptr, value.contents};
  const std::int64_t count = value.shape.elements();
  const std::shared_ptr<void> memory = workspace_.memory(workspace_.bytes(value.element, count));
  Move move;
  move.shape = Shape{count};
  move.in_strides[0] = move.out_strides[0] = 1;
  if (count > 0) workspace_.ops().move(move, value.element, value.data.get(), memory.get());
  return {value.element, value.shape, memory, std::nullopt};
}

Plan& Runner::plan_for(std::unique_ptr<Plan>& transient, std::map<std::string, std::unique_ptr<Plan>>& known_plans, const std::vector<int>& pending, const std::vector<ValueId>& fresh,
                       const Values& values, const Cancel* cancel) {
  std::string key;
  bool lasting = true;
  for (const ValueId id : fresh) {
    const Held& value = values.at(id);
    append(key, id);
    append(key, value.element);
    append(key, value.shape.rank);
    for (int axis = 0; axis < value.shape.rank; axis++) append(key, value.shape[axis]);
    append(key, value.contents.has_value());
    if (!value.contents) continue;
    const Bytes& bytes = *value.contents->bytes;
    if (bytes.size() > most_key_bytes) lasting = false;
    else key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (lasting) {
    const auto entry = known_plans.find(key);
    if (entry != known_plans.end()) return *entry->second;
  }
  std::map<ValueId, Known> before;
  for (const auto& [id, value] : values) before.emplace(id, Known{value.element, value.shape, value.contents});
  std::unique_ptr<Plan> plan = make_plan(graph_, operators_, workspace_, pending, before, cancel);
  if (!lasting) {
    transient = std::move(plan);
    return *transient;
  }
  if (known_plans.size() >= most_plans) known_plans.clear();
  return *(known_plans[key] = std::move(plan));
}

void Runner::execute(const Plan& plan, std::size_t part, Values& values, std::vector<ValueId>& fresh, Run& run) {
  if (arenas_.size() <= part) {
    arenas_.resize(part + 1);
    arena_bytes_.resize(part + 1, 0);
  }
  if (arenas_[part] == nullptr || arena_bytes_[part] < plan.arena_bytes) {
    // No part of this run follows yet; the values there belong to other inputs.
    arenas_.resize(part + 1);
    arena_bytes_.resize(part + 1);
    arenas_[part].reset();
    // Separate memory: it grows with the widest input, and the previous one is released.
    arena_bytes_[part] = 0;
    arenas_[part] = workspace_.arena(plan.arena_bytes);
    arena_bytes_[part] = plan.arena_bytes;
  }
  const std::shared_ptr<void> arena = arenas_[part];
  addresses_.assign(plan.slots.size(), nullptr);
  for (std::size_t i = 0; i < plan.slots.size(); i++) {
    const Slot& slot = plan.slots[i];
    switch (slot.kind) {
      case Slot::Kind::arena: addresses_[i] = static_cast<std::byte*>(arena.get()) + plan.storages[static_cast<std::size_t>(slot.storage)].offset; break;
      case Slot::Kind::constant: addresses_[i] = const_cast<void*>(slot.placed.get()); break;
      case Slot::Kind::given: addresses_[i] = const_cast<void*>(address_of(held(values, slot.value))); break;
    }
  }
  const Call call(workspace_.ops(), addresses_.data(), run.cancel);
  for (const Step& step : plan.steps) {
    if (run.cancel != nullptr) run.cancel->check();
    const Node& node = graph_.nodes[static_cast<std::size_t>(step.node)];
    const auto start = run.profile != nullptr ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    try {
      step.work(call);
    } catch (const Error& error) {
      throw Error(error.code(), error.what() + in_node(node));
    }
    if (run.profile != nullptr) {
      run.profile->entries.push_back({node.op, node.name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
    }
  }
  for (const Plan::Result& result : plan.results) {
    Held value{result.known.element, result.known.shape, nullptr, result.known.contents};
    if (result.slot >= 0) {
      const Slot& slot = plan.slots[static_cast<std::size_t>(result.slot)];
      value.data = slot.kind == Slot::Kind::given ? held(values, slot.value).data : std::shared_ptr<const void>(arena, addresses_[static_cast<std::size_t>(result.slot)]);
    }
    values[result.value] = std::move(value);
    fresh.push_back(result.value);
  }
}

std::vector<Held> Runner::run(const std::vector<Held>& inputs, const std::vector<Held>& captures, Run& run) {
  Values values;
  std::vector<ValueId> fresh;
  const auto give = [&](ValueId id, const Held& value) {
    values[id] = value;
    fresh.push_back(id);
  };
  for (std::size_t i = 0; i < inputs.size(); i++) give(graph_.inputs[i].value, inputs[i]);
  for (std::size_t i = 0; i < captures.size(); i++) give(graph_.captures[i], captures[i]);
  std::vector<int> pending(graph_.nodes.size());
  std::iota(pending.begin(), pending.end(), 0);
  std::vector<std::unique_ptr<Plan>> transients;
  auto* known_plans = &plans_;
  for (std::size_t part = 0; !pending.empty(); part++) {
    transients.emplace_back();
    Plan& plan = plan_for(transients.back(), *known_plans, pending, fresh, values, run.cancel);
    fresh.clear();
    execute(plan, part, values, fresh, run);
    for (const int control : plan.controls) run_control(control, values, fresh, run);
    for (const ValueId id : plan.needs) {
      (void)contents_of(held(values, id));
      fresh.push_back(id);
    }
    if (fresh.empty() && !plan.rest.empty()) throw Error(ErrorCode::internal, "A network's plan does not get on.");
    pending = plan.rest;
    known_plans = &plan.next;
  }
  std::vector<Held> outputs;
  for (const Port& port : graph_.outputs) outputs.push_back(held(values, port.value));
  return outputs;
}

std::vector<Held> Runner::captures_of(const Node& node, const Control& control, std::size_t body, Values& values) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < body; i++) first += control.captured[i];
  std::vector<Held> captures;
  for (std::size_t i = 0; i < control.captured[body]; i++) captures.push_back(held(values, node.captured[first + i]));
  return captures;
}

void Runner::run_control(int index, Values& values, std::vector<ValueId>& fresh, Run& run) {
  const Node& node = graph_.nodes[static_cast<std::size_t>(index)];
  Control& control = controls_.at(index);
  const std::vector<Held> results = node.op == "Loop" ? run_loop(node, control, values, run) : run_if(node, control, values, run);
  for (std::size_t i = 0; i < node.outputs.size(); i++) {
    if (node.outputs[i] == absent) continue;
    values[node.outputs[i]] = results[i];
    fresh.push_back(node.outputs[i]);
  }
}

std::vector<Held> Runner::run_if(const Node& node, Control& control, Values& values, Run& run) {
  const Array condition = look_at(held(values, node.inputs[0]));
  if (condition.element != Element::boolean || condition.elements() != 1) refuse("the condition of " + title_of(node) + " is no single truth value");
  const std::size_t body = condition.as<std::uint8_t>()[0] != 0 ? 0 : 1;
  return control.bodies[body]->run({}, captures_of(node, control, body, values), run);
}

std::vector<Held> Runner::run_loop(const Node& node, Control& control, Values& values, Run& run) {
  Runner& body = *control.bodies[0];
  const auto scalar = [&](std::size_t input, Element element) -> std::optional<Array> {
    if (node.inputs[input] == absent) return std::nullopt;
    Array array = look_at(held(values, node.inputs[input]));
    if (array.element != element || array.elements() != 1) refuse("input " + std::to_string(input) + " of " + title_of(node) + " is no single number of its type");
    return array;
  };
  const std::optional<Array> trips = scalar(0, Element::i64);
  const std::optional<Array> first = scalar(1, Element::boolean);
  const std::int64_t most = trips ? trips->as<std::int64_t>()[0] : INT64_MAX;
  bool go = !first || first->as<std::uint8_t>()[0] != 0;
  std::vector<Held> carried;
  const auto carry = [&](const Held& value) {
    // Known contents would need a plan for this iteration alone.
    Held taken = value;
    (void)address_of(taken);
    taken.contents.reset();
    return taken;
  };
  for (std::size_t i = 2; i < node.inputs.size(); i++) carried.push_back(carry(held(values, node.inputs[i])));
  const std::vector<Held> captures = captures_of(node, control, 0, values);
  std::vector<std::vector<Held>> scans(body.graph_.outputs.size() - 1 - carried.size());
  std::size_t scanned_bytes = 0;
  for (std::int64_t i = 0; i < most && go; i++) {
    if (run.cancel != nullptr) run.cancel->check();
    if (run.iterations_left-- <= 0) throw Error(ErrorCode::too_large, "The network's " + title_of(node) + " runs without an end in sight.");
    // Known only during the run: as contents they would lead to a plan for every iteration.
    const std::uint8_t yes = 1;
    const Array count = make_array(Element::i64, Shape{}, &i);
    const Array condition = make_array(Element::boolean, Shape{}, &yes);
    std::vector<Held> inputs = {{Element::i64, Shape{}, workspace_.place(count, false), std::nullopt}, {Element::boolean, Shape{}, workspace_.place(condition, false), std::nullopt}};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    std::vector<Held> outputs = body.run(inputs, captures, run);
    const Array& on = contents_of(outputs[0]);
    if (on.element != Element::boolean || on.elements() != 1) refuse("the condition of " + title_of(node) + " is no single truth value");
    go = on.as<std::uint8_t>()[0] != 0;
    for (std::size_t k = 0; k < carried.size(); k++) carried[k] = carry(copy(outputs[1 + k]));
    for (std::size_t k = 0; k < scans.size(); k++) {
      scans[k].push_back(copy(outputs[1 + carried.size() + k]));
      scanned_bytes += static_cast<std::size_t>(scans[k].back().shape.elements()) * bytes_of(scans[k].back().element);
      if (scanned_bytes > workspace_.most_bytes()) throw Error(ErrorCode::too_large, "The network's " + title_of(node) + " makes more than " + std::to_string(workspace_.most_bytes() >> 20) + " MiB.");
    }
  }
  std::vector<Held> results = std::move(carried);
  for (std::size_t k = 0; k < scans.size(); k++) results.push_back(join(node, body.graph_.outputs[results.size() + 1], scans[k]));
  return results;
}

Held Runner::join(const Node& node, const Port& port, std::vector<Held>& pieces) {
  Held whole{port.element, Shape{0}, nullptr, std::nullopt};
  if (pieces.empty()) {
    for (const std::int64_t size : port.sizes) {
      if (whole.shape.rank < max_rank) whole.shape.push(std::max<std::int64_t>(size, 0));
    }
    if (!whole.shape.is_sane()) refuse("an output of " + title_of(node) + " has the impossible shape " + whole.shape.text());
    whole.contents = make_array(whole.element, whole.shape, Bytes());
    return whole;
  }
  const Held& first = pieces.front();
  if (first.shape.rank == max_rank) refuse("an output of " + title_of(node) + " has more than 8 axes");
  whole.element = first.element;
  whole.shape = Shape{static_cast<std::int64_t>(pieces.size())};
  for (int axis = 0; axis < first.shape.rank; axis++) whole.shape.push(first.shape[axis]);
  if (!whole.shape.is_sane()) throw Error(ErrorCode::too_large, "The network's " + title_of(node) + " collects a tensor of shape " + whole.shape.text() + ".");
  const std::int64_t count = first.shape.elements();
  const std::shared_ptr<void> memory = workspace_.memory(workspace_.bytes(whole.element, whole.shape.elements()));
  whole.data = memory;
  Move move;
  move.shape = Shape{count};
  move.in_strides[0] = move.out_strides[0] = 1;
  for (Held& piece : pieces) {
    if (piece.shape != first.shape || piece.element != first.element) refuse("what " + title_of(node) + " collects changes its shape on the way");
    if (count > 0) workspace_.ops().move(move, whole.element, address_of(piece), memory.get());
    move.out_offset += count;
  }
  return whole;
}

}  // namespace lectern::onnx
