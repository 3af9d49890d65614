#include "onnx/reader.h"

#include <cstring>
#include <queue>
#include <string>
#include <utility>

#include "error.h"
#include "onnx/tensor_reader.h"
#include "onnx/wire.h"
#include "tensor/quoted.h"

namespace lectern::onnx {
namespace {

// Far above any network, and low enough that a file of that many empty messages takes little memory.
constexpr int most_nodes = 100'000;
constexpr int most_values = 500'000;
constexpr int most_list_entries = 4'000'000;
constexpr int most_depth = 8;  // subgraphs within each other

class Reader {
 public:
  explicit Reader(const std::filesystem::path& folder) : folder_(folder) {}

  Graph read_graph(std::span<const std::byte> message, int depth);

 private:
  struct Scope {
    Graph graph;
    std::unordered_map<std::string, ValueId> by_name;
    std::vector<bool> defined;
  };

  ValueId value(Scope& scope, std::string_view name);
  void define(Scope& scope, ValueId id);
  Port read_port(Scope& scope, std::span<const std::byte> message);
  void read_shape(std::span<const std::byte> message, Port& port);
  void read_node(Scope& scope, std::span<const std::byte> message, int depth);
  Attribute read_attribute(std::span<const std::byte> message, int depth);
  void collect_captures(Scope& scope);
  void count(int& counter, int most, const char* what) {
    if (++counter > most) refuse(std::string("it has more than ") + std::to_string(most) + " " + what);
  }

  std::filesystem::path folder_;
  int nodes_ = 0;
  int values_ = 0;
  int entries_ = 0;
};

ValueId Reader::value(Scope& scope, std::string_view name) {
  if (name.empty()) return absent;
  const auto [entry, fresh] = scope.by_name.try_emplace(std::string(name), static_cast<ValueId>(scope.graph.names.size()));
  if (fresh) {
    count(values_, most_values, "values");
    scope.graph.add_value(std::string(name));
    scope.defined.push_back(false);
  }
  return entry->second;
}

void Reader::define(Scope& scope, ValueId id) {
  if (id == absent) return;
  const auto at = static_cast<std::size_t>(id);
  if (scope.defined[at]) refuse("the value " + quoted_name(scope.graph.names[at]) + " is made twice");
  scope.defined[at] = true;
}

void Reader::read_shape(std::span<const std::byte> message, Port& port) {
  port.shaped = true;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    if (field.number != 1) continue;
    if (port.sizes.size() == max_rank) refuse("the value " + quoted_name(port.name) + " has more than 8 dimensions");
    std::int64_t size = -1;
    Field part;
    for (Wire dimension(field.message()); dimension.next(part);) {
      if (part.number == 1) size = part.integer();
      if (part.number == 2) size = -1;
    }
    port.sizes.push_back(size < 0 ? -1 : size);
  }
}

Port Reader::read_port(Scope& scope, std::span<const std::byte> message) {
  Port port;
  std::span<const std::byte> type;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    if (field.number == 1) port.name = field.text();
    if (field.number == 2) type = field.message();
  }
  port.value = value(scope, port.name);
  if (port.value == absent) refuse("an input or output has no name");
  for (Wire wire(type); wire.next(field);) {
    if (field.number == 6) continue;  // denotation
    if (field.number != 1) throw Error(ErrorCode::invalid_model, "The network's value " + quoted_name(port.name) + " is no tensor, which is not supported.");
    Field part;
    for (Wire tensor(field.message()); tensor.next(part);) {
      if (part.number == 1 && part.integer() != 0) {
        const Element* element = find_element(part.integer());
        if (element == nullptr) {
          throw Error(ErrorCode::invalid_model, "The network's value " + quoted_name(port.name) + " has the type " + std::to_string(part.integer()) + ", which is not supported.");
        }
        port.element = *element;
        port.typed = true;
      }
      if (part.number == 2) read_shape(part.message(), port);
    }
  }
  return port;
}

Attribute Reader::read_attribute(std::span<const std::byte> message, int depth) {
  Attribute attribute;
  std::int64_t integer = 0;
  float number = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  std::vector<float> numbers;
  std::vector<std::string> texts;
  std::span<const std::byte> inner;
  std::int64_t type = 0;
  std::uint32_t seen = 0;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    if (field.number >= 2 && field.number <= 11) seen = field.number;
    switch (field.number) {
      case 1: attribute.name = field.text(); break;
      case 2: number = field.number32(); break;
      case 3: integer = field.integer(); break;
      case 4: text = field.text(); break;
      case 5:
      case 6: inner = field.message(); break;
      case 7:
        each_fixed(field, 4, [&](std::uint64_t bits) {
          count(entries_, most_list_entries, "numbers in attributes");
          const auto narrow = static_cast<std::uint32_t>(bits);
          float entry;
          std::memcpy(&entry, &narrow, sizeof entry);
          numbers.push_back(entry);
        });
        break;
      case 8:
        each_integer(field, [&](std::int64_t entry) {
          count(entries_, most_list_entries, "numbers in attributes");
          integers.push_back(entry);
        });
        break;
      case 9:
        count(entries_, most_list_entries, "texts in attributes");
        texts.emplace_back(field.text());
        break;
      case 20: type = field.integer(); break;
      case 21: refuse("the attribute " + quoted_name(attribute.name) + " refers to a function's");
      default: break;
    }
  }
  // Files older than the type field define the type by the field that is present.
  if (type == 0) type = seen >= 2 ? static_cast<std::int64_t>(seen) - 1 : 0;
  switch (type) {
    case 1: attribute.value = number; break;
    case 2: attribute.value = integer; break;
    case 3: attribute.value = std::move(text); break;
    case 4: attribute.value = read_tensor(inner, folder_).array; break;
    case 5: attribute.value = std::make_shared<Graph>(read_graph(inner, depth + 1)); break;
    case 6: attribute.value = std::move(numbers); break;
    case 7: attribute.value = std::move(integers); break;
    case 8: attribute.value = std::move(texts); break;
    default: throw Error(ErrorCode::invalid_model, "The network's attribute " + quoted_name(attribute.name) + " is of the kind " + std::to_string(type) + ", which is not supported.");
  }
  return attribute;
}

void Reader::read_node(Scope& scope, std::span<const std::byte> message, int depth) {
  count(nodes_, most_nodes, "nodes");
  Node node;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    switch (field.number) {
      case 1:
        count(entries_, most_list_entries, "inputs");
        node.inputs.push_back(value(scope, field.text()));
        break;
      case 2:
        count(entries_, most_list_entries, "outputs");
        node.outputs.push_back(value(scope, field.text()));
        define(scope, node.outputs.back());
        break;
      case 3: node.name = field.text(); break;
      case 4: node.op = field.text(); break;
      case 5: {
        Attribute attribute = read_attribute(field.message(), depth);
        if (node.find(attribute.name) != nullptr) refuse("a node has the attribute " + quoted_name(attribute.name) + " twice");
        node.attributes.push_back(std::move(attribute));
        break;
      }
      case 7: node.domain = field.text(); break;
      default: break;
    }
  }
  if (node.domain == "ai.onnx") node.domain.clear();
  // Attributes of fused nodes are trusted.
  if (node.domain == "lectern") throw Error(ErrorCode::invalid_model, "The network has a node of " + quoted_name("lectern." + node.op) + ", which is not supported.");
  for (const Attribute& attribute : node.attributes) {
    const auto* graph = std::get_if<std::shared_ptr<Graph>>(&attribute.value);
    if (graph == nullptr) continue;
    for (const ValueId id : (*graph)->captures) node.captured.push_back(value(scope, (*graph)->names[static_cast<std::size_t>(id)]));
  }
  scope.graph.nodes.push_back(std::move(node));
}

void Reader::collect_captures(Scope& scope) {
  for (std::size_t id = 0; id < scope.defined.size(); id++) {
    if (!scope.defined[id]) scope.graph.captures.push_back(static_cast<ValueId>(id));
  }
}

/// Orders every node after those whose outputs it reads; nodes without such an order keep that of the file.
void sort_nodes(Graph& graph) {
  std::vector<int> maker(graph.names.size(), -1);
  const int count = static_cast<int>(graph.nodes.size());
  for (int i = 0; i < count; i++) {
    for (const ValueId id : graph.nodes[static_cast<std::size_t>(i)].outputs) {
      if (id != absent) maker[static_cast<std::size_t>(id)] = i;
    }
  }
  std::vector<std::vector<int>> readers(graph.nodes.size());
  std::vector<int> waiting(graph.nodes.size(), 0);
  for (int i = 0; i < count; i++) {
    const Node& node = graph.nodes[static_cast<std::size_t>(i)];
    for (const auto* list : {&node.inputs, &node.captured}) {
      for (const ValueId id : *list) {
        const int made_by = id == absent ? -1 : maker[static_cast<std::size_t>(id)];
        if (made_by < 0) continue;
        readers[static_cast<std::size_t>(made_by)].push_back(i);
        waiting[static_cast<std::size_t>(i)]++;
      }
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < count; i++) {
    if (waiting[static_cast<std::size_t>(i)] == 0) ready.push(i);
  }
  std::vector<Node> sorted;
  sorted.reserve(graph.nodes.size());
  while (!ready.empty()) {
    const auto at = static_cast<std::size_t>(ready.top());
    ready.pop();
    for (const int reader : readers[at]) {
      if (--waiting[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
    }
    sorted.push_back(std::move(graph.nodes[at]));
  }
  if (sorted.size() != readers.size()) refuse("its nodes wait for one another in a circle");
  graph.nodes = std::move(sorted);
}

Graph Reader::read_graph(std::span<const std::byte> message, int depth) {
  if (depth > most_depth) refuse("its graphs are nested too deep");
  Scope scope;
  std::vector<Port> inputs;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    switch (field.number) {
      case 1: read_node(scope, field.message(), depth); break;
      case 5: {
        NamedArray constant = read_tensor(field.message(), folder_);
        const ValueId id = value(scope, constant.name);
        if (id == absent) refuse("an initialiser has no name");
        define(scope, id);
        scope.graph.constants.emplace(id, std::move(constant.array));
        break;
      }
      case 11: inputs.push_back(read_port(scope, field.message())); break;
      case 12: scope.graph.outputs.push_back(read_port(scope, field.message())); break;
      case 15: throw Error(ErrorCode::invalid_model, "The network has sparse initialisers, which are not supported.");
      default: break;
    }
  }
  for (Port& input : inputs) {
    // Old files list initialisers also as inputs.
    if (scope.graph.constants.count(input.value) > 0) continue;
    define(scope, input.value);
    scope.graph.inputs.push_back(std::move(input));
  }
  collect_captures(scope);
  sort_nodes(scope.graph);
  return std::move(scope.graph);
}

/// The version of ONNX's own domain; -1 if the file imports another domain, which matters only for nodes of that domain.
std::int64_t read_opset(std::span<const std::byte> message) {
  std::string_view domain;
  std::int64_t version = 0;
  Field field;
  for (Wire wire(message); wire.next(field);) {
    if (field.number == 1) domain = field.text();
    if (field.number == 2) version = field.integer();
  }
  return domain.empty() || domain == "ai.onnx" ? version : -1;
}

}  // namespace

Model read(std::span<const std::byte> file, const std::filesystem::path& folder) {
  Model model;
  std::span<const std::byte> graph;
  bool has_graph = false;
  Field field;
  for (Wire wire(file); wire.next(field);) {
    if (field.number == 7) graph = field.message(), has_graph = true;
    if (field.number == 8) model.opset = std::max(model.opset, read_opset(field.message()));
    if (field.number == 14) {
      std::string key;
      std::string value;
      Field part;
      for (Wire entry(field.message()); entry.next(part);) {
        if (part.number == 1) key = part.text();
        if (part.number == 2) value = part.text();
      }
      model.metadata.emplace(std::move(key), std::move(value));
    }
    if (field.number == 25) throw Error(ErrorCode::invalid_model, "The network has functions of its own, which are not supported.");
  }
  if (!has_graph) refuse("it has no graph");
  model.graph = Reader(folder).read_graph(graph, 0);
  if (!model.graph.captures.empty()) {
    refuse("the value " + quoted_name(model.graph.names[static_cast<std::size_t>(model.graph.captures.front())]) + " is read and nothing makes it");
  }
  if (model.opset < 6 || model.opset > 24) {
    throw Error(ErrorCode::invalid_model, "The network is written for ONNX opset " + std::to_string(model.opset) + "; 6 to 24 are supported.");
  }
  return model;
}

}  // namespace lectern::onnx
