// Turns a failed call of the CUDA runtime into an Error. Every call of the runtime goes through here.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "error.h"

namespace lectern::cuda {

/// `what` names the call in the message. Memory is `out_of_memory`; everything else is sticky or a defect of the device,
/// and a process that lost its device ends for its supervisor: `device_lost`.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const ErrorCode code = status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory : ErrorCode::device_lost;
  throw Error(code, std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace lectern::cuda
