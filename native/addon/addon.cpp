// The module: what `require('lectern.node')` gives.
#include <napi.h>

#include "cancel_handle.h"
#include "engine/engine.h"
#include "engine_handle.h"
#include "environment.h"
#include "error.h"
#include "language_model_handle.h"
#include "platform_calls.h"
#include "vision_model_handle.h"

namespace lectern::addon {
namespace {

Napi::String string_of(Napi::Env env, std::string_view text) { return Napi::String::New(env, text.data(), text.size()); }

/// () -> { version, cuda, instructions }
Napi::Value read_build_info(const Napi::CallbackInfo& info) {
  const BuildInfo build = build_info();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("version", string_of(info.Env(), build.version));
  result.Set("cuda", Napi::Boolean::New(info.Env(), build.cuda));
  result.Set("instructions", string_of(info.Env(), build.instructions));
  return result;
}

/// (gpus: boolean) -> { kind, name, memoryTotalBytes, memoryFreeBytes }[]
Napi::Value read_devices(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    Napi::Array result = Napi::Array::New(info.Env());
    for (const Device& device : devices(info[0].ToBoolean())) {
      Napi::Object entry = Napi::Object::New(info.Env());
      entry.Set("kind", string_of(info.Env(), device.kind == DeviceKind::cpu ? "cpu" : "cuda"));
      entry.Set("name", string_of(info.Env(), device.name));
      entry.Set("memoryTotalBytes", Napi::Number::New(info.Env(), static_cast<double>(device.memory_total_bytes)));
      entry.Set("memoryFreeBytes", Napi::Number::New(info.Env(), static_cast<double>(device.memory_free_bytes)));
      result.Set(result.Length(), entry);
    }
    return result;
  });
}

/// () -> string
Napi::Value read_why_no_gpu(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value { return string_of(info.Env(), why_no_gpu()); });
}

Napi::Array error_codes(Napi::Env env) {
  Napi::Array codes = Napi::Array::New(env);
  for (const std::string_view name : error_code_names) codes.Set(codes.Length(), string_of(env, name));
  return codes;
}

}  // namespace
}  // namespace lectern::addon

static Napi::Object load(Napi::Env env, Napi::Object exports) {
  using namespace lectern::addon;
  Environment::create(env);
  exports.Set("Engine", EngineHandle::define(env));
  Environment::of(env)->models<lectern::LanguageModel>().handle_class = Napi::Persistent(LanguageModelHandle::define(env));
  Environment::of(env)->models<lectern::VisionModel>().handle_class = Napi::Persistent(VisionModelHandle::define(env));
  exports.Set("Cancel", CancelHandle::define(env));
  exports.Set("errorCodes", error_codes(env));
  exports.Set("buildInfo", Napi::Function::New<read_build_info>(env, "buildInfo"));
  exports.Set("devices", Napi::Function::New<read_devices>(env, "devices"));
  exports.Set("whyNoGpu", Napi::Function::New<read_why_no_gpu>(env, "whyNoGpu"));
  define_platform_calls(env, exports);
  return exports;
}

// The macro makes a symbol of the name it is given, which must therefore have no namespace.
NODE_API_MODULE(lectern, load)
