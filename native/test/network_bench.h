// Benchmarks of networks from files: single layers of the kinds that they are made of.
#pragma once

namespace lectern::test {

/// Prints how many products a second convolutions and matrix products make, on one thread and on two.
void bench_network_layers();

}  // namespace lectern::test
