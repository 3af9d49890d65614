// Batches calls that wait on a lane: calls of several documents become one batch, and each gets the result that it would get alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/lane.h"

namespace lectern {

/// Waiting calls of one kind on one lane. `Item` is the argument of a call, `Value` its result.
template <class Item, class Value>
class RequestBatcher {
 public:
  /// Throws or gives a value for each item, in their order; a value must not depend on the other items.
  using Work = std::function<std::vector<Value>(std::span<const Item>, const Cancel&)>;

  /// Queues the item. When its turn comes, it and up to `most()` - 1 of those that wait behind it go through `work` at once, under its flag; where that throws, it goes alone, and
  /// the others in their own turns: what is wrong with one, or with so many at once, is no other's error. `most` and `work` run on the lane. From any thread; otherwise as
  /// Lane::submit().
  void submit(Lane& lane, Item item, std::shared_ptr<Cancel> cancel, std::function<std::size_t()> most, Work work, Done<Value> done) {
    const auto call = std::make_shared<Call>(Call{std::move(item), cancel, std::nullopt});
    const auto leave = [this, call] {
      const std::lock_guard lock(mutex_);
      std::erase(waiting_, call);
    };
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(call);
    }
    const auto turn = [this, call, most = std::move(most), work = std::move(work)](const Cancel& flag) {
      if (!call->value) take(call, most(), work, flag);
      return std::move(*call->value);
    };
    // Before the memory that the item refers to is freed, the call must leave the queue, so that no batch takes it.
    const auto settle = [leave, done = std::move(done)](Outcome<Value> outcome) {
      leave();
      done(std::move(outcome));
    };
    try {
      lane.submit<Value>(std::move(cancel), turn, settle);
    } catch (...) {
      leave();
      throw;
    }
  }

 private:
  /// Written on the lane alone.
  struct Call {
    Item item;
    std::shared_ptr<Cancel> cancel;
    std::optional<Value> value;
  };

  std::vector<std::shared_ptr<Call>> batch_of(const std::shared_ptr<Call>& first, std::size_t most) {
    std::vector<std::shared_ptr<Call>> taken{first};
    const std::lock_guard lock(mutex_);
    for (const auto& call : waiting_) {
      if (taken.size() >= most) break;
      if (call != first && !call->value && !call->cancel->requested()) taken.push_back(call);
    }
    return taken;
  }

  void take(const std::shared_ptr<Call>& first, std::size_t most, const Work& work, const Cancel& flag) {
    const auto run = [&](const std::vector<std::shared_ptr<Call>>& calls) {
      std::vector<Item> items;
      for (const auto& call : calls) items.push_back(call->item);
      std::vector<Value> values = work(items, flag);
      for (std::size_t i = 0; i < calls.size(); ++i) calls[i]->value = std::move(values[i]);
    };
    const auto calls = batch_of(first, most);
    try {
      run(calls);
    } catch (...) {
      flag.check();
      if (calls.size() == 1) throw;
      run({first});
    }
  }

  std::mutex mutex_;
  std::deque<std::shared_ptr<Call>> waiting_;
};

}  // namespace lectern
