// The threads that share the work of an operation. They spin for a moment between operations and then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace lectern::cpu {

class Threads {
 public:
  /// `count` includes the caller of each(); 0: one per processor.
  explicit Threads(int count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }

  /// Calls work(part, thread) for every part below `parts`, on any of the threads, and returns when all are done. The assignment
  /// of parts is open: a free thread takes the next part, so that a thread that the system suspends delays
  /// only its current part. `work` must not throw. One caller at a time.
  template <class Work>
  void each(int parts, Work& work) {
    if (parts == 1 || count_ == 1) {
      for (int part = 0; part < parts; part++) work(part, 0);
      return;
    }
    share(parts, [](void* context, int part, int thread) { (*static_cast<Work*>(context))(part, thread); }, &work);
  }

 private:
  using Call = void (*)(void* context, int part, int thread);

  void share(int parts, Call call, void* context);
  void take_parts(std::uint32_t round, int thread);
  void serve(int thread);

  int count_;
  // The round in the high half, the next part in the low half: a late thread detects that its round is over.
  alignas(64) std::atomic<std::uint64_t> next_{0};
  alignas(64) std::atomic<int> done_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
  std::atomic<int> sleeping_{0};
  std::atomic<bool> closing_{false};
  std::atomic<int> parts_{0};
  std::atomic<Call> call_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::vector<std::thread> threads_;  // declared last: the threads read the members above
};

}  // namespace lectern::cpu
