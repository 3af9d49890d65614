// Reads a GGUF file's header. The file is hostile: every count, length, product and offset is checked before it is used.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gguf/metadata.h"
#include "tensor/tensor.h"

namespace lectern::gguf {

struct Contents {
  Metadata metadata;
  std::vector<Tensor> tensors;  // in the order of the file, names unique, none overlapping
};

/// Parses one whole file (versions 2 and 3, little endian). What comes back points into `file`. Throws Error `invalid_model`
/// with a sentence that names the field, the key or the tensor at fault.
Contents read(std::span<const std::byte> file);

}  // namespace lectern::gguf
