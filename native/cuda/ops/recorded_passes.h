// Decode passes, whose calls are the same for every token: each is recorded once for a number of rows, then launched as one CUDA graph. C++17.
//
// A recorded pass can be launched again where the calls differ only in what lies in the device's memory (token ids, slots, positions). That is checked call by call: at the first call that
// differs from the recorded one the calls before it are queued one by one, and the pass goes on as if nothing had been recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/ops.h"
#include "cuda/runtime/runtime.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// Identifies a call: its op and all of its arguments that may differ from pass to pass.
class CallKey {
 public:
  template <class... Parts>
  explicit CallKey(int op, Parts... parts) : value_(static_cast<std::uint64_t>(op) + 1) {
    (mix(bits(parts)), ...);
  }
  bool operator==(const CallKey& other) const { return value_ == other.value_; }

 private:
  static std::uint64_t bits(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
  static std::uint64_t bits(int number) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(number)); }
  /// Each step is a bijection, so two keys of one length are equal for equal parts, and for others with a probability of 2^-64.
  void mix(std::uint64_t part) {
    value_ = (value_ ^ part) * 0x9E3779B97F4A7C15U;
    value_ ^= value_ >> 29;
  }

  std::uint64_t value_;
};

class RecordedPasses {
 public:
  explicit RecordedPasses(Stream stream) : stream_(stream) {}

  /// Begins a pass of `rows` decode rows and no others; 0: any other pass. The first pass with a number of rows runs as it is, because the code of a kernel is loaded at its first
  /// launch; the second one is recorded.
  void begin(int rows) {
    ++generation_;
    pass_ = rows == 0 || rows > most_rows ? nullptr : &passes_[rows - 1];
    next_ = 0;
    mode_ = Mode::runs;
    if (pass_ == nullptr) return;
    if (pass_->graph != nullptr) {
      mode_ = Mode::compares;
    } else if (pass_->seen && records_) {
      pass_->calls.clear();
      if (succeeds([&] { begin_recording(stream_); })) mode_ = Mode::records;
    } else {
      pass_->seen = true;
    }
  }

  /// What the op that returned `prepared` left, if no op has come between; else nothing.
  PreparedRows valid(const PreparedRows& prepared) const { return prepared.generation == generation_ ? prepared : PreparedRows{}; }

  /// `work` queues the kernels of a call, now or never, and returns what it prepares for the next call. `key` identifies the call.
  template <class Work>
  PreparedRows call(const CallKey& key, const Work& work) {
    ++generation_;
    PreparedRows prepared;
    if (mode_ == Mode::compares && next_ < pass_->calls.size() && pass_->calls[next_].key == key) {
      prepared = pass_->calls[next_++].prepared;
    } else {
      if (mode_ == Mode::compares) run_apart();
      prepared = work();
      if (mode_ == Mode::records) pass_->calls.push_back({key, work, prepared});
    }
    prepared.generation = generation_;
    return prepared;
  }

  /// The next call cannot be recorded: the calls before it are queued one by one.
  void run_apart() {
    if (mode_ == Mode::records) {
      // What was recorded has not run.
      const Graph dropped(end_recording(stream_));
      next_ = pass_->calls.size();
    }
    if (mode_ == Mode::runs) return;
    mode_ = Mode::runs;
    for (std::size_t i = 0; i < next_; ++i) pass_->calls[i].work();
  }

  void end() {
    if (mode_ == Mode::compares && next_ < pass_->calls.size()) run_apart();
    if (mode_ == Mode::runs) return;
    const bool whole = mode_ == Mode::compares || succeeds([&] { pass_->graph = std::make_unique<Graph>(end_recording(stream_)); });
    mode_ = Mode::runs;
    if (whole) return pass_->graph->launch(stream_);
    for (const Call& call : pass_->calls) call.work();
  }

 private:
  static constexpr int most_rows = 8;
  enum class Mode { runs, records, compares };
  struct Call {
    CallKey key;
    std::function<PreparedRows()> work;
    PreparedRows prepared;  // what the work returned when it was recorded
  };
  struct Pass {
    bool seen = false;
    std::vector<Call> calls;
    std::unique_ptr<Graph> graph;
  };

  /// Whether the device can do a step of recording. After a failure, for want of memory or another reason, passes are queued call by call: a service must not fail for the sake of
  /// speed. Throws Error `device_lost` where nothing else works either.
  template <class Step>
  bool succeeds(const Step& step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      forget_error();
      synchronise(stream_);
      records_ = false;
      remark(std::string("Decode passes are queued call by call, which is slower: the device did not record one (") + error.what() + ").");
      return false;
    }
  }

  Stream stream_;
  bool records_ = true;
  Pass passes_[most_rows];
  Pass* pass_ = nullptr;
  std::size_t next_ = 0;
  Mode mode_ = Mode::runs;
  std::uint64_t generation_ = 0;  // of calls so far
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
