// What trials of kernels on a device have in common (group_choice.cuh, attention_choice.cuh): two kernels get the same made numbers, and where they
// differ the quicker one is not used. C++17.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "cuda/runtime.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Waits for what a trial has queued. Throws what the runtime does, and Error `device_lost` where that takes 30 s, of microseconds of work on a device that others may
/// use: a kernel that never ends is nothing that a later call would tell.
inline void finish_trial(Stream stream) {
  constexpr int most_seconds = 30;
  check_launches();
  Event done;
  done.record(stream);
  if (!done.comes_within(most_seconds)) throw Error(ErrorCode::device_lost, "The GPU has not answered for " + std::to_string(most_seconds) + " s.");
}

/// How far `got` is from `right`, as a share of its size; of as many numbers. What is no number is far.
inline double trial_distance(const std::vector<float>& got, const std::vector<float>& right) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    difference += std::pow(static_cast<double>(got[i]) - static_cast<double>(right[i]), 2);
    size += std::pow(static_cast<double>(right[i]), 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
