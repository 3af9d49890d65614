// The common base of the handles of loaded models: made by an engine, closed once, dropped when collected.
#pragma once

#include <memory>
#include <variant>

#include <napi.h>

#include "environment.h"

namespace lectern::addon {

/// `Handle` is the JavaScript class, which inherits this one; `Model` is the native model behind it.
template <class Handle, class Model>
class ModelHandle : public Napi::ObjectWrap<Handle> {
 public:
  /// The handle of the environment's model `id`.
  static Napi::Object make(Napi::Env env, const std::shared_ptr<Environment>& environment, Environment::Id id) {
    Opened opened{environment, id};
    return environment->models<Model>().handle_class.New({Napi::External<Opened>::New(env, &opened)});
  }

  /// Only for make(): JavaScript has no External to call it with.
  explicit ModelHandle(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Handle>(info) {
    guarded(info.Env(), [&] {
      if (!info[0].IsExternal()) throw Error(ErrorCode::invalid_request, "A model is opened by an engine.");
    });
    const Opened& opened = *info[0].template As<Napi::External<Opened>>().Data();
    environment_ = opened.environment;
    id_ = opened.id;
    closed_ = false;
  }

  /// A handle that was never closed closes when it is collected.
  ~ModelHandle() override {
    if (environment_) environment_->models<Model>().drop(id_);
  }

  /// () -> undefined, when the memory is free. A second close rejects as every other verb then does.
  Napi::Value close_model(const Napi::CallbackInfo& info) {
    return environment_->promise(info.Env(), [&](Environment::Id call) {
      Model& model = use(call);
      closed_ = true;
      const auto drop = [environment = environment_, id = id_](Napi::Env env, const Call&, std::monostate) {
        // The lanes are past their last jobs: to join them takes no time.
        environment->models<Model>().drop(id);
        return env.Undefined();
      };
      model.close(environment_->deliver<std::monostate>(call, drop));
    });
  }

 protected:
  Environment& environment() { return *environment_; }
  /// For what outlives the call.
  const std::shared_ptr<Environment>& shared_environment() const { return environment_; }

  /// The model; throws Error `invalid_state` after close.
  Model& model() {
    if (closed_) throw Error(ErrorCode::invalid_state, "The model is closed.");
    return environment_->models<Model>().at(id_);
  }

  /// The same, with the call holding on to this handle.
  Model& use(Environment::Id call) {
    Model& used = model();
    environment_->borrow(call, this->Value());
    return used;
  }

 private:
  struct Opened {
    std::shared_ptr<Environment> environment;
    Environment::Id id;
  };

  std::shared_ptr<Environment> environment_;
  Environment::Id id_ = 0;
  bool closed_ = true;
};

}  // namespace lectern::addon
