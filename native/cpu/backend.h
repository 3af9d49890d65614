// The processor as a backend: plain memory, and its two sets of operations.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/instructions.h"

namespace lectern::cpu {

enum class Arithmetic {
  fast,   // repacked weights, 8-bit activations for quantised ones, vector instructions, threads
  plain,  // the twin that the other is held against: loops over dequantised rows, sums in double
};

/// `level` bounds the instructions of the fast operations; the processor must have it.
std::unique_ptr<Backend> make_backend(Arithmetic arithmetic = Arithmetic::fast, Instructions level = available_instructions());

}  // namespace lectern::cpu
