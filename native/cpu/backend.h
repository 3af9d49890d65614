// The processor as a backend: host memory and two implementations of the operations.
#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/instructions.h"

namespace lectern::cpu {

enum class Arithmetic {
  fast,   // repacked weights, 8-bit activations for quantised ones, vector instructions, threads
  plain,  // the reference for the fast operations: loops over dequantised rows, sums in double
};

/// `level` limits the instructions of the fast operations; the processor must have it.
std::unique_ptr<Backend> make_backend(Arithmetic arithmetic = Arithmetic::fast, Instructions level = available_instructions());

}  // namespace lectern::cpu
