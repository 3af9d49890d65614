// What a card's memory and tensor cores do at most.
#pragma once

#include <cstddef>

namespace lectern::cuda {

struct Ceilings {
  double read_bytes_per_second;
  double brain_operations_per_second;  // of mma.sync from registers; instructions that this code does not use may do more
};

/// Reads `bytes` of memory, and multiplies `turns` times in every warp that runs, several times each, and takes the best. Throws Error
/// `out_of_memory`, `device_lost`, `invalid_request` in a build without CUDA.
Ceilings measure_ceilings(int device, std::size_t bytes, int turns);

}  // namespace lectern::cuda
