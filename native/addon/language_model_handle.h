// The handle of a loaded model, to which Engine.openModel resolves. Every method but tokenBytes returns a promise.
#pragma once

#include <memory>

#include <napi.h>

#include "model_handle.h"

namespace lectern::addon {

class LanguageModelHandle : public ModelHandle<LanguageModelHandle, LanguageModel> {
 public:
  static Napi::Function define(Napi::Env env);
  /// The handle of the environment's model `id`, with `info` as a property.
  static Napi::Value make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id, const LoadedModel& info);

  using ModelHandle::ModelHandle;

 private:
  /// (prompt, options, cancel?) -> result; options.onTokens gets bursts, one call at a time, before the promise settles.
  Napi::Value generate(const Napi::CallbackInfo& info);
  /// () -> undefined, at once: held generations whose flags have changed are seen to.
  Napi::Value wake(const Napi::CallbackInfo& info);
  /// (prompt, cancel?) -> { vector, promptTokens }
  Napi::Value embed(const Napi::CallbackInfo& info);
  Napi::Value rank(const Napi::CallbackInfo& info);
  /// (prompt, addSpecial, cancel?) -> Int32Array
  Napi::Value count_tokens(const Napi::CallbackInfo& info);
  Napi::Value tokenize(const Napi::CallbackInfo& info);
  /// (id) -> Uint8Array, at once
  Napi::Value token_bytes(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info) { return close_model(info); }
};

}  // namespace lectern::addon
