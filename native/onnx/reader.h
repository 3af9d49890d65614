// ONNX files: bytes to a graph. Hostile input is the usual case: everything is bounded before memory is taken.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "onnx/graph.h"

namespace lectern::onnx {

/// `folder` is where external data may lie; empty: nowhere. Throws Error `invalid_model` naming what is broken, cyclic, too much or unknown.
Model read(std::span<const std::byte> file, const std::filesystem::path& folder = {});

}  // namespace lectern::onnx
