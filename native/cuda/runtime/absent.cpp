// The CUDA room of a build without nvcc: reports that there is no device.
#include "cuda/runtime/backend.h"
#include "cuda/runtime/ceilings.h"
#include "cuda/runtime/device.h"
#include "error.h"

namespace lectern::cuda {

bool compiled_in() noexcept { return false; }

std::vector<Device> devices() { return {}; }

std::string why_none() { return "this build holds no CUDA code: build where nvcc is found, or take the program that has it"; }

PeakRates measure_peak_rates(int, std::size_t, int) { throw Error(ErrorCode::invalid_request, "This build holds no CUDA code: there is no card to measure."); }

std::string take_remarks() { return {}; }

std::unique_ptr<Backend> make_backend(int) { throw Error(ErrorCode::invalid_request, "This build holds no CUDA code: device cuda is not available."); }

}  // namespace lectern::cuda
