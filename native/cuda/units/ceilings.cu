// The peak rates of a GPU.
#include "cuda/runtime/ceilings.h"

#include <algorithm>
#include <chrono>

#include "cuda/kernels/common/ceilings.cuh"
#include "cuda/runtime/runtime.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// An idle GPU takes tens of milliseconds to reach its clocks, and may lower them soon after under full load.
constexpr double least_seconds = 0.3;

template <class Work>
double best_seconds(Stream stream, const Work& work) {
  double best = 1e9;
  const auto first = Clock::now();
  for (int turn = 0; turn < 6 || seconds_since(first) < least_seconds; ++turn) {
    const auto begin = Clock::now();
    work();
    synchronise(stream);
    best = std::min(best, seconds_since(begin));
  }
  check_launches();
  return best;
}

}  // namespace

cuda::PeakRates measure_peak_rates(int device, std::size_t bytes, int turns) {
  struct OwnStream {
    explicit OwnStream(int device) : stream(open_stream(device)) {}
    ~OwnStream() { close_stream(stream); }
    Stream stream;
  } const own(device);
  const DeviceArray<std::uint8_t> memory(bytes);
  const DeviceArray<std::uint32_t> sink(1);
  clear(own.stream, memory.get(), bytes);
  const int processors = multiprocessors(device);
  const double reading = best_seconds(own.stream, [&] {
    launch(own.stream, read_everything, Grid{8 * processors}, peak_threads, static_cast<const std::uint8_t*>(memory.get()), bytes / 16, sink.get());
  });
  // Two blocks of eight warps keep the four partitions of a multiprocessor busy.
  const double multiplying = best_seconds(own.stream, [&] {
    launch(own.stream, multiply_everything, Grid{2 * processors}, peak_threads, turns, reinterpret_cast<float*>(sink.get()));
  });
  const double operations = 2.0 * processors * (peak_threads / 32) * turns * 8 * 4096;
  return {static_cast<double>(bytes) / reading, operations / multiplying};
}

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
