// The operations compiled for the host, over fibers: tests compare them with the reference where there is no GPU.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "cuda/runtime/ceilings.h"

namespace lectern::cuda_emulated {

/// Device 0 has what every GPU has, device 1 also wgmma and bulk copies.
std::unique_ptr<Backend> make_backend(int device = 0);

/// As cuda::measure_peak_rates, for the host; says nothing of a device.
cuda::PeakRates measure_peak_rates(int device, std::size_t bytes, int turns);

}  // namespace lectern::cuda_emulated
