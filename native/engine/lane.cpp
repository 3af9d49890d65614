// The queue and the loop of a lane.
#include "engine/lane.h"

#if defined(__linux__)
#include <pthread.h>
#endif

namespace lectern {

Lane::Lane(const std::string& name, std::string closed_sentence)
    : closed_sentence_(std::move(closed_sentence)), thread_([this, name] {
#if defined(__linux__)
        pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
#endif
        work_off();
      }) {}

Lane::~Lane() {
  cancel_all();
  close();
  thread_.join();
}

void Lane::push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) throw Error(ErrorCode::invalid_state, closed_sentence_);
    queue_.push_back(std::move(job));
  }
  changed_.notify_one();
}

void Lane::repeat(std::shared_ptr<Cancel> cancel, std::function<bool(const Cancel&)> turn) {
  auto run = [flag = cancel, turn = std::move(turn)] { return turn(*flag); };
  push({std::move(cancel), std::move(run)});
}

void Lane::cancel_all() {
  const std::lock_guard lock(mutex_);
  if (running_) running_->request();
  for (const Job& job : queue_) job.cancel->request();
}

void Lane::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

void Lane::work_off() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    running_ = job.cancel;
    lock.unlock();
    const bool again = job.run();
    // A job that is through is destroyed unlocked as well: what it holds may be large.
    if (!again) job = {};
    lock.lock();
    running_.reset();
    if (again) queue_.push_back(std::move(job));
  }
}

}  // namespace lectern
