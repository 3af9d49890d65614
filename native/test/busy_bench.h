// Decode on a machine that others use too.
#pragma once

namespace lectern::test {

/// Prints how fast small models continue a text alone and beside threads that never rest; medians of alternating runs.
void bench_busy();

}  // namespace lectern::test
