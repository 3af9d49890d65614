// Logits to masses: the one loop of sampling that costs, by the widest instructions there are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/instructions.h"
#include "backend/sampling.h"

namespace lectern::llm {

/// masses[i] = mass_of(logits[i], scale), at every level of instructions.
void weigh(const float* logits, std::size_t count, WeightScale scale, std::uint64_t* masses, Instructions level = available_instructions());

}  // namespace lectern::llm
