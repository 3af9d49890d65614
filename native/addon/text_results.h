// Recognised text as JavaScript values.
#pragma once

#include <napi.h>

#include "vision/text_lines.h"

namespace lectern::addon {

/// { lines: { baseline: [x1, y1, x2, y2], words: { text, left, top, right, bottom, confidence }[] }[],
///   rulings: { horizontal, position, start, end, thickness }[], sampled?: true }
Napi::Value to_value(Napi::Env env, const vision::ReadPage& page);

}  // namespace lectern::addon
