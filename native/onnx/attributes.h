// The attributes of a node as its operator reads them: an attribute that no operator reads is refused by name.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/graph.h"

namespace lectern::onnx {

/// "Conv \"backbone/conv1\"", for sentences.
std::string title_of(const Node& node);
/// " (in node ...)", which ends an error sentence of code that does not know the node.
std::string in_node(const Node& node);

class Attributes {
 public:
  Attributes(const Node& node, std::int64_t opset) : node_(node), opset_(opset) {}

  const Node& node() const { return node_; }
  std::int64_t opset() const { return opset_; }

  // Each throws Error `invalid_model` where the attribute is of another kind.
  bool has(std::string_view name) const { return node_.find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise);
  bool flag(std::string_view name, bool otherwise) { return integer(name, otherwise ? 1 : 0) != 0; }
  float number(std::string_view name, float otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  /// Empty where there is none.
  std::vector<std::int64_t> integers(std::string_view name);
  std::vector<float> numbers(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  /// Null where there is none.
  const Array* array(std::string_view name);
  std::shared_ptr<Graph> graph(std::string_view name);
  /// Read, and without a meaning to us.
  void ignore(std::string_view name) { read_.emplace(name); }

  /// Throws Error `invalid_model`: the node and what of it is not supported.
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
