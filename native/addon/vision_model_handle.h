// The handle of a loaded reader of pages, layouts or tables, which Engine.openVision answers with. Every verb answers with a promise.
#pragma once

#include <memory>

#include <napi.h>

#include "environment.h"

namespace lectern::addon {

class VisionModelHandle : public Napi::ObjectWrap<VisionModelHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  /// The handle of the environment's vision model `id`, with `weightBytes` as a property.
  static Napi::Value make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id, const LoadedVision& loaded);

  /// Only for make(): JavaScript has no External to call it with.
  explicit VisionModelHandle(const Napi::CallbackInfo& info);
  /// A handle that was never closed closes when it is collected.
  ~VisionModelHandle() override;

 private:
  /// (bitmap, { dpi, oneLine? }, cancel?) -> { lines, rulings }
  Napi::Value read_lines(const Napi::CallbackInfo& info);
  /// (bitmap, cancel?) -> regions
  Napi::Value find_layout(const Napi::CallbackInfo& info);
  /// (bitmap, cancel?) -> table
  Napi::Value find_table_cells(const Napi::CallbackInfo& info);
  /// () -> undefined, when the memory is free. A second close rejects as every other verb then does.
  Napi::Value close(const Napi::CallbackInfo& info);

  /// The model, with the call holding on to this handle; throws Error `invalid_state` after close.
  VisionModel& use(Environment::Id call);

  std::shared_ptr<Environment> environment_;
  Environment::Id id_ = 0;
  bool closed_ = true;
};

}  // namespace lectern::addon
