// TensorProto: a tensor in an ONNX file, or beside it.
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

/// Null for a type that is none of ours; `type` is TensorProto.DataType's number.
const Element* find_element(std::int64_t type);

/// Throws Error `invalid_model`: broken, of an unknown type, or with data outside of the file where `folder` is empty or would be left by
/// the path, a link included.
NamedArray read_tensor(std::span<const std::byte> message, const std::filesystem::path& folder);

}  // namespace lectern::onnx
