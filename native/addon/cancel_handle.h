// `new Cancel()`: the flags that TypeScript sets when an AbortSignal fires, and when a generation pauses. The signal itself never reaches native code.
#pragma once

#include <memory>

#include <napi.h>

#include "cancel.h"

namespace lectern::addon {

class CancelHandle : public Napi::ObjectWrap<CancelHandle> {
 public:
  static Napi::Function define(Napi::Env env);
  /// nullptr when the value is no CancelHandle.
  static const CancelHandle* from(const Napi::Value& value);

  explicit CancelHandle(const Napi::CallbackInfo& info);

  const std::shared_ptr<Cancel>& flag() const { return flag_; }

 private:
  void cancel(const Napi::CallbackInfo& /*info*/) { flag_->request(); }
  void hold(const Napi::CallbackInfo& info) { flag_->hold(info[0].ToBoolean().Value()); }

  std::shared_ptr<Cancel> flag_ = std::make_shared<Cancel>();
};

}  // namespace lectern::addon
