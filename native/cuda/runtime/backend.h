// The CUDA devices as backends.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace lectern::cuda {

/// The backend of the device with this number, from 0. Throws Error `invalid_request` in a build without CUDA, `device_lost` where the device
/// does not respond.
std::unique_ptr<Backend> make_backend(int device);

/// Faults that trials found in kernels since the last call, and what is used instead: sentences for the log, or empty.
/// Any thread.
std::string take_remarks();

}  // namespace lectern::cuda
