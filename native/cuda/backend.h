// The CUDA devices as backends.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace lectern::cuda {

/// Of the device with this number, from 0. Throws Error `invalid_request` in a build without CUDA, `device_lost` where the device
/// does not answer.
std::unique_ptr<Backend> make_backend(int device);

}  // namespace lectern::cuda
