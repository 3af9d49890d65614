// The ranges of sampling options.
#pragma once

#include "llm/sampler.h"

namespace lectern::llm {

/// `options` themselves. Throws Error `invalid_request` naming the first that is out of its range.
const SamplingOptions& checked(const SamplingOptions& options, int vocabulary);

}  // namespace lectern::llm
