// How fast prompts and texts are computed on a GPU.
#pragma once

#include "backend/backend.h"

namespace lectern::test {

/// Prompts of the published shapes of 70B, 8B and 1B models in their files' mixes of types, and texts of bge-m3: one layer of each is
/// measured with made weights and told times the number of layers. `tiny`: shapes that an emulation is done with in seconds.
void bench_prompts(Backend& backend, bool tiny);

}  // namespace lectern::test
