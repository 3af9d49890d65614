// What operations ask of the chip that they run on. C++17.
#pragma once

#include <cstddef>

#include "cuda/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

struct Chip {
  int multiprocessors;       // how many blocks of the largest kind run at a time
  std::size_t shared_bytes;  // what a block may ask for at most
  bool warpgroups;           // whether the kernels of warpgroups.h run on it
  bool own_copies;           // whether it copies by itself, as async_copies.h says, and shall
  int unpacked_from;         // so many rows are worth unpacking a matrix for
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
