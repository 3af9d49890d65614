// `new Engine(options)`: the handle that TypeScript holds. Every method returns a promise.
#pragma once

#include <memory>

#include <napi.h>

#include "environment.h"

namespace lectern::addon {

class EngineHandle : public Napi::ObjectWrap<EngineHandle> {
 public:
  static Napi::Function define(Napi::Env env);

  /// options: { log?(level, message) }
  explicit EngineHandle(const Napi::CallbackInfo& info);
  /// A handle that was never closed closes when it is collected.
  ~EngineHandle() override { environment_->drop_engine(id_); }

 private:
  /// (bitmap, cancel?) -> number
  Napi::Value deskew_angle(const Napi::CallbackInfo& info);
  /// (cancel?) -> string
  Napi::Value tesseract_version(const Napi::CallbackInfo& info);
  /// (bitmap, { dataDirectory, languages, dpi }, cancel?) -> { lines, rulings }
  Napi::Value read_text(const Napi::CallbackInfo& info);
  /// (bitmap, { network, dpi, oneLine?, orientation?, detector? }, cancel?) -> { lines, rulings, tickBoxes?, fills?, turned?: true }
  Napi::Value recognise_text(const Napi::CallbackInfo& info);
  /// (bitmap, { network, dpi }, cancel?) -> { upright, turned, neither, lines }
  Napi::Value line_votes(const Napi::CallbackInfo& info);
  /// (path, { arrays }, cancel?) -> description
  Napi::Value describe_model(const Napi::CallbackInfo& info);
  /// (path, shape, cancel?) -> { weightBytes, kvBytes, workBytes }
  Napi::Value memory_need(const Napi::CallbackInfo& info);
  /// (path, string[], cancel?) -> Uint32Array
  Napi::Value count_tokens(const Napi::CallbackInfo& info);
  /// (path, options, cancel?) -> LanguageModel, which closes by itself: closing the engine does not close it
  Napi::Value open_model(const Napi::CallbackInfo& info);
  /// (options, cancel?) -> VisionModel, which closes by itself as well
  Napi::Value open_vision(const Napi::CallbackInfo& info);
  /// () -> undefined, once every job has ended. A second close rejects as every other verb then does.
  Napi::Value close(const Napi::CallbackInfo& info);

  /// The engine, with the call holding on to this handle; throws Error `invalid_state` after close.
  Engine& use(Environment::Id call);

  std::shared_ptr<Environment> environment_;
  Environment::Id id_;
  bool closed_ = false;
};

}  // namespace lectern::addon
