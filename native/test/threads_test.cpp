// The threads of the processor's operations: every part once, whatever the company.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "cpu/threads.h"
#include "harness.h"

namespace lectern {
namespace {

using test::check;

LECTERN_TEST("cpu: every part of every round runs exactly once") {
  for (const int count : {1, 2, 5}) {
    cpu::Threads threads(count);
    check(threads.count() == count, "threads");
    bool all = true;
    for (int round = 0; round < 2000; round++) {
      const int parts = round % 23;
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(parts));
      auto work = [&](int part, int thread) {
        if (thread < 0 || thread >= count) calls[static_cast<std::size_t>(part)] += 100;
        calls[static_cast<std::size_t>(part)]++;
      };
      threads.each(parts, work);
      for (const std::atomic<int>& number : calls) all = all && number == 1;
      // Some rounds find the others asleep.
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    check(all, "each part once with " + std::to_string(count) + " threads");
  }
}

LECTERN_TEST("cpu: what the parts wrote is seen when the round is over") {
  cpu::Threads threads(3);
  bool all = true;
  std::vector<int> written(64);
  for (int round = 1; round <= 2000; round++) {
    auto work = [&](int part, int) { written[static_cast<std::size_t>(part)] = round; };
    threads.each(64, work);
    for (const int value : written) all = all && value == round;
  }
  check(all, "every write");
}

LECTERN_TEST("cpu: a thread that is put aside holds up its own part and no other") {
  for (const int count : {2, 4}) {
    cpu::Threads threads(count);
    for (const int held : {0, 20, 63}) {
      std::atomic<int> finished{0};
      bool others_ran = false;
      auto work = [&](int part, int) {
        if (part != held) {
          finished++;
          return;
        }
        // As if the system had given its processor away, until the rest is through or it is clear that it never will be.
        for (int waited_ms = 0; waited_ms < 60'000 && finished < 63; waited_ms++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        others_ran = finished == 63;
      };
      threads.each(64, work);
      check(others_ran, std::to_string(count) + " threads, part " + std::to_string(held) + " is held");
    }
  }
}

}  // namespace
}  // namespace lectern
