#include "vision_model_handle.h"

#include "arguments.h"
#include "text_results.h"
#include "vision_arguments.h"
#include "vision_results.h"

namespace lectern::addon {
namespace {

/// For `deliver`: the value by its own to_value().
constexpr auto as_value = [](Napi::Env env, const Call&, const auto& value) { return to_value(env, value); };

}  // namespace

Napi::Function VisionModelHandle::define(Napi::Env env) {
  return DefineClass(env, "VisionModel",
                     {InstanceMethod<&VisionModelHandle::read_lines>("readLines"), InstanceMethod<&VisionModelHandle::find_layout>("findLayout"),
                      InstanceMethod<&VisionModelHandle::find_table_cells>("findTableCells"), InstanceMethod<&VisionModelHandle::classify_lines>("classifyLines"), InstanceMethod<&VisionModelHandle::close>("close")});
}

Napi::Value VisionModelHandle::make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id, const LoadedVision& loaded) {
  Napi::Object handle = ModelHandle::make(env, environment, id);
  handle.Set("weightBytes", Napi::Number::New(env, static_cast<double>(loaded.weight_bytes)));
  return handle;
}

Napi::Value VisionModelHandle::read_lines(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    const ReadLinesOptions options = read_lines_options(info[1]);
    auto cancel = read_cancel(info[2]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment().borrow(call, bitmap.owner);
    use(call).read_lines(bitmap.view, options.dpi, options.one_line, std::move(cancel), environment().deliver<vision::ReadPage>(call, as_value));
  });
}

Napi::Value VisionModelHandle::find_layout(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[1]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment().borrow(call, bitmap.owner);
    use(call).find_layout(bitmap.view, std::move(cancel), environment().deliver<std::vector<NamedRegion>>(call, as_value));
  });
}

Napi::Value VisionModelHandle::find_table_cells(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[1]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment().borrow(call, bitmap.owner);
    use(call).find_table_cells(bitmap.view, std::move(cancel), environment().deliver<vision::FoundTable>(call, as_value));
  });
}

Napi::Value VisionModelHandle::classify_lines(const Napi::CallbackInfo& info) {
  return environment().promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[1]);
    use(call).classify_lines(read_line_items(info[0]), std::move(cancel), environment().deliver<vision::LineClasses>(call, as_value));
  });
}

}  // namespace lectern::addon
