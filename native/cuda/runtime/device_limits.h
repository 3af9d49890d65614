// What operations ask of the chip that they run on. C++17.
#pragma once

#include <cstddef>

#include "cuda/runtime/kernel_options.h"
#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

struct Chip {
  int multiprocessors;       // how many blocks of the largest kind run at a time
  std::size_t shared_bytes;  // what a block may ask for at most
  bool warpgroups;           // whether the kernels of warpgroups.h run on it
  cuda::GemvKernel gemv;     // of products of decode rows
  int unpacked_from;         // so many rows are worth unpacking a matrix for
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
