// Recognised by a type tag: unwrapping an object of another module would read its memory as ours.
#include "cancel_handle.h"

namespace lectern::addon {
namespace {

constexpr napi_type_tag tag = {0x9f2c61d04be84a37, 0xb1a7e35d80c2f946};

}  // namespace

Napi::Function CancelHandle::define(Napi::Env env) {
  return DefineClass(env, "Cancel", {InstanceMethod<&CancelHandle::cancel>("cancel"), InstanceMethod<&CancelHandle::hold>("hold")});
}

CancelHandle::CancelHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<CancelHandle>(info) {
  Value().TypeTag(&tag);
}

const CancelHandle* CancelHandle::from(const Napi::Value& value) {
  if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&tag)) return nullptr;
  return Unwrap(value.As<Napi::Object>());
}

}  // namespace lectern::addon
