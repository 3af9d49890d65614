// Copies by several threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace lectern::cuda {

/// One thread's copy from a mapped file is slower than the bus to a GPU: it waits for memory, and for pages that are not loaded yet.
class ParallelCopy {
 public:
  /// With so many threads in addition to the caller's, 0 or more.
  explicit ParallelCopy(int threads);
  ~ParallelCopy();
  ParallelCopy(const ParallelCopy&) = delete;
  ParallelCopy& operator=(const ParallelCopy&) = delete;

  /// Returns when all is copied. One caller at a time.
  void copy(void* to, const void* from, std::size_t bytes);

 private:
  void work(std::size_t number);
  void copy_part(std::size_t number) const;

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  unsigned turn_ = 0;  // number of copies so far
  std::size_t busy_ = 0;
  bool leaving_ = false;
  void* to_ = nullptr;
  const void* from_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace lectern::cuda
