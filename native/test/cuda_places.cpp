#include "cuda_places.h"

#include "cuda/runtime/backend.h"
#include "cuda/runtime/device.h"
#include "cuda/emulation/backend.h"
#include "harness.h"
#include "options.h"
#include "sanitized.h"

namespace lectern::test {

namespace {

#if defined(LECTERN_NO_EMULATION)
constexpr bool emulation_built = false;
#else
constexpr bool emulation_built = true;
#endif

}  // namespace

bool has_emulation() {
  if (emulation_built && !sanitized) return true;
  note(emulation_built ? "skipped: the emulation does not run under sanitizers" : "skipped: this build has no emulation");
  check(true, "nothing to run");
  return false;
}

bool tests_emulation() {
  if (!options().require_cuda) return has_emulation();
  note("skipped: a device is asked for, and this is a test of the emulation");
  check(true, "nothing to run");
  return false;
}

Place warpgroup_place() {
  return {"emulated warpgroups", [] { return cuda_emulated::make_backend(1); }};
}

std::vector<Place> places() {
  std::vector<Place> all;
  // A machine that is lent for its device has no time for the other.
  const bool device = !cuda::devices().empty();
  if (!(device && options().require_cuda) && has_emulation()) all.push_back({"emulated", [] { return cuda_emulated::make_backend(); }});
  if (device) {
    all.push_back({"device", [] { return cuda::make_backend(cuda::chosen_device); }});
  } else {
    check(!options().require_cuda, "--require-cuda: there is a device");
  }
  return all;
}

std::vector<Place> places_and_warpgroups() {
  std::vector<Place> all = places();
  if (emulation_built && !sanitized && !options().require_cuda) all.push_back(warpgroup_place());
  return all;
}

}  // namespace lectern::test
