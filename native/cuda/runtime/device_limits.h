// The properties of a device that operations depend on. C++17.
#pragma once

#include <cstddef>

#include "cuda/runtime/kernel_options.h"
#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

struct DeviceLimits {
  int multiprocessors;       // thread blocks of the largest kind that run at a time
  std::size_t shared_bytes;  // of a thread block at most
  bool warpgroups;           // whether the kernels of warpgroups.h may be used
  cuda::GemvKernel gemv;     // the kernel of products of decode rows
  int min_dense_rows;         // from so many prefill rows on a matrix is unpacked first
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
