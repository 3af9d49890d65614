// Scratch memory of each thread during an operation. It grows to the size that the largest operation needs and is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "cpu/fast_ops.h"
#include "cpu/kernels/network.h"

namespace lectern::cpu {

class Workspace {
 public:
  /// Reserves this many floats for each of `threads` threads; earlier contents are lost. Throws Error `out_of_memory`, and the errors of counting the memory.
  void reserve(int threads, std::size_t floats) {
    if (static_cast<int>(parts_.size()) >= threads && floats <= floats_) return;
    parts_.clear();
    floats_ = 0;
    if (hold_) hold_(static_cast<std::size_t>(threads) * floats * sizeof(float));
    for (int thread = 0; thread < threads; thread++) parts_.emplace_back(floats * sizeof(float));
    floats_ = floats;
  }

  /// As GraphOps::count_scratch().
  void count(std::function<void(std::size_t bytes)> hold) { hold_ = std::move(hold); }

  float* of(int thread) { return parts_[static_cast<std::size_t>(thread)].floats(); }

 private:
  std::size_t floats_ = 0;
  std::vector<LargeMemory> parts_;
  std::function<void(std::size_t bytes)> hold_;
};

/// The state that operations of networks share: kernels, threads, memory. One operation at a time.
struct GraphContext {
  const NetworkKernels& kernels;
  Threads& threads;
  Workspace workspace{};
};

}  // namespace lectern::cpu
