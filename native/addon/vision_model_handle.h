// The handle of a loaded reader of pages, layouts, tables or kinds of lines, to which Engine.openVision resolves. Every method returns a promise.
#pragma once

#include <memory>

#include <napi.h>

#include "model_handle.h"

namespace lectern::addon {

class VisionModelHandle : public ModelHandle<VisionModelHandle, VisionModel> {
 public:
  static Napi::Function define(Napi::Env env);
  /// The handle of the environment's vision model `id`, with `weightBytes` as a property.
  static Napi::Value make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id, const LoadedVision& loaded);

  using ModelHandle::ModelHandle;

 private:
  /// (bitmap, { dpi, oneLine? }, cancel?) -> { lines, rulings }
  Napi::Value read_lines(const Napi::CallbackInfo& info);
  /// (bitmap, cancel?) -> regions
  Napi::Value find_layout(const Napi::CallbackInfo& info);
  /// (bitmap, cancel?) -> table
  Napi::Value find_table_cells(const Napi::CallbackInfo& info);
  /// ({ features, neighbours, pairs, pairFeatures }, cancel?) -> { classes, joined }
  Napi::Value classify_lines(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info) { return close_model(info); }
};

}  // namespace lectern::addon
