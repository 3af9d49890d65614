// What operations ask of the chip that they run on. C++17.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cuda/simt/simt.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// How products of answers get their weights: into registers, through rings of shared memory that the device fills by itself, or through such a ring for the
/// tensor cores.
enum class DecodeKind { registers, rings, tiles };

/// By its name; none for other words.
inline std::optional<DecodeKind> decode_kind_named(const std::string& name) {
  if (name == "registers") return DecodeKind::registers;
  if (name == "rings") return DecodeKind::rings;
  if (name == "tiles") return DecodeKind::tiles;
  return std::nullopt;
}

struct Chip {
  int multiprocessors;       // how many blocks of the largest kind run at a time
  std::size_t shared_bytes;  // what a block may ask for at most
  bool warpgroups;           // whether the kernels of warpgroups.h run on it
  DecodeKind decode;         // what products of answers go by
  int unpacked_from;         // so many rows are worth unpacking a matrix for
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
