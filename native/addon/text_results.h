// Recognised text as JavaScript values.
#pragma once

#include <napi.h>

#include "vision/line_orientation.h"
#include "vision/text_lines.h"

namespace lectern::addon {

/// { lines: { baseline: [x1, y1, x2, y2], words: { text, left, top, right, bottom, confidence }[] }[],
///   rulings: { horizontal, position, start, end, thickness }[], tickBoxes?: { left, top, right, bottom, ticked }[], fills?: { left, top, right, bottom, grey }[], turned?: true }
Napi::Value to_value(Napi::Env env, const vision::ReadPage& page);

/// { upright, turned, neither, lines }
Napi::Value to_value(Napi::Env env, const vision::LineVotes& votes);

}  // namespace lectern::addon
