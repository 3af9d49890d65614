// Reads ONNX files: bytes to a graph. Hostile input is expected: all sizes are checked before memory is allocated.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "onnx/graph.h"

namespace lectern::onnx {

/// `folder` may hold external data; empty: none is allowed. Throws Error `invalid_model` with the part that is broken, cyclic, too large or unknown.
Model read(std::span<const std::byte> file, const std::filesystem::path& folder = {});

}  // namespace lectern::onnx
