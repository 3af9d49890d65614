// Each method reads its arguments, starts the job and converts the result to JavaScript.
#include "engine_handle.h"

#include <algorithm>

#include "arguments.h"
#include "language_arguments.h"
#include "language_model_handle.h"
#include "language_results.h"
#include "llm/tokenizer/word_splitter.h"
#include "text_results.h"
#include "vision_arguments.h"
#include "vision_model_handle.h"

namespace lectern::addon {

Napi::Function EngineHandle::define(Napi::Env env) {
  return DefineClass(env, "Engine",
                     {InstanceMethod<&EngineHandle::deskew_angle>("deskewAngle"),
                      InstanceMethod<&EngineHandle::tesseract_version>("tesseractVersion"),
                      InstanceMethod<&EngineHandle::read_text>("readText"),
                      InstanceMethod<&EngineHandle::recognise_text>("recogniseText"),
                      InstanceMethod<&EngineHandle::line_votes>("lineVotes"),
                      InstanceMethod<&EngineHandle::describe_model>("describeModel"),
                      InstanceMethod<&EngineHandle::memory_need>("memoryNeed"),
                      InstanceMethod<&EngineHandle::count_tokens>("countTokens"),
                      InstanceMethod<&EngineHandle::open_model>("openModel"),
                      InstanceMethod<&EngineHandle::open_vision>("openVision"),
                      InstanceMethod<&EngineHandle::close>("close")});
}

EngineHandle::EngineHandle(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<EngineHandle>(info), environment_(Environment::of(info.Env())) {
  id_ = guarded(info.Env(), [&] {
    const Fields fields(info[0], "options");
    fields.allow_only({"log", "kernels", "preTokenizer"});
    if (fields.has("preTokenizer")) llm::force_pre_tokenizer(fields.text("preTokenizer", 64));
    return environment_->open_engine(fields.function("log"), read_kernel_options(fields));
  });
}

Napi::Value EngineHandle::deskew_angle(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[1]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    const auto to_value = [](Napi::Env env, const Call&, double angle) { return Napi::Number::New(env, angle); };
    use(call).deskew_angle(bitmap.view, std::move(cancel), environment_->deliver<double>(call, to_value));
  });
}

Napi::Value EngineHandle::tesseract_version(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    auto cancel = read_cancel(info[0]);
    const auto to_js = [](Napi::Env env, const Call&, const std::string& version) { return Napi::String::New(env, version); };
    use(call).tesseract_version(std::move(cancel), environment_->deliver<std::string>(call, to_js));
  });
}

Napi::Value EngineHandle::read_text(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    vision::TesseractOptions options = read_tesseract_options(info[1]);
    auto cancel = read_cancel(info[2]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    const auto to_js = [](Napi::Env env, const Call&, const vision::ReadPage& page) { return to_value(env, page); };
    use(call).read_text(bitmap.view, std::move(options), std::move(cancel), environment_->deliver<vision::ReadPage>(call, to_js));
  });
}

Napi::Value EngineHandle::recognise_text(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    vision::RecogniseOptions options = read_recognise_options(info[1]);
    auto cancel = read_cancel(info[2]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    const auto to_js = [](Napi::Env env, const Call&, const vision::ReadPage& page) { return to_value(env, page); };
    use(call).recognise_text(bitmap.view, std::move(options), std::move(cancel), environment_->deliver<vision::ReadPage>(call, to_js));
  });
}

Napi::Value EngineHandle::line_votes(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    vision::VoteOptions options = read_vote_options(info[1]);
    auto cancel = read_cancel(info[2]);
    const BitmapArgument bitmap = read_bitmap(info[0]);
    environment_->borrow(call, bitmap.owner);
    const auto to_js = [](Napi::Env env, const Call&, const vision::LineVotes& votes) { return to_value(env, votes); };
    use(call).line_votes(bitmap.view, std::move(options), std::move(cancel), environment_->deliver<vision::LineVotes>(call, to_js));
  });
}

Napi::Value EngineHandle::describe_model(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    std::string path = read_path(info[0]);
    const Fields options(info[1], "options");
    options.allow_only({"arrays"});
    const bool arrays = options.boolean_or("arrays", false);
    auto cancel = read_cancel(info[2]);
    const auto to_js = [](Napi::Env env, const Call&, const ModelDescription& description) { return to_value(env, description); };
    use(call).describe_model(std::move(path), arrays, std::move(cancel), environment_->deliver<ModelDescription>(call, to_js));
  });
}

Napi::Value EngineHandle::memory_need(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    std::string path = read_path(info[0]);
    const OpenArguments arguments = read_open(info[1], false);
    auto cancel = read_cancel(info[2]);
    const auto to_js = [](Napi::Env env, const Call&, const llm::MemoryNeed& need) { return to_value(env, need); };
    use(call).memory_need(std::move(path), arguments.options, std::move(cancel), environment_->deliver<llm::MemoryNeed>(call, to_js));
  });
}

Napi::Value EngineHandle::count_tokens(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    std::string path = read_path(info[0]);
    std::vector<std::string> texts = read_texts(info[1]);
    auto cancel = read_cancel(info[2]);
    const auto to_js = [](Napi::Env env, const Call&, const std::vector<std::uint32_t>& counts) {
      auto array = Napi::Uint32Array::New(env, counts.size());
      std::copy(counts.begin(), counts.end(), array.Data());
      return array;
    };
    use(call).count_tokens(std::move(path), std::move(texts), std::move(cancel), environment_->deliver<std::vector<std::uint32_t>>(call, to_js));
  });
}

Napi::Value EngineHandle::open_model(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    std::string path = read_path(info[0]);
    OpenArguments arguments = read_open(info[1], true);
    auto cancel = read_cancel(info[2]);
    arguments.options.log = use(call).log();
    const Environment::Id id = environment_->open_model<LanguageModel>();
    std::function<void(double)> on_progress;
    if (!arguments.on_progress.IsEmpty()) {
      environment_->keep_callback(call, arguments.on_progress);
      on_progress = [environment = environment_, call](double fraction) {
        environment->post([environment, call, fraction](Napi::Env env) { environment->call_back(call, Napi::Number::New(env, fraction)); });
      };
    }
    const auto to_handle = [environment = environment_, id](Napi::Env env, const Call&, const LoadedModel& loaded) {
      return LanguageModelHandle::make(env, environment, id, loaded);
    };
    const auto drop = [environment = environment_, id] { environment->models<LanguageModel>().drop(id); };
    environment_->models<LanguageModel>().at(id).load(std::move(path), arguments.options, std::move(on_progress), std::move(cancel),
                                 environment_->deliver<LoadedModel>(call, to_handle, drop));
  });
}

Napi::Value EngineHandle::open_vision(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    OpenVisionOptions options = read_open_vision(info[0]);
    auto cancel = read_cancel(info[1]);
    use(call);
    const Environment::Id id = environment_->open_model<VisionModel>();
    const auto to_handle = [environment = environment_, id](Napi::Env env, const Call&, const LoadedVision& loaded) { return VisionModelHandle::make(env, environment, id, loaded); };
    const auto drop = [environment = environment_, id] { environment->models<VisionModel>().drop(id); };
    environment_->models<VisionModel>().at(id).load(std::move(options), std::move(cancel), environment_->deliver<LoadedVision>(call, to_handle, drop));
  });
}

Napi::Value EngineHandle::close(const Napi::CallbackInfo& info) {
  return environment_->promise(info.Env(), [&](Environment::Id call) {
    Engine& engine = use(call);
    closed_ = true;
    engine.close(environment_->deliver<std::monostate>(
        call, [environment = environment_, id = id_](Napi::Env env, const Call&, std::monostate) {
          // The lane is past its last job: to join it takes no time, and memory is back when the promise says so.
          environment->drop_engine(id);
          return env.Undefined();
        }));
  });
}

Engine& EngineHandle::use(Environment::Id call) {
  if (closed_) throw Error(ErrorCode::invalid_state, "The engine is closed.");
  environment_->borrow(call, Value());
  return environment_->engine(id_);
}

}  // namespace lectern::addon
