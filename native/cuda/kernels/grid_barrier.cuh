// A barrier of all blocks of a grid, which must all run at once (launch_together). The emulation runs one block after the other and has none: there
// nobody may come to it.
#pragma once

#include "cuda/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// `arrived`: in the device's memory, any number, the same for all launches on a stream: each barrier adds 2^31 to it, block 0 what the others leave, and
/// a changed highest bit says that all were there.
class GridBarrier {
 public:
  __device__ __forceinline__ explicit GridBarrier(int* arrived) : arrived_(arrived) {}

  /// By all threads of a block: what they wrote is there for whoever waits.
  __device__ __forceinline__ void arrive() {
    synchronise_block();
    if (thread_number() != 0) return;
    order_memory();
    before_ = atomic_add(arrived_, block_x() == 0 ? static_cast<int>(0x80000000U - static_cast<unsigned>(grid_x() - 1)) : 1);
  }

  /// By all threads, after arrive(). What other blocks wrote is read past the first-level cache from then on.
  __device__ __forceinline__ void wait() const {
    if (thread_number() == 0) {
      while ((load_now(arrived_) ^ before_) >= 0) continue;
      order_memory();
    }
    synchronise_block();
  }

 private:
  int* arrived_;
  int before_ = 0;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
