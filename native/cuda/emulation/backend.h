// The operations compiled for the host, over fibers: what tests hold against the plain ones where there is no GPU.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "cuda/runtime/ceilings.h"

namespace lectern::cuda_emulated {

/// Device 0 has what every chip has, device 1 warpgroups and copies of its own, too.
std::unique_ptr<Backend> make_backend(int device = 0);

/// As cuda::measure_ceilings: of the host, which no number of a device can be taken from.
cuda::Ceilings measure_ceilings(int device, std::size_t bytes, int turns);

}  // namespace lectern::cuda_emulated
