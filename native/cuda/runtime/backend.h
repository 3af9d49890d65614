// The CUDA devices as backends.
#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace lectern::cuda {

/// Of the device with this number, from 0. Throws Error `invalid_request` in a build without CUDA, `device_lost` where the device
/// does not answer.
std::unique_ptr<Backend> make_backend(int device);

/// What devices were found not to do as they should since the last call, and what is done instead: sentences for who runs this, or empty.
/// Any thread.
std::string take_remarks();

}  // namespace lectern::cuda
