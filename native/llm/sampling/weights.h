// Logits to weights: the one loop of sampling that costs, by the widest instructions there are.
#pragma once

#include <cstddef>

#include "backend/instructions.h"

namespace lectern::llm {

struct WeightScale {
  double greatest;             // no logit is above it
  double inverse_temperature;
};

/// weights[i] = exponential((logits[i] - greatest) * inverse_temperature). The same bits at every level of instructions.
void weigh(const float* logits, std::size_t count, WeightScale scale, double* weights, Instructions level = available_instructions());

}  // namespace lectern::llm
