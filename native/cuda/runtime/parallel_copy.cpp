#include "cuda/runtime/parallel_copy.h"

#include <algorithm>
#include <cstring>

namespace lectern::cuda {

ParallelCopy::ParallelCopy(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(static_cast<std::size_t>(i)); });
}

ParallelCopy::~ParallelCopy() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ParallelCopy::copy(void* to, const void* from, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    to_ = to;
    from_ = from;
    bytes_ = bytes;
    busy_ = threads_.size();
    ++turn_;
  }
  begin_.notify_all();
  copy_part(threads_.size());
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void ParallelCopy::work(std::size_t number) {
  unsigned done = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return leaving_ || turn_ != done; });
      if (leaving_) return;
      done = turn_;
    }
    copy_part(number);
    {
      const std::lock_guard lock(mutex_);
      --busy_;
    }
    end_.notify_one();
  }
}

void ParallelCopy::copy_part(std::size_t number) const {
  // Whole pages, so that no two threads wait for the same one.
  const std::size_t parts = threads_.size() + 1;
  const std::size_t part = ((bytes_ + parts - 1) / parts + 4095) / 4096 * 4096;
  const std::size_t first = std::min(bytes_, number * part);
  const std::size_t last = std::min(bytes_, first + part);
  if (first < last) std::memcpy(static_cast<char*>(to_) + first, static_cast<const char*>(from_) + first, last - first);
}

}  // namespace lectern::cuda
