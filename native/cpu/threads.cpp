#include "cpu/threads.h"

#include <algorithm>

#if defined(__linux__)
#include <pthread.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lectern::cpu {
namespace {

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  // YIELD does nothing on most processors; ISB waits about as long as PAUSE does.
  __asm__ volatile("isb" ::: "memory");
#endif
}

// About 50 microseconds: longer than the time between two operations of a token, too short to be noticeable.
constexpr int spins_before_sleep = 1000;
constexpr std::uint64_t no_part = 0x7FFFFFFF;
// After this many spins the awaited thread is probably suspended: yield the processor.
constexpr int spins_before_yield = 2000;

}  // namespace

Threads::Threads(int count) : count_(count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {
  for (int thread = 1; thread < count_; thread++) threads_.emplace_back([this, thread] { serve(thread); });
}

Threads::~Threads() {
  closing_.store(true);
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Threads::share(int parts, Call call, void* context) {
  if (parts <= 0) return;
  const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
  // Ends the old round first, for threads that still read it: with the new number of parts it would appear to have parts left.
  next_.store(std::uint64_t{round} << 32 | no_part);
  parts_.store(parts);
  call_.store(call);
  context_.store(context);
  done_.store(0);
  next_.store(std::uint64_t{round} << 32, std::memory_order_release);
  round_.store(round);
  if (sleeping_.load() > 0) round_.notify_all();
  take_parts(round, 0);
  for (int spins = 0; done_.load(std::memory_order_acquire) < parts; spins++) {
    if (spins < spins_before_yield) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void Threads::take_parts(std::uint32_t round, int thread) {
  for (;;) {
    std::uint64_t next = next_.load(std::memory_order_acquire);
    if (next >> 32 != round) return;
    const int parts = parts_.load(std::memory_order_acquire);
    const Call call = call_.load(std::memory_order_acquire);
    void* const context = context_.load(std::memory_order_acquire);
    const int part = static_cast<int>(next & 0xFFFFFFFFU);
    if (part >= parts) return;
    // Success means that the round is still the one whose work was read, because its caller waits for this part.
    if (!next_.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) continue;
    call(context, part, thread);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void Threads::serve(int thread) {
#if defined(__linux__)
  pthread_setname_np(pthread_self(), "lectern-cpu");
#endif
  std::uint32_t seen = 0;
  for (;;) {
    int spins = 0;
    while (round_.load(std::memory_order_acquire) == seen && spins < spins_before_sleep) {
      pause();
      spins++;
    }
    if (round_.load(std::memory_order_acquire) == seen) {
      sleeping_.fetch_add(1);
      round_.wait(seen);
      sleeping_.fetch_sub(1);
    }
    seen = round_.load(std::memory_order_acquire);
    if (closing_.load()) return;
    take_parts(seen, thread);
  }
}

}  // namespace lectern::cpu
