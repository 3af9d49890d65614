// Helpers of the trials (warpgroup_selection.cuh, attention_selection.cuh, gemv_selection.cuh): two kernels get the same random numbers, and
// where they differ the newer one is not used. C++17.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/kernels/layout/bit_planes.cuh"
#include "cuda/runtime/runtime.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Pseudo-random numbers, the same in every trial.
class TrialRandom {
 public:
  /// 16 bits.
  std::uint32_t next() { return step() >> 16; }
  /// From -2 to 2.
  float value() { return static_cast<float>(step() >> 8) / static_cast<float>(1U << 22) - 2.0F; }

 private:
  std::uint32_t step() { return state_ = state_ * 1664525U + 1013904223U; }
  std::uint32_t state_ = 1;
};

/// A quantised matrix in its repacked form: random quants, and scales of 0.05 or what the same bytes mean in the other planes.
inline std::vector<std::uint8_t> trial_weights(DType type, int columns, int rows) {
  TrialRandom noise;
  const std::size_t pitch = repacked_row_bytes(type, columns);
  const auto scales = static_cast<std::size_t>(plane_offsets(plane_shape(type), columns / 32).scale);
  std::vector<std::uint8_t> all(pitch * static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t at = i % pitch;
    all[i] = at < scales ? static_cast<std::uint8_t>(noise.next()) : at % 2 == 0 ? 0x66 : 0x2A;
  }
  return all;
}

/// Waits for the work of a trial. Throws what the runtime throws, and Error `device_lost` where it takes 30 s, for microseconds of work on a device that may be
/// shared: no later call would report a kernel that never ends.
inline void finish_trial(Stream stream) {
  constexpr int most_seconds = 30;
  check_launches();
  Event done;
  done.record(stream);
  if (done.completes_within(most_seconds)) return;
  // The exception releases memory on its way, which would wait for the kernel.
  never_release_memory();
  throw Error(ErrorCode::device_lost, "The GPU did not respond for " + std::to_string(most_seconds) + " s.");
}

/// The distance of `got` from `right`, relative to the size of `right`; NaN counts as far.
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
