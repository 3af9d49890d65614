// What a GPU reaches with language models, against what it shows it can.
#pragma once

#include <filesystem>

namespace lectern::test {

struct GpuBenchOptions {
  bool emulated;                  // shapes and files of toys
  double seconds;                 // rows that would begin later are marked as not measured
  std::filesystem::path folder;   // for a file of 10 GB
  int part;                       // 0: ceilings of the card; from 1 on: the models, one each; then loading
};

/// Prints a part of a report in Markdown, row by row as they are measured; false where there is no such part. A process each, so that a kernel
/// that faults in one takes no other along. Throws Error where there is no such device.
bool bench_gpu(const GpuBenchOptions& options);

}  // namespace lectern::test
