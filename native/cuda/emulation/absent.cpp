// A build without the emulation (LECTERN_EMULATION=OFF): what the tests of other rooms name of it.
#include <stdexcept>

#include "cuda/emulation/backend.h"
#include "cuda/emulation/faults.h"

namespace lectern {

bool cuda::emulation::tries_gemv_kernels = false;

std::unique_ptr<Backend> cuda_emulated::make_backend(int) { throw std::logic_error("This build has no emulation of CUDA (LECTERN_EMULATION=OFF)."); }

cuda::PeakRates cuda_emulated::measure_peak_rates(int, std::size_t, int) { throw std::logic_error("This build has no emulation of CUDA (LECTERN_EMULATION=OFF)."); }

}  // namespace lectern
