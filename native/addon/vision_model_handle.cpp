#include "vision_model_handle.h"

#include "arguments.h"
#include "text_results.h"
#include "vision_arguments.h"
#include "vision_results.h"

namespace lectern::addon {
namespace {

struct Opened {
  std::shared_ptr<Environment> environment;
  Environment::Id id;
};

/// For `deliver`: the value by its own to_value().
constexpr auto as_value = [](Napi::Env env, const Call&, const auto& value) { return to_value(env, value); };

}  // namespace

Napi::Function VisionModelHandle::define(Napi::Env env) {
  return DefineClass(env, "VisionModel",
                     {InstanceMethod<&VisionModelHandle::read_lines>("readLines"), InstanceMethod<&VisionModelHandle::find_layout>("findLayout"),
                      InstanceMethod<&VisionModelHandle::find_table_cells>("findTableCells"), InstanceMethod<&VisionModelHandle::close>("close")});
}

Napi::Value VisionModelHandle::make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id, const LoadedVision& loaded) {
  Opened opened{environment, id};
  Napi::Object handle = environment->vision_model_class.New({Napi::External<Opened>::New(env, &opened)});
  handle.Set("weightBytes", Napi::Number::New(env, static_cast<double>(loaded.weight_bytes)));
  return handle;
}

VisionModelHandle::VisionModelHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<VisionModelHandle>(info) {
  guarded(info.Env(), [&] {
    if (!info[0].IsExternal()) throw Error(ErrorCode::invalid_request, "A model is opened by an engine.");
  });
  const Opened& opened = *info[0].As<Napi::External<Opened>>().Data();
  environment_ = opened.environment;
  id_ = opened.id;
  closed_ = false;
}

VisionModelHandle::~VisionModelHandle() {
  if (environment_) environment_->drop_vision_model(id_);
}

Napi::Value VisionModelHandle::read_lines(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    const ReadLinesOptions options = read_lines_options(info[1]);
    auto cancel = read_cancel(info[2]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    use(call).read_lines(bitmap.view, options.dpi, options.one_line, std::move(cancel), environment_->deliver<vision::ReadPage>(call, as_value));
  });
}

Napi::Value VisionModelHandle::find_layout(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[1]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    use(call).find_layout(bitmap.view, std::move(cancel), environment_->deliver<std::vector<NamedRegion>>(call, as_value));
  });
}

Napi::Value VisionModelHandle::find_table_cells(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[1]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    use(call).find_table_cells(bitmap.view, std::move(cancel), environment_->deliver<vision::FoundTable>(call, as_value));
  });
}

Napi::Value VisionModelHandle::close(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    VisionModel& model = use(call);
    closed_ = true;
    const auto drop = [environment = environment_, id = id_](Napi::Env env, const Call&, std::monostate) {
      // The lane is past its last job: to join it takes no time.
      environment->drop_vision_model(id);
      return env.Undefined();
    };
    model.close(environment_->deliver<std::monostate>(call, drop));
  });
}

VisionModel& VisionModelHandle::use(Environment::Id call) {
  if (closed_) throw Error(ErrorCode::invalid_state, "The model is closed.");
  environment_->borrow(call, Value());
  return environment_->vision_model(id_);
}

}  // namespace lectern::addon
