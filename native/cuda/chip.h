// What operations ask of the chip that they run on. C++17.
#pragma once

#include <cstddef>

#include "cuda/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Where products of answers get their weights from: registers, rings of shared memory that the device fills by itself, or such a ring for the tensor
/// cores. Each is for chips that have it.
enum class DecodeKind { registers, rings, tiles };

struct Chip {
  int multiprocessors;       // how many blocks of the largest kind run at a time
  std::size_t shared_bytes;  // what a block may ask for at most
  bool warpgroups;           // whether the kernels of warpgroups.h run on it
  DecodeKind decode;         // what products of answers go by
  int unpacked_from;         // so many rows are worth unpacking a matrix for
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
