// The lane's promises: order, one thread, every job's outcome, and its two ways to end.
#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <thread>
#include <vector>

#include "engine/lane.h"
#include "harness.h"

namespace lectern {
namespace {

using test::check;
using test::check_throws;

/// Collects outcomes on the lane's thread; read it once the lane is gone.
struct Outcomes {
  std::vector<Outcome<int>> all;
  Done<int> done() {
    return [this](Outcome<int> outcome) { all.push_back(std::move(outcome)); };
  }
  int count(ErrorCode code) const {
    int found = 0;
    for (const auto& outcome : all) {
      const Error* error = std::get_if<Error>(&outcome);
      found += error != nullptr && error->code() == code;
    }
    return found;
  }
};

std::shared_ptr<Cancel> fresh() { return std::make_shared<Cancel>(); }

LECTERN_TEST("lane: jobs run in the order they came, on one thread, and close lets them finish") {
  Outcomes outcomes;
  std::set<std::thread::id> threads;
  {
    Lane lane("test");
    std::promise<void> ended;
    for (int i = 0; i < 100; ++i) {
      lane.submit<int>(
          fresh(),
          [&threads, i](const Cancel&) {
            threads.insert(std::this_thread::get_id());
            return i;
          },
          outcomes.done());
    }
    lane.submit<int>(fresh(), [](const Cancel&) { return -1; }, [&](Outcome<int>) { ended.set_value(); });
    lane.close();
    ended.get_future().wait();
  }
  check(outcomes.all.size() == 100, "all ran");
  for (int i = 0; i < static_cast<int>(outcomes.all.size()); ++i) {
    check(std::get<int>(outcomes.all[static_cast<std::size_t>(i)]) == i, "in order");
  }
  check(threads.size() == 1 && !threads.contains(std::this_thread::get_id()), "one thread, not the caller's");
}

LECTERN_TEST("lane: what a job throws is its outcome, and the next one runs") {
  Outcomes outcomes;
  {
    Lane lane("test");
    std::promise<void> ended;
    lane.submit<int>(fresh(), [](const Cancel&) -> int { throw Error(ErrorCode::invalid_model, "bad"); }, outcomes.done());
    lane.submit<int>(fresh(), [](const Cancel&) -> int { throw std::runtime_error("a defect"); }, outcomes.done());
    lane.submit<int>(fresh(), [](const Cancel&) { return 3; }, [&](Outcome<int> outcome) {
      outcomes.all.push_back(std::move(outcome));
      ended.set_value();
    });
    ended.get_future().wait();
  }
  check(outcomes.all.size() == 3, "three outcomes");
  check(outcomes.count(ErrorCode::invalid_model) == 1 && outcomes.count(ErrorCode::internal) == 1, "both errors");
  check(std::get<int>(outcomes.all.back()) == 3, "the value after them");
}

LECTERN_TEST("lane: cancel_all ends the running job and those that wait, each with its outcome") {
  Outcomes outcomes;
  std::atomic<int> begun{0};
  {
    Lane lane("test");
    std::promise<void> running;
    lane.submit<int>(
        fresh(),
        [&](const Cancel& cancel) -> int {
          ++begun;
          running.set_value();
          for (;;) {
            cancel.check();
            std::this_thread::yield();
          }
        },
        outcomes.done());
    for (int i = 0; i < 10; ++i) {
      lane.submit<int>(fresh(), [&](const Cancel&) { return ++begun; }, outcomes.done());
    }
    running.get_future().wait();
    lane.cancel_all();
    std::promise<void> ended;
    lane.submit<int>(fresh(), [](const Cancel&) { return 7; }, [&](Outcome<int> outcome) {
      outcomes.all.push_back(std::move(outcome));
      ended.set_value();
    });
    ended.get_future().wait();
  }
  check(outcomes.count(ErrorCode::cancelled) == 11, "all eleven cancelled");
  check(begun == 1, "the waiting ones never began");
  check(outcomes.all.size() == 12 && std::get<int>(outcomes.all.back()) == 7, "a later job is not cancelled");
}

LECTERN_TEST("lane: one job is cancelled by its own flag alone") {
  Outcomes outcomes;
  {
    Lane lane("test");
    std::promise<void> gate;
    std::promise<void> ended;
    const auto opened = gate.get_future().share();
    lane.submit<int>(fresh(), [opened](const Cancel&) { opened.wait(); return 1; }, outcomes.done());
    const auto flag = fresh();
    lane.submit<int>(flag, [](const Cancel&) { return 2; }, outcomes.done());
    lane.submit<int>(fresh(), [](const Cancel&) { return 3; }, [&](Outcome<int> outcome) {
      outcomes.all.push_back(std::move(outcome));
      ended.set_value();
    });
    flag->request();
    gate.set_value();
    ended.get_future().wait();
  }
  check(std::get<int>(outcomes.all.front()) == 1 && std::get<int>(outcomes.all.back()) == 3, "its neighbours ran");
  check(outcomes.all.size() == 3 && outcomes.count(ErrorCode::cancelled) == 1, "it did not");
}

LECTERN_TEST("lane: work in turns lets other jobs in between, and goes on after close until it ends itself") {
  Outcomes outcomes;
  std::atomic<int> turns{0};
  std::atomic<bool> stop{false};
  {
    Lane lane("test");
    lane.repeat(fresh(), [&](const Cancel&) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      return ++turns < 100000 && !stop;
    });
    for (int i = 0; i < 20; ++i) lane.submit<int>(fresh(), [&](const Cancel&) { return turns.load(); }, outcomes.done());
    while (turns < 20) std::this_thread::yield();
    lane.close();
    const int at_close = turns;
    while (turns < at_close + 20) std::this_thread::yield();
    stop = true;
  }
  check(outcomes.all.size() == 20 && std::get<int>(outcomes.all.back()) < turns, "the jobs came in between");
  check(turns < 100000, "it ended when it said so");
}

LECTERN_TEST("lane: work in turns receives a cancel and is called until it returns false") {
  int told = 0;
  {
    Lane lane("test");
    std::promise<void> begun;
    lane.repeat(fresh(), [&, first = true](const Cancel& cancel) mutable {
      if (std::exchange(first, false)) begun.set_value();
      std::this_thread::yield();
      return !cancel.requested() || ++told < 3;
    });
    begun.get_future().wait();
  }
  check(told == 3, "three turns after the cancel");
}

LECTERN_TEST("lane: after close it takes no job") {
  Lane lane("test");
  lane.close();
  lane.close();
  check_throws(ErrorCode::invalid_state,
               [&] { lane.submit<int>(fresh(), [](const Cancel&) { return 1; }, [](Outcome<int>) {}); }, "submit");
}

LECTERN_TEST("lane: to destroy it cancels and waits, at every moment of a job") {
  for (int round = 0; round < 200; ++round) {
    Outcomes outcomes;
    const int jobs = round % 4;
    {
      Lane lane("test");
      for (int i = 0; i < jobs; ++i) {
        lane.submit<int>(
            fresh(),
            [](const Cancel& cancel) {
              for (int step = 0; step < 50; ++step) {
                cancel.check();
                std::this_thread::yield();
              }
              return 1;
            },
            outcomes.done());
      }
      if (round % 3 == 0) std::this_thread::yield();
    }
    check(static_cast<int>(outcomes.all.size()) == jobs, "every job has its outcome");
  }
}

LECTERN_TEST("lane: jobs may come from several threads at once") {
  Outcomes outcomes;
  {
    Lane lane("test");
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&] {
        for (int i = 0; i < 250; ++i) lane.submit<int>(fresh(), [i](const Cancel&) { return i; }, outcomes.done());
      });
    }
    for (std::thread& caller : callers) caller.join();
    std::promise<void> ended;
    lane.submit<int>(fresh(), [](const Cancel&) { return 0; }, [&](Outcome<int>) { ended.set_value(); });
    ended.get_future().wait();
  }
  check(outcomes.all.size() == 1000, "none is lost");
}

}  // namespace
}  // namespace lectern
