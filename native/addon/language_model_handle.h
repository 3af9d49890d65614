// The handle of a loaded model, which Engine.openModel answers with. Every verb but tokenBytes answers with a promise.
#pragma once

#include <memory>

#include <napi.h>

#include "environment.h"

namespace lectern::addon {

class LanguageModelHandle : public Napi::ObjectWrap<LanguageModelHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  /// The handle of the environment's model `id`, with `info` as a property.
  static Napi::Value make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id, const LoadedModel& info);

  /// Only for make(): JavaScript has no External to call it with.
  explicit LanguageModelHandle(const Napi::CallbackInfo& info);
  /// A handle that was never closed closes when it is collected.
  ~LanguageModelHandle() override;

 private:
  /// (prompt, options, cancel?) -> result; options.onTokens gets bursts, one call at a time, before the promise settles.
  Napi::Value generate(const Napi::CallbackInfo& info);
  /// (prompt, cancel?) -> { vector, promptTokens }
  Napi::Value embed(const Napi::CallbackInfo& info);
  /// (prompt, addSpecial, cancel?) -> Int32Array
  Napi::Value count_tokens(const Napi::CallbackInfo& info);
  Napi::Value tokenize(const Napi::CallbackInfo& info);
  /// (ids, cancel?) -> string
  Napi::Value detokenize(const Napi::CallbackInfo& info);
  /// (id) -> Uint8Array, at once
  Napi::Value token_bytes(const Napi::CallbackInfo& info);
  /// () -> undefined, when the memory is free. A second close rejects as every other verb then does.
  Napi::Value close(const Napi::CallbackInfo& info);

  /// The model, with the call holding on to this handle; throws Error `invalid_state` after close.
  LanguageModel& use(Environment::Id call);
  void must_be_open() const;

  std::shared_ptr<Environment> environment_;
  Environment::Id id_ = 0;
  bool closed_ = true;
};

}  // namespace lectern::addon
