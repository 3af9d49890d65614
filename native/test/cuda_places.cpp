#include "cuda_places.h"

#include "cuda/backend.h"
#include "cuda/device.h"
#include "cuda/emulation/backend.h"
#include "harness.h"
#include "options.h"
#include "sanitized.h"

namespace lectern::test {

bool has_emulation() {
  if (!sanitized) return true;
  note("skipped: the emulation does not run under sanitizers");
  check(true, "nothing to run");
  return false;
}

Place emulation_place() {
  return {"emulated", [] { return cuda_emulated::make_backend(); }};
}

std::vector<Place> places() {
  std::vector<Place> all;
  // A machine that is lent for its device has no time for the other.
  const bool device = !cuda::devices().empty();
  if (!(device && options().require_cuda) && has_emulation()) all.push_back(emulation_place());
  if (device) {
    all.push_back({"device", [] { return cuda::make_backend(cuda::chosen_device); }});
  } else {
    check(!options().require_cuda, "--require-cuda: there is a device");
  }
  return all;
}

}  // namespace lectern::test
