// The operations compiled for the host, over fibers: what tests hold against the plain ones where there is no GPU.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace lectern::cuda_emulated {

std::unique_ptr<Backend> make_backend();

}  // namespace lectern::cuda_emulated
