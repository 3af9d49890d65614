// The options of a reader of pages, layouts, tables or kinds of lines, from JavaScript to the engine's structs.
#pragma once

#include <napi.h>

#include "engine/vision_model.h"

namespace lectern::addon {

/// { kind, device, threads, workBytes, networks }: `networks` has `detector`, `reader` and perhaps `angle` where `kind` is `text`, `layout`, `table` or `lines` where it is that.
/// Every key is required but `threads`, and those that vision_arguments.cpp marks as optional. Throws Error `invalid_request` naming the key.
OpenVisionOptions read_open_vision(const Napi::Value& value);

struct ReadLinesOptions {
  int dpi;
  bool one_line;
};
/// { dpi, oneLine? }
ReadLinesOptions read_lines_options(const Napi::Value& value);

/// { features, neighbours, pairs, pairFeatures }, Float32Array and Int32Array; copied.
vision::LineItems read_line_items(const Napi::Value& value);

}  // namespace lectern::addon
