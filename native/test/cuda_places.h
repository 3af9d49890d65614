// Where the CUDA kernels run in tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace lectern::test {

/// The emulation jumps between stacks behind a sanitizer's back; says so, and counts a check, where it must not run.
bool has_emulation();

/// The same for tests of the emulation itself, which a machine that is lent for its device has no time for.
bool tests_emulation();

struct Place {
  std::string name;
  std::unique_ptr<Backend> (*make)();
};

/// The emulated device that has warpgroups. A device on which the kernels run has them or not.
Place warpgroup_place();

/// The emulation, and the first device that responds; that alone where a device is required. Where a device is required and none responds, a check fails.
std::vector<Place> places();

/// And the emulated device with warpgroups, where the emulation may run.
std::vector<Place> places_and_warpgroups();

}  // namespace lectern::test
