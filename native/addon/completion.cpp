// One thread-safe function per environment with an unbounded queue: every posted item is the result of a pending promise.
#include "completion.h"

#include <memory>

namespace lectern::addon {
namespace {

void run(napi_env env, napi_value /*callback*/, void* /*context*/, void* data) {
  const std::unique_ptr<Completion::Closure> closure(static_cast<Completion::Closure*>(data));
  // The environment is gone, and with it everything that the closure could settle.
  if (env == nullptr) return;
  try {
    (*closure)(Napi::Env(env));
  } catch (const Napi::Error& error) {
    // A callback of the caller threw: his to see, as an uncaught exception.
    error.ThrowAsJavaScriptException();
  }
}

void check(Napi::Env env, napi_status status) {
  if (status != napi_ok) throw Napi::Error::New(env);
}

}  // namespace

Completion::Completion(Napi::Env env) {
  const Napi::String name = Napi::String::New(env, "lectern");
  check(env, napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, nullptr, run, &function_));
  // An idle engine does not keep the process alive.
  check(env, napi_unref_threadsafe_function(env, function_));
}

void Completion::post(Closure closure) {
  auto owned = std::make_unique<Closure>(std::move(closure));
  // Refused only while the environment ends; no promise is pending then.
  if (napi_call_threadsafe_function(function_, owned.get(), napi_tsfn_nonblocking) == napi_ok) owned.release();
}

void Completion::hold(Napi::Env env) {
  if (holds_++ == 0) check(env, napi_ref_threadsafe_function(env, function_));
}

void Completion::release(Napi::Env env) {
  if (--holds_ == 0) check(env, napi_unref_threadsafe_function(env, function_));
}

}  // namespace lectern::addon
