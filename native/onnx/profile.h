// The cost of each node of a run.
#pragma once

#include <string>
#include <vector>


namespace lectern::onnx {

struct Profile {
  struct Entry {
    std::string op;
    std::string name;
    double seconds;
  };
  /// In the order of the run, with an entry for each iteration of a loop. Queued work counts where the host waits for it.
  std::vector<Entry> entries;
};

}  // namespace lectern::onnx
