// Calls into the operating system that Node has no way to.
#include "platform_calls.h"

#if defined(__linux__)
#include <sys/prctl.h>

#include <csignal>
#endif

#include <system_error>

#include "environment.h"
#include "error.h"
#include "platform/landlock.h"
#include "platform/notify_supervisor.h"
#include "platform/system_call_filter.h"

namespace lectern::addon {
namespace {

/// What the system refuses as an error of ours, with the system's sentence.
template <class Call>
Napi::Value call_system(const Napi::CallbackInfo& info, Call call) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    try {
      call();
    } catch (const std::system_error& refused) {
      throw Error(ErrorCode::invalid_state, refused.what());
    }
    return info.Env().Undefined();
  });
}

/// () -> boolean: whether the kernel ends this process from now on when its parent has ended; only Linux does.
Napi::Value end_with_parent(const Napi::CallbackInfo& info) {
#if defined(__linux__)
  const bool done = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
#else
  const bool done = false;
#endif
  return Napi::Boolean::New(info.Env(), done);
}

/// () -> { landlockAbi, systemCallFilter }
Napi::Value confinement_support(const Napi::CallbackInfo& info) {
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("landlockAbi", Napi::Number::New(info.Env(), platform::landlock_abi()));
  result.Set("systemCallFilter", Napi::Boolean::New(info.Env(), platform::can_filter_system_calls()));
  return result;
}

/// (programs: boolean) -> undefined
Napi::Value restrict_system_calls(const Napi::CallbackInfo& info) {
  return call_system(info, [&] { platform::restrict_system_calls(info[0].ToBoolean()); });
}

/// (address: string, message: string) -> undefined
Napi::Value notify_supervisor(const Napi::CallbackInfo& info) {
  return call_system(info, [&] { platform::notify_supervisor(info[0].ToString(), info[1].ToString()); });
}

}  // namespace

void define_platform_calls(Napi::Env env, Napi::Object exports) {
  exports.Set("endWithParent", Napi::Function::New<end_with_parent>(env, "endWithParent"));
  exports.Set("confinementSupport", Napi::Function::New<confinement_support>(env, "confinementSupport"));
  exports.Set("restrictSystemCalls", Napi::Function::New<restrict_system_calls>(env, "restrictSystemCalls"));
  exports.Set("notifySupervisor", Napi::Function::New<notify_supervisor>(env, "notifySupervisor"));
}

}  // namespace lectern::addon
