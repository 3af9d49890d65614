#include "onnx/attributes.h"

#include "error.h"
#include "tensor/quoted.h"

namespace lectern::onnx {

std::string title_of(const Node& node) {
  const std::string op = quoted_name(node.domain.empty() || node.domain == "lectern" ? node.op : node.domain + "." + node.op);
  return "node " + (node.name.empty() ? "" : quoted_name(node.name) + " ") + "(" + op.substr(1, op.size() - 2) + ")";
}

std::string in_node(const Node& node) { return " (In the network's " + title_of(node) + ".)"; }

void Attributes::unsupported(const std::string& what) const {
  throw Error(ErrorCode::invalid_model, "The network's " + title_of(node_) + " asks for what is not supported: " + what + ".");
}

template <class T>
const T* Attributes::get(std::string_view name) {
  read_.emplace(name);
  const Attribute* attribute = node_.find(name);
  if (attribute == nullptr) return nullptr;
  const T* value = std::get_if<T>(&attribute->value);
  if (value == nullptr) throw Error(ErrorCode::invalid_model, "The network file is damaged: the attribute " + quoted_name(name) + " of " + title_of(node_) + " is of the wrong kind.");
  return value;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) {
  const auto* value = get<std::int64_t>(name);
  return value != nullptr ? *value : otherwise;
}

float Attributes::number(std::string_view name, float otherwise) {
  const auto* value = get<float>(name);
  return value != nullptr ? *value : otherwise;
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) {
  const auto* value = get<std::string>(name);
  return value != nullptr ? *value : std::string(otherwise);
}

std::vector<std::int64_t> Attributes::integers(std::string_view name) {
  const auto* value = get<std::vector<std::int64_t>>(name);
  return value != nullptr ? *value : std::vector<std::int64_t>();
}

std::vector<float> Attributes::numbers(std::string_view name) {
  const auto* value = get<std::vector<float>>(name);
  return value != nullptr ? *value : std::vector<float>();
}

std::vector<std::string> Attributes::texts(std::string_view name) {
  const auto* value = get<std::vector<std::string>>(name);
  return value != nullptr ? *value : std::vector<std::string>();
}

const Array* Attributes::array(std::string_view name) { return get<Array>(name); }

std::shared_ptr<Graph> Attributes::graph(std::string_view name) {
  const auto* value = get<std::shared_ptr<Graph>>(name);
  return value != nullptr ? *value : nullptr;
}

void Attributes::refuse_unread() const {
  for (const Attribute& attribute : node_.attributes) {
    if (read_.count(attribute.name) == 0) unsupported("the attribute " + quoted_name(attribute.name));
  }
}

}  // namespace lectern::onnx
