// Pictures per second of a conformance pack's networks on a device.
#pragma once

#include <filesystem>

#include "backend/backend.h"

namespace lectern::test {

/// Prints a row for each network of `pack`, for batches of 1 and, where the network takes them, of 8: the middle of several runs, with the
/// way of the pictures to the device and of the results back. `toy`: one run of one picture each, to see that the rows come.
void bench_networks(Backend& device, Backend& host, const std::filesystem::path& pack, bool toy);

}  // namespace lectern::test
