// Reads the arguments, starts the job, says how its value becomes JavaScript's.
#include "engine_handle.h"

#include "arguments.h"

namespace lectern::addon {

Napi::Function EngineHandle::define(Napi::Env env) {
  return DefineClass(env, "Engine",
                     {InstanceMethod<&EngineHandle::deskew_angle>("deskewAngle"),
                      InstanceMethod<&EngineHandle::resize_image>("resizeImage"),
                      InstanceMethod<&EngineHandle::close>("close")});
}

EngineHandle::EngineHandle(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<EngineHandle>(info), environment_(Environment::of(info.Env())) {
  id_ = guarded(info.Env(), [&] {
    const Fields fields(info[0], "options");
    fields.allow_only({"log"});
    return environment_->open_engine(fields.function("log"));
  });
}

Napi::Value EngineHandle::deskew_angle(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[1]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    const auto to_value = [](Napi::Env env, const Call&, double angle) { return Napi::Number::New(env, angle); };
    use(call).deskew_angle(bitmap.view, std::move(cancel), environment_->deliver<double>(call, to_value));
  });
}

Napi::Value EngineHandle::resize_image(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    const vision::ResizeOptions options = read_resize_options(info[1]);
    auto cancel = read_cancel(info[2]);
    // The lane writes where JavaScript will read: nothing is copied, and the array is borrowed like the bitmap.
    const auto size = static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height) * 3;
    auto result = Napi::Float32Array::New(info.Env(), size);
    environment_->borrow(call, result);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    const auto to_value = [](Napi::Env, const Call& settled, std::monostate) { return settled.borrowed[0].Value(); };
    use(call).resize_image(bitmap.view, options, {result.Data(), size}, std::move(cancel),
                           environment_->deliver<std::monostate>(call, to_value));
  });
}

Napi::Value EngineHandle::close(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    Engine& engine = use(call);
    closed_ = true;
    engine.close(environment_->deliver<std::monostate>(
        call, [environment = environment_, id = id_](Napi::Env env, const Call&, std::monostate) {
          // The lane is past its last job: to join it takes no time, and memory is back when the promise says so.
          environment->drop_engine(id);
          return env.Undefined();
        }));
  });
}

Engine& EngineHandle::use(Environment::Id call) {
  if (closed_) throw Error(ErrorCode::invalid_state, "The engine is closed.");
  environment_->borrow(call, Value());
  return environment_->engine(id_);
}

}  // namespace lectern::addon
