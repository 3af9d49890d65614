// Completions: closures that lane threads post and that the JavaScript thread of one environment runs.
#pragma once

#include <functional>

#include <napi.h>

namespace lectern::addon {

class Completion {
 public:
  using Closure = std::function<void(Napi::Env)>;

  explicit Completion(Napi::Env env);

  /// From any thread; runs in the order posted, with handle and callback scope open. Closures still queued when the
  /// environment ends are destroyed unrun. Nothing may be posted after that: lanes are joined first.
  void post(Closure closure);

  /// On the JavaScript thread: the process stays alive while there are more holds than releases.
  void hold(Napi::Env env);
  void release(Napi::Env env);

 private:
  napi_threadsafe_function function_ = nullptr;
  int holds_ = 0;
};

}  // namespace lectern::addon
