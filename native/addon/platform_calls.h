// What the addon offers of the operating system, beside the engine.
#pragma once

#include <napi.h>

namespace lectern::addon {

/// Sets `endWithParent`, `confinementSupport`, `restrictSystemCalls` and `notifySupervisor`.
void define_platform_calls(Napi::Env env, Napi::Object exports);

}  // namespace lectern::addon
