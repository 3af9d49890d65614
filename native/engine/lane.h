// A thread with one queue, and the only lock of the engine. One per loaded model, so that code that runs on it needs no lock.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "cancel.h"
#include "error.h"

namespace lectern {

/// What became of a job: its value, or the error that stands for it.
template <class Value>
using Outcome = std::variant<Value, Error>;

/// Called once per job, on the lane's thread, and must not throw.
template <class Value>
using Done = std::function<void(Outcome<Value>)>;

class Lane {
 public:
  /// Starts the thread; `name` (15 characters are kept) is what a debugger or `top -H` shows, `closed_sentence` what a caller
  /// reads who is late.
  explicit Lane(const std::string& name, std::string closed_sentence = "The engine is closed.");
  /// Cancels what is left, waits for it and joins.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Queues `work(const Cancel&) -> Value`; jobs run one at a time, in the order they came. `done` gets the outcome of every
  /// job that was accepted, also after a cancel. From any thread; throws Error `invalid_state` once the lane is closed.
  template <class Value, class Work>
  void submit(std::shared_ptr<Cancel> cancel, Work work, Done<Value> done);

  /// Queues `turn`, and again behind what waits by then, for as long as it returns true: long work that lets other jobs in
  /// between. `turn` must not throw, and is called with its flag set too. It ends the work itself: also on a closed lane it is
  /// called until it returns false. Otherwise as submit().
  void repeat(std::shared_ptr<Cancel> cancel, std::function<bool(const Cancel&)> turn);

  /// Sets the flag of every job that is queued or running: each still reaches its `done`, as `cancelled`.
  void cancel_all();

  /// Takes no more jobs; those queued still run. Does not wait.
  void close();

 private:
  struct Job {
    std::shared_ptr<Cancel> cancel;
    std::function<bool()> run;  // whether to queue it again
  };

  void push(Job job);
  void work_off();

  const std::string closed_sentence_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::shared_ptr<Cancel> running_;
  bool closed_ = false;
  std::thread thread_;  // last: it reads the members above
};

template <class Value, class Work>
void Lane::submit(std::shared_ptr<Cancel> cancel, Work work, Done<Value> done) {
  auto run = [flag = cancel, work = std::move(work), done = std::move(done)] {
    // The one catch of the lane.
    const auto outcome = [&]() -> Outcome<Value> {
      try {
        // A job cancelled while it waited costs nothing.
        flag->check();
        return work(static_cast<const Cancel&>(*flag));
      } catch (...) {
        return as_error(std::current_exception());
      }
    };
    done(outcome());
    return false;
  };
  push({std::move(cancel), std::move(run)});
}

}  // namespace lectern
