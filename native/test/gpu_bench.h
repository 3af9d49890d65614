// What a GPU reaches with language models, against what it shows it can.
#pragma once

#include <filesystem>

namespace lectern::test {

struct GpuBenchOptions {
  bool emulated;                  // shapes and files of toys
  double seconds;                 // rows that would begin later are marked as not measured
  std::filesystem::path folder;   // for a file of 10 GB
};

/// Prints a report in Markdown, row by row as they are measured: ceilings of the card, loading, answers, prompts, texts. Throws Error where
/// there is no such device.
void bench_gpu(const GpuBenchOptions& options);

}  // namespace lectern::test
