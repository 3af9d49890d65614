// TensorProto: a tensor inside an ONNX file, or in a file beside it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "onnx/array.h"

namespace lectern::onnx {

struct NamedArray {
  std::string name;
  Array array;
};

/// Null for an unsupported type; `type` is TensorProto.DataType's number.
const Element* find_element(std::int64_t type);

/// Throws Error `invalid_model` for a broken tensor, an unknown type, and external data if `folder` is empty or the path
/// leaves it, also through a link.
NamedArray read_tensor(std::span<const std::byte> message, const std::filesystem::path& folder);

}  // namespace lectern::onnx
