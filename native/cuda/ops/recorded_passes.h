// The passes of answers, whose calls are the same for every token: recorded once for each number of rows, then launched as one. C++17.
//
// Where a pass differs from what was recorded only in what lies in the device's memory (numbers of tokens, slots, positions), its calls
// need not be queued one by one. Whether it does is looked at call by call: one that is not the recorded one makes up for those before
// it, and the pass goes on as if nothing had been recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/runtime/runtime.h"
#include "error.h"

namespace lectern {
namespace LECTERN_CUDA_SPACE {

/// What tells a call from others: its op and everything of its arguments that may differ.
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
  /// Steps of a bijection each, so that two keys of one length are equal for equal parts, and else by one chance in 2^64.
  void mix(std::uint64_t part) {
    value_ = (value_ ^ part) * 0x9E3779B97F4A7C15U;
    value_ ^= value_ >> 29;
  }

  std::uint64_t value_;
};

class RecordedPasses {
 public:
  explicit RecordedPasses(Stream stream) : stream_(stream) {}

  /// A pass of `rows` rows, of answers alone; 0: any other pass. The first of each number runs as it is (a kernel's code is loaded with its
  /// first launch), the second is recorded.
  void begin(int rows) {
    pass_ = rows == 0 || rows > most_rows ? nullptr : &passes_[rows - 1];
    next_ = 0;
    mode_ = Mode::runs;
    if (pass_ == nullptr) return;
    if (pass_->graph != nullptr) {
      mode_ = Mode::compares;
    } else if (pass_->seen && records_) {
      pass_->calls.clear();
      if (takes([&] { begin_recording(stream_); })) mode_ = Mode::records;
    } else {
      pass_->seen = true;
    }
  }

  /// `work` queues the call's kernels, now or never. `key` says which it is.
  template <class Work>
  void call(const CallKey& key, const Work& work) {
    if (mode_ == Mode::compares) {
      if (next_ < pass_->calls.size() && pass_->calls[next_].key == key) {
        ++next_;
        return;
      }
      run_apart();
    } else if (mode_ == Mode::records) {
      pass_->calls.push_back({key, work});
    }
    work();
  }

  /// What follows cannot be recorded: what came before is queued one by one.
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
    const bool whole = mode_ == Mode::compares || takes([&] { pass_->graph = std::make_unique<Graph>(end_recording(stream_)); });
    mode_ = Mode::runs;
    if (whole) return pass_->graph->launch(stream_);
    for (const Call& call : pass_->calls) call.work();
  }

 private:
  static constexpr int most_rows = 4;
  enum class Mode { runs, records, compares };
  struct Call {
    CallKey key;
    std::function<void()> work;
  };
  struct Pass {
    bool seen = false;
    std::vector<Call> calls;
    std::unique_ptr<Graph> graph;
  };

  /// Whether the device takes a step of recording. One that does not, for want of memory or whatever it says, runs passes call by call from then
  /// on: what serves must not fail for what would only be quicker. Throws Error `device_lost` where nothing else works either.
  template <class Step>
  bool takes(const Step& step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      forget_error();
      synchronise(stream_);
      records_ = false;
      remark(std::string("Answers' passes are queued call by call, which is slower: the device did not record one (") + error.what() + ").");
      return false;
    }
  }

  Stream stream_;
  bool records_ = true;
  Pass passes_[most_rows];
  Pass* pass_ = nullptr;
  std::size_t next_ = 0;
  Mode mode_ = Mode::runs;
};

}  // namespace LECTERN_CUDA_SPACE
}  // namespace lectern
