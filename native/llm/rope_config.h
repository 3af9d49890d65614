// How a model rotates its queries and keys, from its file.
#pragma once

#include "llm/config.h"
#include "llm/keys.h"

namespace lectern::llm {

/// Fills Config::rope, second_rope and second_ropes; all else must have been read.
void read_ropes(const Keys& keys, Config& config);

}  // namespace lectern::llm
