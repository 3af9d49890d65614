// Start and end of an environment's state in the addon.
#include "environment.h"

#include <string>

namespace lectern::addon {
namespace {

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return "debug";
    case LogLevel::info: return "info";
    case LogLevel::warn: return "warn";
    case LogLevel::error: break;
  }
  return "error";
}

using Shared = std::shared_ptr<Environment>;

}  // namespace

Napi::Error to_javascript(Napi::Env env, const Error& error) {
  Napi::Error thrown = Napi::Error::New(env, error.what());
  thrown.Set("code", Napi::String::New(env, std::string(name_of(error.code()))));
  return thrown;
}

void Environment::create(Napi::Env env) {
  auto environment = std::make_shared<Environment>(env);
  // Hooks run last in, first out: this one, added after the thread-safe function was made, runs before Node takes that
  // away. So every lane is joined while it may still post.
  env.AddCleanupHook([](Environment* ending) { ending->end(); }, environment.get());
  // Instance data, not a global: each worker has its own. Handles hold it too, since the order in which Node finalises
  // them and the instance data is its own affair.
  env.SetInstanceData<Shared>(new Shared(std::move(environment)));
}

std::shared_ptr<Environment> Environment::of(Napi::Env env) { return *env.GetInstanceData<Shared>(); }

Environment::Id Environment::open_engine(const Napi::Function& log, const std::optional<cuda::KernelOptions>& kernels) {
  const Id id = next_id_++;
  OpenEngine& opened = engines_[id];
  if (log.IsEmpty()) {
    opened.engine = std::make_unique<Engine>(Log{}, kernels);
    return id;
  }
  opened.log = Napi::Persistent(log);
  const auto call_log = [self = shared_from_this(), id](LogLevel level, std::string message) {
    self->completion_.post([self, id, level, message = std::move(message)](Napi::Env env) {
      const auto found = self->engines_.find(id);
      if (found == self->engines_.end()) return;
      found->second.log.Call({Napi::String::New(env, std::string(name_of(level))), Napi::String::New(env, message)});
    });
  };
  opened.engine = std::make_unique<Engine>(call_log, kernels);
  return id;
}

void Environment::call_back(Id call, const Napi::Value& value) {
  const auto found = calls_.find(call);
  if (found != calls_.end() && !found->second.callback.IsEmpty()) found->second.callback.Call({value});
}

Call Environment::take(Napi::Env env, Id call) {
  const auto found = calls_.find(call);
  Call taken = std::move(found->second);
  calls_.erase(found);
  completion_.release(env);
  return taken;
}

void Environment::end() {
  // Cancels and joins. What the last jobs posted is destroyed unrun; their promises end with the environment.
  engines_.clear();
  models<LanguageModel>().end();
  models<VisionModel>().end();
  calls_.clear();
}

}  // namespace lectern::addon
