// The peak rates of a GPU's memory and tensor cores.
#pragma once

#include <cstddef>

namespace lectern::cuda {

struct PeakRates {
  double read_bytes_per_second;
  double bf16_operations_per_second;  // of mma.sync from registers; wgmma may do more
};

/// Reads `bytes` of memory, and multiplies `turns` times in every warp, several times each, and takes the best. Throws Error
/// `out_of_memory`, `device_lost`, `invalid_request` in a build without CUDA.
PeakRates measure_peak_rates(int device, std::size_t bytes, int turns);

}  // namespace lectern::cuda
