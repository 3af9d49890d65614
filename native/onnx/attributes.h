// The attributes of a node, as its operator reads them. An attribute that no operator reads is an error that names it.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/graph.h"

namespace lectern::onnx {

/// The node in an error message: "Conv \"backbone/conv1\"".
std::string title_of(const Node& node);
/// " (in node ...)": the end of an error message of code that does not know the node.
std::string in_node(const Node& node);

class Attributes {
 public:
  Attributes(const Node& node, std::int64_t opset) : node_(node), opset_(opset) {}

  const Node& node() const { return node_; }
  std::int64_t opset() const { return opset_; }

  // Each throws Error `invalid_model` if the attribute has another kind.
  bool has(std::string_view name) const { return node_.find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise);
  bool flag(std::string_view name, bool otherwise) { return integer(name, otherwise ? 1 : 0) != 0; }
  float number(std::string_view name, float otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  /// Empty if the attribute is absent.
  std::vector<std::int64_t> integers(std::string_view name);
  std::vector<float> numbers(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  /// Null if the attribute is absent.
  const Array* array(std::string_view name);
  std::shared_ptr<Graph> graph(std::string_view name);
  /// Marks the attribute as read; its value has no effect on inference here.
  void ignore(std::string_view name) { read_.emplace(name); }

  /// Throws Error `invalid_model` with the node and the reason why it is not supported.
  [[noreturn]] void unsupported(const std::string& what) const;
  void refuse_unread() const;

 private:
  template <class T>
  const T* get(std::string_view name);

  const Node& node_;
  std::int64_t opset_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace lectern::onnx
