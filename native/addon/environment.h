// The state of one JavaScript environment (the main thread or a worker thread): engines, models, pending calls, the completion queue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <napi.h>

#include "completion.h"
#include "engine/engine.h"
#include "engine/language_model.h"
#include "engine/vision_model.h"
#include "error.h"

namespace lectern::addon {

/// The JavaScript error for a native one: `message`, and `code` beside it.
Napi::Error to_javascript(Napi::Env env, const Error& error);

/// A promise that was given out, and what must live until it settles.
struct Call {
  Napi::Promise::Deferred deferred;
  std::vector<Napi::ObjectReference> borrowed;
  Napi::FunctionReference callback;  // or empty
};

/// The open models of one kind, and the class that their handles are made with.
template <class Model>
class OpenModels {
 public:
  using Id = std::uint64_t;

  Id add(Id id) {
    models_[id] = std::make_unique<Model>();
    return id;
  }
  Model& at(Id id) { return *models_.at(id); }
  /// Cancels what it does and waits for the end of that.
  void drop(Id id) { models_.erase(id); }
  void end() {
    models_.clear();
    handle_class.Reset();
  }

  Napi::FunctionReference handle_class;

 private:
  std::unordered_map<Id, std::unique_ptr<Model>> models_;
};

/// Everything here happens on the environment's own thread but for the Done that `deliver` returns and the Log of an engine.
class Environment : public std::enable_shared_from_this<Environment> {
 public:
  using Id = std::uint64_t;

  /// Called once per environment, when the module is loaded there.
  static void create(Napi::Env env);
  static std::shared_ptr<Environment> of(Napi::Env env);

  explicit Environment(Napi::Env env) : completion_(env) {}

  /// `log` may be empty. Engines end with the environment at the latest.
  Id open_engine(const Napi::Function& log, const std::optional<cuda::KernelOptions>& kernels);
  Engine& engine(Id id) { return *engines_.at(id).engine; }
  /// Waits for the engine's lanes, whose jobs are cancelled.
  void drop_engine(Id id) { engines_.erase(id); }

  /// The models of one kind that are open: LanguageModel or VisionModel.
  template <class Model>
  OpenModels<Model>& models() { return std::get<OpenModels<Model>>(models_); }
  /// A model that is not loaded yet; it ends with the environment at the latest.
  template <class Model>
  Id open_model() { return models<Model>().add(next_id_++); }

  /// Opens a call and lets `begin(Id)` start it; what `begin` throws becomes the rejection.
  template <class Begin>
  Napi::Value promise(Napi::Env env, Begin begin);

  /// Keeps an object alive, where it is, until the call settles.
  void borrow(Id call, const Napi::Object& object) { calls_.at(call).borrowed.push_back(Napi::Persistent(object)); }

  /// Keeps the function that call_back() calls while the call is open.
  void keep_callback(Id call, const Napi::Function& function) { calls_.at(call).callback = Napi::Persistent(function); }
  /// Nothing when the call is settled or keeps none.
  void call_back(Id call, const Napi::Value& value);
  /// From any thread: runs `closure` here, after what was posted before.
  void post(Completion::Closure closure) { completion_.post(std::move(closure)); }

  /// For the engine: settles the call with `to_value(Napi::Env, const Call&, Value)` or with the error, before
  /// which `if_failed` is called.
  template <class Value, class ToValue>
  Done<Value> deliver(Id call, ToValue to_value, std::function<void()> if_failed = {});

 private:
  struct OpenEngine {
    std::unique_ptr<Engine> engine;
    Napi::FunctionReference log;
  };

  Call take(Napi::Env env, Id call);
  void reject(Napi::Env env, Id call, napi_value reason) { take(env, call).deferred.Reject(reason); }
  void end();

  Completion completion_;
  Id next_id_ = 1;
  std::unordered_map<Id, Call> calls_;
  std::unordered_map<Id, OpenEngine> engines_;
  std::tuple<OpenModels<LanguageModel>, OpenModels<VisionModel>> models_;
};

template <class Begin>
Napi::Value Environment::promise(Napi::Env env, Begin begin) {
  const auto deferred = Napi::Promise::Deferred::New(env);
  const Id id = next_id_++;
  completion_.hold(env);
  calls_.emplace(id, Call{deferred, {}, {}});
  try {
    begin(id);
  } catch (const Napi::Error& thrown) {
    // JavaScript's own: a getter or a proxy among the arguments threw.
    reject(env, id, thrown.Value());
  } catch (...) {
    reject(env, id, to_javascript(env, as_error(std::current_exception())).Value());
  }
  return deferred.Promise();
}

template <class Value, class ToValue>
Done<Value> Environment::deliver(Id call, ToValue to_value, std::function<void()> if_failed) {
  return [self = shared_from_this(), call, to_value, if_failed = std::move(if_failed)](Outcome<Value> outcome) {
    self->completion_.post([self, call, to_value, if_failed, outcome = std::move(outcome)](Napi::Env env) {
      if (const Error* error = std::get_if<Error>(&outcome)) {
        if (if_failed) if_failed();
        self->reject(env, call, to_javascript(env, *error).Value());
        return;
      }
      const Call settled = self->take(env, call);
      settled.deferred.Resolve(to_value(env, settled, std::get<Value>(outcome)));
    });
  };
}

/// For synchronous methods: turns what `work` throws into a JavaScript exception. Asynchronous methods use `promise`.
template <class Work>
auto guarded(Napi::Env env, Work work) {
  try {
    return work();
  } catch (const Napi::Error&) {
    throw;
  } catch (...) {
    throw to_javascript(env, as_error(std::current_exception()));
  }
}

}  // namespace lectern::addon
