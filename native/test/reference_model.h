// What a made model must compute, in double precision, written down from the papers and from llama.cpp's keys: it shares nothing with llm/ but the values of the weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "made_model.h"

namespace lectern::test {

/// The logits of the last of `tokens`, of a model that generates. `long_context`: the slot is longer than the original context (longrope).
std::vector<double> reference_logits(const MadeModel& model, const std::vector<std::int32_t>& tokens, bool long_context = false);

/// What an embedding model gives for `tokens` (not of length 1), or a rerank model for a pair whose second text begins at token `second` (one score).
std::vector<double> reference_output(const MadeModel& model, const std::vector<std::int32_t>& tokens, int second = 0);

}  // namespace lectern::test
