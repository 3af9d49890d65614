// ONNX files made in tests: messages put together field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/element.h"
#include "tensor/shape.h"

namespace lectern::test {

/// A message of protocol buffers.
class Proto {
 public:
  Proto& integer(int field, std::int64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Proto& number(int field, float value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 5);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Proto& text(int field, std::string_view value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes_.append(value);
    return *this;
  }
  Proto& message(int field, const Proto& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

inline std::int64_t onnx_type(Element element) {
  switch (element) {
    case Element::f32: return 1;
    case Element::u8: return 2;
    case Element::i8: return 3;
    case Element::i32: return 6;
    case Element::i64: return 7;
    case Element::boolean: return 9;
    case Element::f16: return 10;
    case Element::f64: return 11;
  }
  return 0;
}

template <class T>
Proto onnx_tensor(std::string_view name, Element element, const std::vector<std::int64_t>& sizes, const std::vector<T>& values) {
  Proto tensor;
  for (const std::int64_t size : sizes) tensor.integer(1, size);
  tensor.integer(2, onnx_type(element)).text(8, name);
  return tensor.text(9, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}
inline Proto onnx_floats(std::string_view name, const std::vector<std::int64_t>& sizes, const std::vector<float>& values) { return onnx_tensor(name, Element::f32, sizes, values); }
inline Proto onnx_integers(std::string_view name, const std::vector<std::int64_t>& values) {
  return onnx_tensor(name, Element::i64, {static_cast<std::int64_t>(values.size())}, values);
}

/// -1: any size.
inline Proto onnx_port(std::string_view name, Element element, const std::vector<std::int64_t>& sizes) {
  Proto shape;
  for (const std::int64_t size : sizes) shape.message(1, size < 0 ? Proto().text(2, "n") : Proto().integer(1, size));
  return Proto().text(1, name).message(2, Proto().message(1, Proto().integer(1, onnx_type(element)).message(2, shape)));
}

struct OnnxNode {
  Proto proto;

  OnnxNode(std::string_view op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    for (const std::string& name : inputs) proto.text(1, name);
    for (const std::string& name : outputs) proto.text(2, name);
    proto.text(4, op);
  }
  OnnxNode& integer(std::string_view name, std::int64_t value) { return add(Proto().text(1, name).integer(3, value).integer(20, 2)); }
  OnnxNode& number(std::string_view name, float value) { return add(Proto().text(1, name).number(2, value).integer(20, 1)); }
  OnnxNode& integers(std::string_view name, const std::vector<std::int64_t>& values) {
    Proto attribute;
    attribute.text(1, name).integer(20, 7);
    for (const std::int64_t value : values) attribute.integer(8, value);
    return add(attribute);
  }
  OnnxNode& tensor(std::string_view name, const Proto& value) { return add(Proto().text(1, name).message(5, value).integer(20, 4)); }
  OnnxNode& graph(std::string_view name, const Proto& value) { return add(Proto().text(1, name).message(6, value).integer(20, 5)); }

 private:
  OnnxNode& add(const Proto& attribute) {
    proto.message(5, attribute);
    return *this;
  }
};

struct OnnxGraph {
  Proto proto;

  OnnxGraph& node(const OnnxNode& node) { return add(1, node.proto); }
  OnnxGraph& constant(const Proto& tensor) { return add(5, tensor); }
  OnnxGraph& input(std::string_view name, Element element, const std::vector<std::int64_t>& sizes) { return add(11, onnx_port(name, element, sizes)); }
  OnnxGraph& output(std::string_view name, Element element, const std::vector<std::int64_t>& sizes) { return add(12, onnx_port(name, element, sizes)); }
  /// The file.
  std::string model(std::int64_t opset = 17) const { return Proto().integer(1, 8).message(7, proto).message(8, Proto().integer(2, opset)).bytes(); }

 private:
  OnnxGraph& add(int field, const Proto& part) {
    proto.message(field, part);
    return *this;
  }
};

}  // namespace lectern::test
