// What readers of layouts, tables and kinds of lines found, as JavaScript's values.
#pragma once

#include <vector>

#include <napi.h>

#include "engine/vision_model.h"

namespace lectern::addon {

/// { label, score, left, top, right, bottom }[]
Napi::Value to_value(Napi::Env env, const std::vector<NamedRegion>& regions);
/// { rows, columns, score, cells: { row, column, rowSpan, columnSpan, header, box }[] }; `box` is x, y of four corners.
Napi::Value to_value(Napi::Env env, const vision::FoundTable& table);

/// { classes, joined }, each a Float32Array.
Napi::Value to_value(Napi::Env env, const vision::LineClasses& found);

}  // namespace lectern::addon
