// A network from a file, held open and timed on command.
#pragma once

#include <string>

namespace lectern::test {

/// Prints `ready SECONDS 0 THREADS INSTRUCTIONS`, then for each line of standard input `run COUNT 1x3x48x320 FILE` (raw floats for
/// the network's first input) `done SECONDS`, the middle one of COUNT runs, or `failed WHY`.
void serve_network_bench(const std::string& path, int threads);

/// Prints what each kind of node costs in the middle one of `count` runs, and the dearest nodes.
void profile_network(const std::string& path, int threads, int count, const std::string& shape, const std::string& input);

}  // namespace lectern::test
